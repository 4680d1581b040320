"""The tour of the README runs as it is pasted; no page links to nothing."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from agents_app.protocol.payloads import Action, Decision
from tasks_app import desk, runner
from tasks_app.models import Question

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [
    "README.md",
    "CHANGELOG.md",
    *(f"docs/{p.name}" for p in ROOT.glob("docs/*.md")),
]
_FIRST, _SECOND = (
    re.split(r"\n\n(?=# \d)", text)
    for text in re.findall(r"```sh\n(# \d.*?)```", README, re.DOTALL)
)


@pytest.fixture
def shell(
    transactional_db: None, live_server: Any, api_key: str, admin_user: User
) -> dict[str, str]:
    if not shutil.which("curl"):
        pytest.skip("curl is not installed")
    return {"SYNAPSE_URL": live_server.url, "SYNAPSE_API_KEY": api_key}


def paste(shell: dict[str, str], command: str) -> str:
    """Run it and keep its variables for the next."""
    script = f"{command}\necho; echo API=$API TASK=$TASK"
    done = subprocess.run(
        ["bash", "-euc", script],
        env=os.environ | {"API": "", "TASK": ""} | shell,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert done.returncode == 0, done.stderr
    said, _, variables = done.stdout.rpartition("\nAPI=")
    shell["API"], shell["TASK"] = variables.rstrip().split(" TASK=")
    return said


def look(shell: dict[str, str], command: str) -> Any:
    return json.loads(paste(shell, command))["task"]


def approve(user: User) -> None:
    question = Question.objects.get(state="open")
    shown = desk.Shown(question_id=question.pk, version=question.version)
    desk.decide(shown, Decision(action=Action.APPROVE), user)
    runner.drain("default")


def test_its_approval_works(shell: dict[str, str], admin_user: User) -> None:
    paste(shell, _FIRST[0])
    runner.drain("default")
    assert look(shell, _FIRST[1])["pending_action"]["kind"] == "human"
    approve(admin_user)
    task = look(shell, _FIRST[1])
    assert task["result"]["approved"] is True
    assert task["message"] == "Approved by admin."


def test_its_invoice_works(shell: dict[str, str], admin_user: User) -> None:
    (api,) = [line for line in _FIRST[0].splitlines() if line.startswith("API=")]
    paste(shell, f"{api}\n{_SECOND[0]}")
    runner.drain("default")
    fields = look(shell, _SECOND[1])["pending_action"]["missing_fields"]
    assert [field["name"] for field in fields] == ["date"]
    paste(shell, _SECOND[2])
    runner.drain("default")
    approve(admin_user)
    names = [file["name"] for file in look(shell, _SECOND[1])["files"]]
    assert names == ["invoice-without-date.pdf", "receipt.json"]


@pytest.mark.parametrize("page", PAGES)
def test_its_relative_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#[^)]*)?\)", text)
    folder = (ROOT / page).parent
    assert [link for link in links if not (folder / link).exists()] == []


@pytest.mark.parametrize("page", PAGES)
def test_its_anchors_exist(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    folder = (ROOT / page).parent
    for file, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)#([^)]+)\)", text):
        target = folder / file if file else ROOT / page
        assert anchor in anchors(target.read_text(encoding="utf-8"))


def anchors(text: str) -> set[str]:
    """As GitHub makes them from headings."""
    heads = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", head.lower()) for head in heads)
    return {head.strip().replace(" ", "-") for head in plain}
