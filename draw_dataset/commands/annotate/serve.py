"""``draw annotate serve``: the page on which people annotate and adjudicate."""

from __future__ import annotations

import argparse
import json
import os
from typing import TYPE_CHECKING

from draw_dataset.commands.annotate import add_store
from draw_dataset.commands.options import add_json, require_extra

if TYPE_CHECKING:
    from draw_dataset.annotation.page import Served

HELP = "serve the page on which people annotate and adjudicate"

HOST, PORT = "127.0.0.1", 7860
TOKEN_VARIABLE = "DRAW_ANNOTATE_TOKEN"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "On this machine a name is enough to enter. From other machines a token is needed; it is printed if you give\n"
        f"none. With a token of your own (--token, or {TOKEN_VARIABLE}, which other users of the machine cannot\n"
        "see) nobody has to log in again after a restart. The page speaks plain HTTP: where others can listen on the\n"
        "network, put a proxy with TLS in front of it, and name it with --trusted-proxy, so that a wrong token makes\n"
        "only its sender wait.\n\n"
        "examples:\n"
        "  draw annotate serve --store work.db\n"
        "  draw annotate serve --store work.db --host 0.0.0.0 --port 8080"
    )
    add_store(parser)
    parser.add_argument("--host", default=HOST, help=f"where to listen (default {HOST}, this machine alone)")
    parser.add_argument("--port", type=int, default=PORT, help=f"the port; 0 for any that is free (default {PORT})")
    parser.add_argument("--token", default=None, help="the token that annotators enter with their names")
    parser.add_argument(
        "--trusted-proxy",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="a proxy whose X-Forwarded-For header is believed; may be given several times (default: none)",
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve until stopped."""
    require_extra("annotate", "gradio", "fastapi", "itsdangerous", "uvicorn")
    from draw_dataset.annotation.page import serve

    def ready(served: Served) -> None:
        print(_as_json(served) if arguments.json else _as_text(served), flush=True)

    token = arguments.token or os.environ.get(TOKEN_VARIABLE) or None
    serve(arguments.store, arguments.host, arguments.port, token, ready, arguments.trusted_proxy)
    return 0


def _as_json(served: Served) -> str:
    return json.dumps({"url": served.url, "adjudicate": f"{served.url}adjudicate", "token": served.token})


def _as_text(served: Served) -> str:
    lines = [f"annotate:   {served.url}", f"adjudicate: {served.url}adjudicate"]
    if served.token is not None:
        lines += [f"token:      {served.token}", "send annotators the first address and the token"]
    return "\n".join([*lines, "stop it with Ctrl-C; every decision is kept as soon as it is made"])
