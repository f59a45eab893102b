"""The page: its functions everywhere, its fields where Gradio is installed, and in a browser where there is one."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
from dataclasses import astuple, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from browser import CHROMIUM, open_page
from interpreter import environment

from draw_dataset.huggingface.metric import metric_folder

PATH = metric_folder() / "derivation_accuracy" / "app.py"


@pytest.fixture(scope="module")
def app() -> ModuleType:
    spec = importlib.util.spec_from_file_location("derivation_accuracy_app", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def jugs(app: ModuleType, **changes: str) -> Any:
    form = app.Form(
        question="Two jugs hold 9 litres. One jug holds 2 litres more than twice the other.",
        equations="x + y = 9\nx = 2*y + 2",
        template="m + n = a; m - b*n = c",
        alignment="a = q2, b = q4, c: q3",
        equivalents="",
        solutions="",
        prediction="x + y = q2; x = q4*y + q3",
    )
    return replace(form, **changes)


def judged(app: ModuleType, **changes: str) -> str:
    told: str = app.judge(*astuple(jugs(app, **changes)))
    return told


def test_gold_of_every_example_is_right(app: ModuleType) -> None:
    forms = app.examples()
    assert len(forms) >= 25
    for form in forms.values():
        for solutions in (form.solutions, ""):
            told = app.judge(*astuple(replace(form, solutions=solutions)))
            assert "derivation: ✓ right" in told
            assert "solution: ✓ right" in told


def test_a_pasted_problem_is_judged(app: ModuleType) -> None:
    told = judged(app)
    assert told.count("✓ right") >= 2
    assert "<mark>twice<sub>q4</sub></mark>" in told
    told = judged(app, prediction="x + y = q2; x = q4*y + q1")
    assert "derivation: ✗ wrong" in told
    assert "solution: ✓ right" in told
    assert "right answer, wrong number: slot c takes &quot;Two&quot; (q1) where gold takes &quot;2&quot; (q3)" in told
    assert "derivation: ✓ right" in judged(app, equivalents="q1 q3", prediction="x + y = q2; x = q4*y + q1")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"alignment": "a = q2, b = q4"}, "expected"),
        ({"alignment": "a is q2"}, "expected a slot and a number as in a = q2"),
        ({"alignment": "a = q2, b = q4, c = q9"}, "alignment: c: expected q1 to q4, but got q9"),
        ({"equivalents": "q1 q7"}, "equivalent numbers: expected q1 to q4, but got q7"),
        ({"template": "m + "}, "expected"),
        ({"template": "m + n = a + b + c"}, "no unique solution"),
        ({"equations": ""}, "gold equations"),
        ({"solutions": "many"}, "solutions: expected numbers"),
        ({"solutions": "1/0"}, "solutions: expected numbers"),
        ({"solutions": "nan"}, "expected a finite number"),
        ({"question": ""}, "expected q1 to q0"),
        ({"question": "nine " * 1_000_000}, "at most 100000 characters"),
    ],
)
def test_what_cannot_be_judged_is_said(app: ModuleType, changes: dict[str, str], message: str) -> None:
    told = judged(app, **changes)
    assert told.startswith('<p class="draw-error" role="alert">This cannot be judged: ')
    assert message in told


@pytest.mark.parametrize("prediction", ["", "x +", "x*x = q1", "x = q9", "x = " + "9" * 1_000_000])
def test_any_prediction_gets_a_reason(app: ModuleType, prediction: str) -> None:
    told = judged(app, prediction=prediction)
    assert "derivation: ✗ wrong" in told
    assert len(told) < 10_000


def test_whatever_is_typed_is_escaped(app: ModuleType) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    form = jugs(app)
    for field in form.__slots__:
        told = app.judge(*astuple(replace(form, **{field: f"{getattr(form, field)} {evil}"})))
        assert "<script" not in told
        assert "<img" not in told
    assert "&lt;script&gt;" in app.show_numbers(evil)
    assert "role=" in app.show_numbers("nine " * 1_000_000)


def test_the_page_can_be_built(app: ModuleType) -> None:
    pytest.importorskip("gradio", reason="needs gradio: pip install 'draw-dataset[app]'")
    # In a process of its own: gradio cannot make components where Scrapy was imported, which tests of the crawl do.
    building = (
        f"import runpy, gradio; page = runpy.run_path({str(PATH)!r})['build'](); "
        "assert isinstance(page, gradio.Blocks); "
        "print(sum(isinstance(block, gradio.Textbox) for block in page.blocks.values()))"
    )
    done = subprocess.run([sys.executable, "-c", building], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(jugs(app).__slots__)


TYPE = """
(() => {
    const field = document.querySelector('#prediction textarea, #prediction input');
    const kind = field.tagName === 'TEXTAREA' ? HTMLTextAreaElement : HTMLInputElement;
    Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(field, %s);
    field.dispatchEvent(new Event('input', {bubbles: true}));
})()
"""
# Clicks once a second, as a page that is still being set up loses clicks, and says whether the verdict has a text.
JUDGE = """
(() => {
    const button = document.querySelector('button#judge, #judge button');
    if (button && !(Date.now() - window.clicked < 1000)) {
        window.clicked = Date.now();
        button.click();
    }
    const verdict = document.querySelector('#verdict');
    return Boolean(verdict) && verdict.innerText.includes(%s);
})()
"""


@pytest.mark.xdist_group("browser")
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_the_page_judges_in_a_browser(tmp_path: Path) -> None:
    pytest.importorskip("gradio", reason="needs gradio: pip install 'draw-dataset[app]'")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    variables = environment(
        tmp_path, GRADIO_SERVER_PORT=str(port), GRADIO_ANALYTICS_ENABLED="False", GRADIO_SERVER_NAME="127.0.0.1"
    )
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
        variables.pop(name, None)
    log = tmp_path / "log"
    with log.open("w") as sink:
        server = subprocess.Popen([sys.executable, str(PATH)], cwd=tmp_path, env=variables, stdout=sink, stderr=sink)
    try:
        end = time.monotonic() + 180  # a busy machine takes its time to import gradio
        while not _listens(port):
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.2)
        with open_page(tmp_path) as page:
            page.call("Page.navigate", url=f"http://127.0.0.1:{port}/")
            page.wait_for("document.querySelector('#prediction textarea, #prediction input') !== null")
            assert page.wait_for("document.querySelectorAll('mark').length") >= 2
            page.wait_for(JUDGE % "'derivation: ✓ right'")
            page.evaluate(TYPE % "'m = <b>q1</b>'")
            page.wait_for(JUDGE % "'unreadable'")
            assert page.evaluate("document.querySelectorAll('#verdict b').length") == 0
            picture = os.environ.get("DRAW_SCREENSHOT")
            if picture:
                import base64

                shot = page.call("Page.captureScreenshot", format="png")
                Path(picture).write_bytes(base64.b64decode(shot["data"]))
    finally:
        server.terminate()
        server.wait(timeout=60)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
