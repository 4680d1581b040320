"""Becomes another program, one that ends when its parent ends (Linux).

`stack` starts every service through this file, as a script:
`python tether.py PARENT_PID PROGRAM [ARGUMENT …]`. A launcher that is killed cannot
stop its services any more; the kernel then does. Elsewhere it only runs the program.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1  # <linux/prctl.h>; it survives the exec below.


def main() -> None:
    """Ask the kernel for the signal, then become the program."""
    parent, *program = sys.argv[1:]
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != int(parent):  # It ended before we could ask.
        sys.exit(1)
    os.execvp(program[0], program)  # noqa: S606 - the Procfile names the program


if __name__ == "__main__":
    main()
