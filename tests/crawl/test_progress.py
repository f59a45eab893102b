"""What people see while a crawl runs in a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios

from crawl.harness import PATIENCE, command, quick_folder
from crawl.stand_in_site.plan import Site
from crawl.stand_in_site.server import serving


def test_a_terminal_shows_states_and_the_time_left() -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 200, 0, 0))  # 40 lines of 200 characters
    with quick_folder() as folder, serving(Site(60, manners=False)) as server:
        process = subprocess.Popen(command(server, folder / "l.sqlite"), stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        said = b""
        while True:
            try:
                piece = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            said += piece
        os.close(ours)
        assert process.wait(PATIENCE) == 0
    assert b" pages" in said
    assert b" stored" in said
    assert b" left" in said
    assert b"100%" in said
