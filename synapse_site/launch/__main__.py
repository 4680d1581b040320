"""`python -m synapse_site.launch`."""

import sys

from synapse_site.launch import start

if __name__ == "__main__":
    sys.exit(start.main())
