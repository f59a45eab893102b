"""Serves the page of a store until it is stopped."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from draw_dataset.annotation.page.adjudication_desk import AdjudicationDesk
from draw_dataset.annotation.page.annotation_desk import AnnotationDesk
from draw_dataset.annotation.page.application import build_application
from draw_dataset.annotation.page.gate import token_for
from draw_dataset.annotation.store.store import Store
from draw_dataset.errors import ServeError


@dataclass(frozen=True, slots=True)
class Served:
    """Where a page is.

    Attributes:
        url: its address.
        token: what annotators have to know, or None.
    """

    url: str
    token: str | None


def serve(path: Path, host: str, port: int, token: str | None, ready: Callable[[Served], None]) -> None:
    """Serve the page of a store until the process is told to stop.

    Args:
        path: the store.
        host: where to listen; beyond loopback a token is needed to enter.
        port: the port; 0 for any that is free.
        token: the token; None for a new one where one is needed.
        ready: called once, before the first request is answered.

    Raises:
        StoreError: the store cannot be opened.
        ChoiceError: the token is too short.
        ServeError: the address cannot be listened at.
        ExtraMissing: Gradio is not installed.
    """
    needed = token_for(host, token)
    with Store.open(path) as store, _listening(host, port) as listener:
        adjudication = AdjudicationDesk(store)
        annotation = AnnotationDesk(store, adjudication.unsettled)
        application = build_application(annotation.answer, adjudication.answer, store.add_annotator, host, needed)
        import uvicorn

        settings = uvicorn.Config(
            application, log_level="warning", access_log=False, server_header=False, timeout_graceful_shutdown=2
        )
        ready(Served(_url(host, listener.getsockname()[1]), needed))
        # The server has closed by then; it passes the signal on.
        with suppress(KeyboardInterrupt):
            uvicorn.Server(settings).run(sockets=[listener])


def _listening(host: str, port: int) -> socket.socket:
    name = host.strip("[]")
    try:
        family = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
    except (OSError, OverflowError, UnicodeError) as error:
        raise ServeError(f"cannot listen at {host}, port {port}: {error}; give another --host or --port") from error
    try:
        if os.name == "posix":
            # A server that was killed a moment ago does not keep the next one out.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((name, port))
        # Whoever comes before the page is ready waits.
        listener.listen()
    except (OSError, OverflowError) as error:
        listener.close()
        raise ServeError(f"cannot listen at {host}, port {port}: {error}; give another --host or --port") from error
    return listener


def _url(host: str, port: int) -> str:
    name = host.strip("[]")
    return f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"
