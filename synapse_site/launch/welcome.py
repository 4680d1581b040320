"""What `make run` shows when the web process answers: where to go, how to get in."""

import http.client
import shlex
from pathlib import Path

from synapse_site.launch import port
from synapse_site.launch.access import Standing

API = "/api/v1/synapse"
ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "examples/invoices/invoice.pdf"
DEFAULT_DATA = ROOT / "data"
_ANSWER_SECONDS = 1.0


def text(url: str, data_dir: Path, standing: Standing | None) -> str:
    """The whole notice; its export and curl lines work as pasted."""
    rows = [
        ("Admin", f"{url}/admin/"),
        ("API docs", f"{url}{API}/docs"),
        ("Data", str(data_dir)),
        *_access_rows(standing),
    ]
    lines = [
        "",
        "Synapse is running",
        *(f"  {name:<15} {value}" for name, value in rows),
    ]
    lines += ["", "For a second terminal:", f"  export SYNAPSE_URL={url}"]
    if data_dir != DEFAULT_DATA:  # Else manage.py finds no secrets there.
        lines += [f"  export SYNAPSE_DATA_DIR={shlex.quote(str(data_dir))}"]
    if standing and standing.key_holds:
        key = standing.access.api_key
        lines += [f"  export SYNAPSE_API_KEY={key}"]
        lines += ["", "Submit the sample invoice:", _curl(url, key)]
    return "\n".join([*lines, "", "Ctrl-C stops everything.", ""])


def answers(number: int) -> bool:
    """Whether the web process answers a request, whatever it says."""
    connection = http.client.HTTPConnection(port.HOST, number, timeout=_ANSWER_SECONDS)
    try:
        connection.request("HEAD", f"{API}/docs")
        connection.getresponse()
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True


def _access_rows(standing: Standing | None) -> list[tuple[str, str]]:
    if standing is None:
        return [
            ("Operator", "as you made it; new: python manage.py createsuperuser"),
            ("API key", "as you made it; new: python manage.py create_caller NAME"),
        ]
    access = standing.access
    password = access.password if standing.password_holds else "(changed since)"
    key = access.api_key if standing.key_holds else "(revoked since)"
    secret = access.callback_secret if standing.secret_holds else "(changed since)"
    return [
        ("Operator", access.operator),
        ("Password", password),
        ("API key", f"{key}  (caller: {access.caller})"),
        ("Callback secret", secret),
    ]


def _curl(url: str, api_key: str) -> str:
    words = ["curl", "-sS", "-H", f"X-API-Key: {api_key}"]
    words += ["-F", "task_type=invoice_approval", "-F", "payload={}"]
    words += ["-F", f"file=@{SAMPLE}", f"{url}{API}/task/multipart"]
    return f"  {shlex.join(words)}"
