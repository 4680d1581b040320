"""Memory of process groups, from /proc (Linux)."""

from collections.abc import Iterable
from pathlib import Path

KILOBYTES_PER_MEGABYTE = 1024


def megabytes(leaders: Iterable[int]) -> dict[str, float]:
    """Rss and Pss of all processes in the sessions that these lead."""
    wanted = set(leaders)
    total = {"Rss": 0.0, "Pss": 0.0}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            stat = (entry / "stat").read_text().rpartition(")")[2].split()
            if int(stat[3]) not in wanted:
                continue
            lines = (entry / "smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        for line in lines:
            name, _, value = line.partition(":")
            if name in total:
                total[name] += float(value.split()[0]) / KILOBYTES_PER_MEGABYTE
    return total
