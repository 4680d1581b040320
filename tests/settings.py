"""Settings of the test run: the product's own, with fast clocks and fixed secrets."""

import os

from tests import data_dir

os.environ.setdefault("SECRET_KEY", "tests-only-" + "x" * 50)
os.environ.setdefault(
    "SYNAPSE_ENCRYPTION_KEYS", "dGVzdHMtb25seS10ZXN0cy1vbmx5LXRlc3RzLW9ubHk="
)
os.environ["SYNAPSE_DATA_DIR"] = os.environ.get("SYNAPSE_DATA_DIR") or data_dir.make()
os.environ.setdefault("SYNAPSE_PROBES", "1")

from synapse_site.settings import *  # noqa: F403
from synapse_site.settings import DATA_DIR, DATABASES

# SQLite's default for tests lies in memory, where a second thread meets table locks
# that no timeout waits for.
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / "test.sqlite3")}
