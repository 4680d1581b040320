"""The table that a run ends with."""

from collections.abc import Sequence

from bench.rounds import Line

HEAD = ("", "Synapse", "baseline", "ratio", "(from-to)", "goal", "must", "verdict")


def table(stack: str, lines: Sequence[Line]) -> str:
    rows = [HEAD, *(_cells(line) for line in lines)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(HEAD))]
    written = [f"\n{stack}: ratios are medians of interleaved rounds"]
    for row in rows:
        cells = [
            cell.ljust(width) if place == 0 else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        written.append("  ".join(cells).rstrip())
    return "\n".join(written)


def _cells(line: Line) -> tuple[str, ...]:
    sign = "≤" if line.at_most else "≥"
    spread = line.spread
    return (
        line.what,
        line.ours,
        line.baseline,
        "" if line.ratio is None else f"{line.ratio:.2f}",
        f"({spread[0]:.2f}-{spread[1]:.2f})" if spread else "",
        line.goal,
        "" if line.must is None else f"{sign} {line.must:g}",
        line.verdict,
    )
