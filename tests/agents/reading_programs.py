"""Programs for the child process that reads documents, each by its name.

A child opens the FIFO that it gets as its document: whoever reads it hears when the
child is gone, however it ended.
"""

import ctypes
import os
import re
import resource
import signal
import sys
import time
from pathlib import Path


def crash(path):
    yield "half of it"
    ctypes.string_at(0)


def eat(path):
    kept = []
    while True:
        kept.append(bytearray(1_000_000))


def flood(path):
    while True:
        yield "x" * 100_000


def fail(path):
    raise ValueError("reading went wrong")
    yield


def chatter(path):
    sys.stdout.write("what a library prints")
    sys.stdout.flush()
    os.write(1, b'["said", "no word of ours"]\n')
    yield "all of it"


def lie(path):
    yield "half of it"
    # As a reader that was taken over could: behind the back of `child`.
    for number in range(3, 20):
        try:
            os.write(number, b"[" * 100_000 + b'\n["done"]\n')
        except OSError:
            continue
    yield "the rest"


def surroundings(path):
    yield sorted(os.environ)
    yield resource.getrlimit(resource.RLIMIT_CORE)
    yield sorted(sys.modules)


def hang(path):
    with Path(path).open("wb", buffering=0) as fifo:
        fifo.write(b"here\n")
        time.sleep(600)
    yield


def hang_holding_the_interpreter(path):
    with Path(path).open("wb", buffering=0) as fifo:
        fifo.write(b"here\n")
        re.match("(a|a)*b", "a" * 64)
    yield


def hang_with_a_child(path):
    os.set_inheritable(os.open(path, os.O_WRONLY), True)
    if os.fork() == 0:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    Path(path).write_bytes(b"here\n")
    time.sleep(600)
    yield


def compute(path):
    while True:
        pass
    yield


def read(path, name):
    return globals()[name](path)
