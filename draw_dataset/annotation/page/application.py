"""The page as a Gradio application, and the server that serves it.

Gradio carries two pages, each one component of custom HTML whose script (`page.js`) talks to one function of the
server. Gradio's own state is not used: a message says all that its answer depends on, so that a page that is open while
the server is killed and started again goes on where it was. Before Gradio stands the gate of `login`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from draw_dataset.annotation.page.gate import ANNOTATOR, Application, Gate, is_loopback
from draw_dataset.errors import ExtraMissing
from draw_dataset.report.figure import figure_css

Answer = Callable[[str, object], dict[str, str]]
"""Answers a message of an annotator: the HTML to show, and the title of the page."""

_LOADING = '<p class="dp-loading" role="status">Loading …</p>'


def build_application(
    annotate: Answer, adjudicate: Answer, enrol: Callable[[str], str], host: str, token: str | None
) -> Application:
    """Return the whole application, gate and all.

    Args:
        annotate: answers the messages of the annotation page.
        adjudicate: answers those of the adjudication page.
        enrol: see `Gate`.
        host: where it is going to be served.
        token: what annotators have to know, or None.

    Raises:
        ExtraMissing: Gradio is not installed.
    """
    # Before the first import: Gradio reads some of them then, and nothing may call anywhere.
    os.environ.update(GRADIO_ANALYTICS_ENABLED="False", HF_HUB_DISABLE_TELEMETRY="1")
    try:
        import gradio as gr
        from fastapi import FastAPI
    except ImportError as error:
        raise ExtraMissing(f"the page needs gradio: pip install 'draw-dataset[annotate]' ({error})") from error

    with gr.Blocks(title="draw annotate", analytics_enabled=False, fill_width=True) as pages:
        _component(gr, annotate)
    with pages.route("Adjudicate", "/adjudicate", show_in_navbar=False):
        _component(gr, adjudicate)
    font = ("system-ui", "-apple-system", "Segoe UI", "Roboto", "Arial", "sans-serif")
    outside = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    with warnings.catch_warnings():
        # Gradio says that it does not render on the server, which it was told not to do.
        warnings.filterwarnings("ignore", message="SSR mode is not supported")
        gr.mount_gradio_app(
            outside,
            pages,
            path="/",
            theme=gr.themes.Base(font=font, font_mono=("ui-monospace", "Menlo", "Consolas", "monospace")),
            footer_links=[],
            run_history=False,
            show_error=False,
            ssr_mode=False,
            mcp_server=False,
            pwa=False,
            enable_monitoring=False,
        )
    # Where a token is asked for, another name for this machine gains nothing; a proxy may well use one.
    return Gate(outside, enrol, token, only_loopback=is_loopback(host) and token is None)


def _component(gr: Any, answered: Answer) -> None:
    def answer(message: Any, request: gr.Request) -> dict[str, str]:
        return answered(request.scope[ANNOTATOR], message)

    gr.Navbar(visible=False)
    # The annotation is what Gradio goes by, and a text is all that it is in this module.
    answer.__annotations__["request"] = gr.Request
    gr.HTML(
        _LOADING,
        elem_id="dp-page",
        # Not as Gradio's css, which it rewrites to hold only within its own container.
        head=f"<style>{figure_css()}{_file('page.css')}</style>",
        js_on_load=_file("page.js"),
        server_functions=[answer],
        apply_default_css=False,
    )


def _file(name: str) -> str:
    return files("draw_dataset.annotation.page").joinpath(name).read_text(encoding="utf-8")
