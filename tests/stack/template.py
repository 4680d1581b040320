"""A migrated database to copy from: migrating once is enough for all stacks."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex, token_urlsafe
from urllib.parse import urlsplit, urlunsplit

import psycopg

from agents_app.vault import new_key
from tests.stack.process import ROOT

DATABASE_URL = os.environ.get("DATABASE_URL", "")
# Of the surroundings only what programs need to run: no settings, nothing of pytest.
_KEPT = ("HOME", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TMPDIR", "TZ", "USER")


@dataclass(frozen=True, kw_only=True)
class Access:
    """A caller's API key and the secret its callbacks are signed with."""

    key: str
    secret: str


@dataclass(frozen=True, kw_only=True)
class Template:
    """Where the database to copy is, and who is in it."""

    folder: Path
    name: str
    secrets: Mapping[str, str]
    callers: Mapping[str, Access]
    # On a server of its own, whose database one stack uses as it is.
    url: str = ""

    @classmethod
    def make(cls, folder: Path, url: str = "") -> "Template":
        """Make the database by the product's own migrations."""
        name = f"synapse_{token_hex(6)}"
        secrets = {
            "SECRET_KEY": token_urlsafe(50),
            "SYNAPSE_ENCRYPTION_KEYS": new_key(),
        }
        environ = surroundings() | secrets | {"SYNAPSE_DATA_DIR": str(folder)}
        if url:
            environ["DATABASE_URL"] = url
        elif DATABASE_URL:
            administer(f"CREATE DATABASE {name}")
            environ["DATABASE_URL"] = url_of(name)
        made = subprocess.run(
            [sys.executable, "-m", "tests.stack.prepare"],
            cwd=ROOT,
            env=environ,
            capture_output=True,
            text=True,
        )
        assert made.returncode == 0, made.stderr
        callers = {
            name: Access(**access) for name, access in json.loads(made.stdout).items()
        }
        return cls(folder=folder, name=name, secrets=secrets, callers=callers, url=url)

    def drop(self) -> None:
        """Remove it; the embedded one goes with its folder."""
        if DATABASE_URL:
            drop(self.name)

    def copy_to(self, folder: Path, name: str) -> dict[str, str]:
        """A database for one stack: the settings that name it."""
        if self.url:
            return {"DATABASE_URL": self.url}
        if DATABASE_URL:
            administer(f"CREATE DATABASE {name} TEMPLATE {self.name}")
            return {"DATABASE_URL": url_of(name)}
        for path in self.folder.glob("synapse.sqlite3*"):
            shutil.copy(path, folder)
        return {}


def surroundings() -> dict[str, str]:
    """The environment that every process of a stack starts from."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {**kept, "PATH": path, "PYTHONUNBUFFERED": "1"}


def url_of(name: str) -> str:
    """DATABASE_URL with another database."""
    return urlunsplit(urlsplit(DATABASE_URL)._replace(path=f"/{name}"))


def drop(name: str) -> None:
    administer(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def administer(statement: str) -> None:
    """Run one statement on the server; the names in it are ours."""
    with psycopg.connect(DATABASE_URL, autocommit=True) as connection:
        connection.execute(statement.encode())
