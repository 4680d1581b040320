"""A stack: every service of the Procfile as a process, on a database of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Any, Self

import requests

from synapse_site.launch import procfile
from tests import services
from tests.stack.client import API, Client, Reply
from tests.stack.ledger import Ledger
from tests.stack.operator import Operator
from tests.stack.process import ROOT, START_SECONDS, Process
from tests.stack.template import DATABASE_URL, Template, drop, surroundings
from tests.stack.waiting import eventually

WITH_REDIS = bool(os.environ.get("CELERY_BROKER_URL"))
PRODUCTION = bool(DATABASE_URL) and WITH_REDIS

LEASE_SECONDS = 3
SWEEP_SECONDS = 1
FAST = {
    "SYNAPSE_LEASE_SECONDS": str(LEASE_SECONDS),
    "SYNAPSE_LEASE_RENEW_SECONDS": "1",
    "SYNAPSE_SWEEP_SECONDS": str(SWEEP_SECONDS),
    "SYNAPSE_RETRY_BACKOFF": "0,1",
    "SYNAPSE_CALLBACK_SCHEDULE": "0,1,1",
    "SYNAPSE_CALLBACK_TOTAL_SECONDS": "3",
    "SYNAPSE_STOP_GRACE_SECONDS": "1",
    "SYNAPSE_ALLOWED_PRIVATE_NETWORKS": "127.0.0.0/8",
    "SYNAPSE_PROBES": "1",
}
# What a service says when it works; the web process answers instead.
_READY = {"web": "", "worker": " ready.", "beat": "beat: Starting"}


class Stack:
    """Use it as a context manager. `settings` are variables of the environment."""

    def __init__(self, template: Template, folder: Path, **settings: str) -> None:
        self._template = template
        self.folder = folder
        self.database = f"synapse_{token_hex(6)}"
        self.port = services.free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.replies: list[Reply] = []
        self.probes = folder / "probes"
        self.probes.mkdir()
        self._settings = settings
        self._extra = 0
        self.services: dict[str, Process] = {}

    def configure(self, settings: Mapping[str, str]) -> None:
        """More variables, before it is started."""
        self._settings |= settings

    @property
    def agent_id(self) -> str:
        """What it is called among agents."""
        return self._settings.get("SYNAPSE_AGENT_ID", "synapse")

    @property
    def address(self) -> str:
        return f"agent:{self.agent_id}"

    def __enter__(self) -> Self:
        try:
            self._prepare()
            self.heal()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End everything."""
        for process in self.services.values():
            process.kill()
        if DATABASE_URL:
            drop(self.database)

    def _prepare(self) -> None:
        environ = self._environ()
        if WITH_REDIS:
            self.services["redis"] = _redis(environ["CELERY_BROKER_URL"], self.folder)
            self.redis.start()
            self.redis.wait()
        text = (ROOT / "Procfile").read_text("utf-8")
        for service in procfile.parse(text, environ):
            self._add(service.name, list(service.command), environ)
        source = environ.get("DATABASE_URL") or self.folder / "synapse.sqlite3"
        self.ledger = Ledger(source)

    def _add(self, name: str, command: list[str], environ: Mapping[str, str]) -> None:
        ready = _READY.get(name, _READY["worker"])
        self.services[name] = Process(name, command, environ, self.folder, ready)

    def _environ(self) -> dict[str, str]:
        environ = surroundings() | FAST | dict(self._template.secrets)
        environ |= {
            "DJANGO_SETTINGS_MODULE": "synapse_site.settings",
            "PORT": str(self.port),
            "SYNAPSE_DATA_DIR": str(self.folder),
            "SYNAPSE_PROBE_DIR": str(self.probes),
        }
        if WITH_REDIS:
            number = services.free_port()
            environ["CELERY_BROKER_URL"] = f"redis://127.0.0.1:{number}/0"
        environ |= self._template.copy_to(self.folder, self.database)
        return environ | self._settings

    @property
    def broker_url(self) -> str:
        """Of its own Redis."""
        return self.worker.environ["CELERY_BROKER_URL"]

    @property
    def redis(self) -> Process:
        return self.services["redis"]

    @property
    def web(self) -> Process:
        return self.services["web"]

    @property
    def worker(self) -> Process:
        return self.services["worker"]

    @property
    def courier(self) -> Process:
        return self.services["courier"]

    @property
    def beat(self) -> Process:
        return self.services["beat"]

    def start(self, *names: str) -> None:
        """Start these at once and wait until each is ready."""
        for name in names:
            self.services[name].start()
        for name in names:
            self._wait(name)

    def heal(self) -> None:
        """Start what does not run, as a supervisor would; wake what was paused."""
        for process in self.services.values():
            if process.alive:
                process.resume()
        self.start(*(name for name, one in self.services.items() if not one.alive))

    def _wait(self, name: str) -> None:
        if name == "web":
            eventually(self._answers, START_SECONDS, self.web.tail)
        else:
            self.services[name].wait()

    def _answers(self) -> bool:
        with suppress(requests.ConnectionError, requests.Timeout):
            return (
                requests.get(f"{self.url}{API}/capabilities", timeout=5).status_code
                < 500
            )
        assert self.web.alive, self.web.tail()
        return False

    @contextmanager
    def extra_worker(
        self, *, lane: str = "default", slots: int = 2
    ) -> Iterator[Process]:
        """One more worker, for as long as the block lasts."""
        self._extra += 1
        name = f"worker{self._extra}"
        values = {"-n": f"{name}@%h", "-Q": f"lane.{lane}", "-c": str(slots)}
        command = _replaced(self.worker.command, values)
        self._add(name, command, self.worker.environ)
        try:
            self.start(name)
            yield self.services[name]
        finally:
            self.services.pop(name).kill()

    def client(self, caller: str = "acme") -> Client:
        """A caller with its own connections; what it is told is kept in `replies`."""
        key = self._template.callers[caller].key
        return Client(url=self.url, key=key, replies=self.replies)

    def callback_secret(self, caller: str = "acme") -> str:
        return self._template.callers[caller].secret

    def operator(self) -> Operator:
        """A superuser who is logged in."""
        return Operator(self.url)

    def manage(self, *words: str) -> str:
        """What `manage.py` prints when this node's administrator calls it."""
        done = subprocess.run(
            [sys.executable, "manage.py", *words],
            cwd=ROOT,
            env=self.web.environ,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def notes(self, name: str) -> list[dict[str, Any]]:
        """What probes wrote to their file `name`."""
        path = self.probes / name
        if not path.exists():
            return []
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]

    def file(self, file_id: str) -> bytes:
        """What lies in its storage under this id."""
        name = file_id.replace("-", "")
        return (self.folder / "files" / name[-2:] / name).read_bytes()

    def logs(self) -> dict[str, str]:
        """The end of each service's log."""
        return {name: process.tail() for name, process in self.services.items()}


def _redis(url: str, folder: Path) -> Process:
    program = services.require_or_skip("redis")
    port = url.rpartition(":")[2].partition("/")[0]
    command = [str(program), "--port", port, "--bind", "127.0.0.1", "--save", ""]
    command += ["--appendonly", "no", "--dir", str(folder)]
    return Process("redis", command, surroundings(), folder, "Ready to accept")


def _replaced(command: tuple[str, ...], values: Mapping[str, str]) -> list[str]:
    """The command with other values after these options."""
    words = list(command)
    for option, value in values.items():
        words[words.index(option) + 1] = value
    return words
