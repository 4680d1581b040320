"""Files in the data folder that only their owner may read: secrets and demo access."""

import os
from pathlib import Path
from secrets import token_urlsafe

from agents_app.vault import new_key

_ENV_TEXT = """\
# Made on the first start. Keep it: without these keys sealed secrets cannot be opened.
# Variables of the real environment win over this file.
SECRET_KEY={secret_key}
SYNAPSE_ENCRYPTION_KEYS={encryption_key}
DEBUG=false
"""


def write(path: Path, text: str) -> None:
    """Put `text` in place at once, with mode 0600 from the first moment."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    number = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(number, "w", encoding="utf-8") as file:
        file.write(text)
    draft.replace(path)


def ensure_env(data_dir: Path) -> bool:
    """Make the data folder and its `.env` with fresh secrets; False if it was there."""
    data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = data_dir / ".env"
    if path.exists():
        return False
    secrets = {"secret_key": token_urlsafe(50), "encryption_key": new_key()}
    write(path, _ENV_TEXT.format(**secrets))
    return True
