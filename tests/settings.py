"""Settings of the test run: the product's own, with fast clocks and fixed secrets."""

import os
import tempfile

os.environ.setdefault("SECRET_KEY", "tests-only-" + "x" * 50)
os.environ.setdefault(
    "SYNAPSE_ENCRYPTION_KEYS", "dGVzdHMtb25seS10ZXN0cy1vbmx5LXRlc3RzLW9ubHk="
)
os.environ.setdefault("SYNAPSE_DATA_DIR", tempfile.mkdtemp(prefix="synapse-tests-"))
os.environ.setdefault("SYNAPSE_PROBES", "1")

from synapse_site.settings import *  # noqa: F403
