"""Ports for servers that have to be told theirs."""

from __future__ import annotations

import os
import socket
from itertools import count

_NUMBERS = count()


def free_port() -> int:
    """Return a port of this machine that nobody listens at.

    Whoever asks the system for any port gets one from 32768 up, and another process may get it between the question and
    the use. These lie below, and every process of the tests starts at a number of its own.
    """
    while True:
        port = 10_000 + (os.getpid() * 20 + next(_NUMBERS)) % 20_000
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
