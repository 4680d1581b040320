"""`make run`: from a fresh folder to a running Synapse in one terminal.

    port free? → .env with fresh secrets → migrate → demo access → stack → notice

Everything before the stack is safe to repeat: a later start keeps the data.
"""

import os
import sys
from pathlib import Path

import django
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import OperationalError
from environs import EnvError

from synapse_site import env
from synapse_site.launch import port, private_files, procfile, welcome
from synapse_site.launch.stack import Notice, Stack

BASE_DIR = Path(__file__).resolve().parents[2]


def main() -> int:
    """The exit code: 0 after Ctrl-C, 1 if a service failed, 2 if it could not start."""
    try:
        settings, data_dir = env.read(BASE_DIR / "data")
        number = settings.int("PORT", 8000)
        port.require_free(number)
        os.umask(0o077)  # The database and the uploads are nobody else's business.
        private_files.ensure_env(data_dir)
    except (EnvError, port.PortError) as error:
        return _refused(str(error))
    except OSError as error:
        return _refused(f"{error}. The data folder is set by SYNAPSE_DATA_DIR.")
    try:
        prepare_database(data_dir)
    except (EnvError, ImproperlyConfigured) as error:
        return _refused(str(error))
    except OperationalError as error:
        return _refused(
            f"The database says: {str(error).strip()}. It is set by DATABASE_URL, or "
            f"lies in the data folder {data_dir} (SYNAPSE_DATA_DIR)."
        )
    return run_stack(number, data_dir, notice(number, data_dir))


def _refused(why: str) -> int:
    sys.stderr.write(f"Synapse cannot start. {why}\n")
    return 2


def prepare_database(data_dir: Path) -> None:
    """Load Django with the secrets now in place and bring the tables up to date."""
    os.environ["SYNAPSE_DATA_DIR"] = str(data_dir)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "synapse_site.settings")
    django.setup()
    sys.stdout.write("Preparing the database ...\n")
    call_command("migrate", interactive=False, verbosity=0)


def notice(number: int, data_dir: Path) -> Notice:
    """What the terminal shows in the end; makes the demo access on the first start."""
    # Models can only be imported once the settings, and so `.env`, are there.
    from synapse_site.launch import demo

    access = demo.ensure(data_dir)
    standing = demo.standing(access) if access else None
    return Notice(
        text=welcome.text(f"http://{port.HOST}:{number}", data_dir, standing),
        ready=lambda: welcome.answers(number),
    )


def run_stack(number: int, data_dir: Path, shown: Notice) -> int:
    """Web, worker, courier and beat, until they end."""
    environ = os.environ | {
        "PORT": str(number),
        "SYNAPSE_DATA_DIR": str(data_dir),
        # The programs of the virtualenv this runs in, activated or not.
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONUNBUFFERED": "1",
    }
    text = (BASE_DIR / "Procfile").read_text(encoding="utf-8")
    sys.stdout.write("Starting web, worker, courier and beat ...\n")
    sys.stdout.flush()
    services = procfile.parse(text, environ)

    def explain(name: str) -> str:
        return port.why_busy(number) if name == "web" else ""

    return Stack(services, environ, sys.stdout, shown, explain).run()
