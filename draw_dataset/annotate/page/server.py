"""Gradio application of the page, and the server that runs it.

Each page is one component of custom HTML whose script (`page.js`) calls one function of the server. Gradio's own state
is not used, so an open page survives a restart. Requests pass `AccessControl` before Gradio sees them.
"""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.annotate.page.controllers import AdjudicationController, AnnotationController, Shown
from draw_dataset.annotate.store import Store
from draw_dataset.errors import ChoiceError, ExtraMissing, ServeError, short_repr
from draw_dataset.report.svg import figure_css

if TYPE_CHECKING:
    from draw_dataset.annotate.page.access import AccessControl
    from draw_dataset.annotate.page.desk import Desk

Answer = Callable[[str, object], Shown]  # answers a message of an annotator

_LOADING = '<p class="dp-loading" role="status">Loading …</p>'
_FONT = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Arial", "sans-serif")
_MONOSPACED = ("ui-monospace", "Menlo", "Consolas", "monospace")


@dataclass(frozen=True, slots=True)
class Served:
    """The address of a page."""

    url: str
    token: str | None  # the token that annotators need, or None
    lead_token: str | None = None  # the token that imports and exports on the page need, or None


def serve(
    path: Path,
    host: str,
    port: int,
    token: str | None,
    ready: Callable[[Served], None],
    trusted_proxies: Sequence[str] = (),
    lead_token: str | None = None,
) -> None:
    """Serve the page of a store until the process is told to stop."""
    # Before the first import, when Gradio reads some of them; it must not connect to other machines.
    os.environ.update(GRADIO_ANALYTICS_ENABLED="False", HF_HUB_DISABLE_TELEMETRY="1")
    try:
        import uvicorn

        from draw_dataset.annotate.page.access import lead_token_for, token_for
        from draw_dataset.annotate.page.desk import Desk
    except ImportError as error:
        raise _missing(error) from error
    needed = token_for(host, token)
    lead = lead_token_for(needed, lead_token)
    for proxy in trusted_proxies:
        try:
            ipaddress.ip_network(proxy)
        except ValueError:
            raise ChoiceError(
                f"trusted proxy: expected an address such as 127.0.0.1, but got {short_repr(proxy)}"
            ) from None
    with Store.open(path) as store, _listening(host, port) as listener:
        adjudication = AdjudicationController(store)
        annotation = AnnotationController(store, adjudication.count_unsettled)
        application = build_application(
            annotation.answer, adjudication.answer, store.add_annotator, host, needed, Desk(store, lead)
        )
        settings = uvicorn.Config(
            application,
            log_level="warning",
            access_log=False,
            server_header=False,
            # People think for longer than the five seconds after which a connection would be closed.
            timeout_keep_alive=75,
            # Left to itself, uvicorn trusts whoever connects from this machine.
            proxy_headers=bool(trusted_proxies),
            forwarded_allow_ips=list(trusted_proxies),
            timeout_graceful_shutdown=2,
        )
        ready(Served(_url(host, listener.getsockname()[1]), needed, lead))
        # The server has closed by then; it passes the signal on.
        with suppress(KeyboardInterrupt):
            uvicorn.Server(settings).run(sockets=[listener])


def _missing(error: ImportError) -> ExtraMissing:
    return ExtraMissing(f"the page needs gradio and more: pip install 'draw-dataset[annotate]' ({error})")


def build_application(
    annotate: Answer,
    adjudicate: Answer,
    enrol: Callable[[str], str],
    host: str,
    token: str | None,
    desk: Desk | None = None,
) -> AccessControl:
    """Return the whole application, with access control."""
    try:
        import gradio as gr
        from fastapi import FastAPI

        from draw_dataset.annotate.page.access import AccessControl, is_loopback
    except ImportError as error:
        raise _missing(error) from error

    with gr.Blocks(title="draw annotate", analytics_enabled=False, fill_width=True) as pages:
        first = _component(gr, annotate)
    with pages.route("Adjudicate", "/adjudicate", show_in_navbar=False):
        second = _component(gr, adjudicate)
    outside = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    with warnings.catch_warnings():
        # Gradio warns that it does not render on the server; that is what we asked for.
        warnings.filterwarnings("ignore", message="SSR mode is not supported")
        gr.mount_gradio_app(
            outside,
            pages,
            path="/",
            theme=gr.themes.Base(font=_FONT, font_mono=_MONOSPACED),
            footer_links=[],
            run_history=False,
            show_error=False,
            ssr_mode=False,
            mcp_server=False,
            pwa=False,
            enable_monitoring=False,
        )
    # With a token, another host name for this machine is harmless, and a proxy may use one.
    only_loopback = is_loopback(host) and token is None
    return AccessControl(outside, enrol, token, only_loopback=only_loopback, components={first, second}, desk=desk)


def _component(gr: Any, answered: Answer) -> int:
    """Add a page's component to the page that is being built, and return its number."""
    from draw_dataset.annotate.page.access import ANNOTATOR

    def answer(message: Any, request: gr.Request) -> Shown:
        return answered(request.scope[ANNOTATOR], message)

    gr.Navbar(visible=False)
    # Gradio looks at the annotation itself, which is only a string in this module.
    answer.__annotations__["request"] = gr.Request
    html = gr.HTML(
        _LOADING,
        elem_id="dp-page",
        # Not as Gradio's css, which it rewrites to hold only within its own container.
        head=f"<style>{figure_css()}{_file('page.css')}</style>",
        js_on_load=_file("page.js"),
        server_functions=[answer],
        apply_default_css=False,
    )
    return int(html._id)


def _file(name: str) -> str:
    return files("draw_dataset.annotate.page").joinpath(name).read_text(encoding="utf-8")


def _listening(host: str, port: int) -> socket.socket:
    name = host.strip("[]")
    listener: socket.socket | None = None
    try:
        family = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        if os.name == "posix":
            # The port of a server that was just killed can be used again.
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((name, port))
        listener.listen()  # requests that come before the page is ready wait
    except (OSError, OverflowError, UnicodeError) as error:
        if listener is not None:
            listener.close()
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise ServeError(
                f"port {port} of {host} is in use, perhaps by another draw annotate serve: --port 0 takes any free one"
            ) from error
        raise ServeError(f"cannot listen at {host}, port {port}: {error}; give another --host or --port") from error
    return listener


def _url(host: str, port: int) -> str:
    """Return the address of the page: one that can be sent to others, if the server listens at all of them."""
    name = host.strip("[]")
    if name in ("0.0.0.0", "::", ""):
        name = _own_address()
    return f"http://[{name}]:{port}/" if ":" in name else f"http://{name}:{port}/"


def _own_address() -> str:
    """Return the address by which other machines reach this one, or its name if it has no network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            # Connecting a datagram socket sends nothing; it only asks the system for its own address.
            probe.connect(("192.0.2.1", 9))  # an address that is reserved for documentation
            return str(probe.getsockname()[0])
        except OSError:
            return socket.gethostname()
