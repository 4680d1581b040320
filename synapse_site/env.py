"""Parsers for the environment: parse or refuse, before anything starts."""

import importlib.util
import ipaddress
import math
import re
from pathlib import Path
from urllib.parse import urlsplit

from environs import Env, EnvError

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def parse_networks(value: str) -> tuple[Network, ...]:
    """`10.0.0.0/8,fd00::/8` → networks; empty text means none."""
    try:
        return tuple(ipaddress.ip_network(part.strip()) for part in _parts(value))
    except ValueError as error:
        raise EnvError(f"not a list of IP networks: {error}") from error


def parse_seconds(value: str) -> tuple[int, ...]:
    """`0,5,300` → delays in whole seconds, none negative."""
    try:
        delays = tuple(int(part) for part in _parts(value))
    except ValueError as error:
        raise EnvError(f"not a list of whole seconds: {value!r}") from error
    if any(delay < 0 for delay in delays):
        raise EnvError(f"a delay cannot be negative: {value!r}")
    return delays


def parse_at_least_1(value: str) -> int:
    """A whole number of at least one."""
    number = int(value)  # A ValueError is refused like an EnvError.
    if number < 1:
        raise EnvError(f"must be at least 1: {value!r}")
    return number


def parse_above_0(value: str) -> float:
    """A finite number above zero."""
    number = float(value)
    if not 0 < number < math.inf:
        raise EnvError(f"must be a number above 0: {value!r}")
    return number


def parse_name(value: str) -> str:
    """An id that can stand in an A2A address."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}", value):
        raise EnvError(f"must be letters, digits, dots, dashes: {value!r}")
    return value


def parse_apps(value: str) -> tuple[str, ...]:
    """Django apps that can be found; none is imported yet."""
    names = tuple(part.strip() for part in _parts(value))
    for name in names:
        try:
            found = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            found = None
        if found is None:
            raise EnvError(f"there is no Python package {name!r}")
    return names


def check_broker(url: str) -> None:
    """The flags beside the bells and their limits are made for these two."""
    if urlsplit(url).scheme not in ("spool", "redis", "rediss"):
        raise EnvError("CELERY_BROKER_URL must be redis:// or rediss://, or unset.")


def read(data_dir_default: Path) -> tuple[Env, Path]:
    """The environment, completed by `.env` in the data folder where there is one.

    Real variables win over the file. The file exists only in the embedded setup,
    where the launcher writes generated secrets into it.
    """
    env = Env()
    env.add_parser("networks", parse_networks)
    env.add_parser("seconds", parse_seconds)
    env.add_parser("at_least_1", parse_at_least_1)
    env.add_parser("above_0", parse_above_0)
    env.add_parser("name", parse_name)
    env.add_parser("apps", parse_apps)
    data_dir = Path(env.str("SYNAPSE_DATA_DIR", "") or data_dir_default).resolve()
    if (data_dir / ".env").is_file():
        env.read_env(data_dir / ".env", recurse=False)
    return env, data_dir


def _parts(value: str) -> list[str]:
    return [part for part in value.split(",") if part.strip()]
