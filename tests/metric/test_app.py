"""The page: its functions everywhere, its fields where Gradio is installed, and in a browser where there is one."""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from interpreter import environment
from metric.browser import CHROMIUM, open_page
from ports import free_port

from draw_dataset.data.registration import metric_folder

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
    assert "<mark>twice<sub>q4</sub></mark>" in app.show_numbers(jugs(app).question)
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
    assert told.startswith('<p class="draw-error" role="alert">This cannot be graded: ')
    assert message in told


@pytest.mark.parametrize("prediction", ["", "x +", "x*x = q1", "x = q9", "x = " + "9" * 1_000_000])
def test_any_prediction_gets_a_reason(app: ModuleType, prediction: str) -> None:
    told = judged(app, prediction=prediction)
    assert "derivation: ? undecided" in told
    assert len(told) < 25_000  # a figure for wide windows, one for narrow ones, and their style


def test_whatever_is_typed_is_escaped(app: ModuleType) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    form = jugs(app)
    for field in form.__slots__:
        told = app.judge(*astuple(replace(form, **{field: f"{getattr(form, field)} {evil}"})))
        assert "<script" not in told
        assert "<img" not in told
    assert "&lt;script&gt;" in app.show_numbers(evil)
    assert "role=" in app.show_numbers("nine " * 1_000_000)


def answered(app: ModuleType, id_: int, answer: str, row: str = "") -> str:
    chosen = next(name for name in app.problems() if name.startswith(f"{id_}:"))
    told: str = app.judge_answer(chosen, row, answer)
    return told


def test_an_answer_is_marked_and_judged(app: ModuleType) -> None:
    told = answered(app, 95, "60 + 25m = 15 + 34m, so 45 = 9m and m = 6")
    assert "derivation: ✓ right" in told
    assert "in every reading: ✓ yes" in told
    assert "solution: ✗ wrong" in told
    assert "<strong>slip</strong>: the set-up is gold&#x27;s, then a slip: &#x27;m = 6&#x27; should give 5" in told
    assert '<mark class="dd-mark dd-set-up"><span class="dd-tag">set-up</span>60 + 25m = 15 + 34m</mark>' in told
    assert "<dt>set-up</dt><dd>q1 + q2*m = q3 + q4*m</dd>" in told
    assert "Read: the same derivation, then a slip" in told
    assert "in every reading: ✗ no" in answered(app, 101, "3r + 2p = 7, 2r + 4p = 8, r = 1.5, p = 1.25")


def test_an_answer_to_a_row_of_ones_own_is_judged(app: ModuleType) -> None:
    row = json.dumps(jugs(app).row())
    told = answered(app, 95, "x + y = 9 and x = 2y + 2, so 3y = 7 and y = 7/3, x = 20/3", row)
    assert "derivation: ✓ right" in told
    for bad, message in (("{", "row"), ("[]", "expected a row"), ('{"question": "x"}', "is missing"), ("7", "row")):
        told = answered(app, 95, "x = 5", bad)
        assert told.startswith('<p class="draw-error" role="alert">This cannot be graded: ')
        assert message in told
    assert "expected one of the sample" in app.judge_answer("nothing", "", "x = 5")


@pytest.mark.parametrize(
    "answer", ["", "<script>alert(1)</script> x = 5", "x = " + "9" * 100_000, "x + y = 3\n" * 9_000]
)
def test_any_answer_gets_a_reason_and_a_short_page(app: ModuleType, answer: str) -> None:
    told = answered(app, 95, answer)
    assert "derivation: ? undecided" in told
    assert "<script" not in told
    assert len(told) < 60_000


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
    assert int(done.stdout) == len(jugs(app).__slots__) + 4  # answer, question, solution and row on the second tab


TYPE = """
(() => {
    const field = document.querySelector('#%s textarea, #%s input');
    const kind = field.tagName === 'TEXTAREA' ? HTMLTextAreaElement : HTMLInputElement;
    Object.getOwnPropertyDescriptor(kind.prototype, 'value').set.call(field, %s);
    field.dispatchEvent(new Event('input', {bubbles: true}));
})()
"""
# Clicks once a second, as a page that is still being set up loses clicks, and says whether what is told has a text.
CLICK = """
(() => {
    const button = document.querySelector('button#%s, #%s button');
    if (button && !(Date.now() - window.clicked < 1000)) {
        window.clicked = Date.now();
        button.click();
    }
    const told = document.querySelector('#%s');
    return Boolean(told) && told.innerText.includes(%s);
})()
"""
PRESS = """
(() => {
    const button = [...document.querySelectorAll('button')].find((one) => one.innerText.trim() === %s);
    if (button && !(Date.now() - window.clicked < 1000)) {
        window.clicked = Date.now();
        button.click();
    }
    return document.querySelector('#%s').innerText.includes(%s);
})()
"""
BOX = "(({left, right}) => ({left, right}))(document.querySelector('#%s').getBoundingClientRect())"
HIDDEN = (
    "[...document.querySelectorAll('label')].filter((one) => one.innerText.trim().startsWith('%s'))"
    ".map((one) => !one.getBoundingClientRect().width)"
)
# What of a figure is seen: where it ends, and the colours of the boxes of its numbers.
FIGURES = """
[...document.querySelectorAll('#%s svg.dd-figure')].filter((svg) => svg.getBoundingClientRect().width).map((svg) => [
    svg.getBoundingClientRect().right,
    [...svg.querySelectorAll('.dd-used .dd-box')].map((box) => getComputedStyle(box).stroke),
])
"""


def typed(page: Any, field: str, text: str) -> None:
    page.evaluate(TYPE % (field, field, json.dumps(text)))


def clicked(page: Any, button: str, told: str, text: str) -> None:
    page.wait_for(CLICK % (button, button, told, json.dumps(text)))


def pressed(page: Any, example: str, told: str, text: str) -> None:
    page.wait_for(PRESS % (json.dumps(example), told, json.dumps(text)))


def check_figure(page: Any, told: str, width: int) -> None:
    """One figure is seen, in colours, within the window; and nothing makes the window scroll sideways."""
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    page.wait_for(f"innerWidth === {width}")
    figures = page.evaluate(FIGURES % told)
    assert len(figures) == 1
    right, colours = figures[0]
    assert right <= width
    assert len(set(colours)) == len(colours) > 1
    assert page.evaluate("document.documentElement.scrollWidth") <= width


UNDER_ARROW = """[...document.querySelectorAll('.draw-choice')].map(choice => {
    const input = choice.querySelector('input'), look = getComputedStyle(input);
    const end = input.getBoundingClientRect().right - parseFloat(look.paddingRight);
    return [look.textOverflow, end - choice.querySelector('svg').getBoundingClientRect().left];
}).filter(([how, over]) => how !== 'ellipsis' || over > 0)"""


def variables(folder: Path, **more: str) -> dict[str, str]:
    found = environment(folder, GRADIO_ANALYTICS_ENABLED="False", GRADIO_SERVER_NAME="127.0.0.1", **more)
    return {name: value for name, value in found.items() if not name.lower().endswith("_proxy")}


@contextmanager
def served(folder: Path) -> Iterator[int]:
    """Serve the page in a process of its own; yield its port."""
    port = free_port()
    log = folder / "log"
    with log.open("w") as sink:
        server = subprocess.Popen(
            [sys.executable, "-m", "draw_dataset.cli", "app", "--port", str(port)],
            cwd=folder,
            env=variables(folder),
            stdout=sink,
            stderr=sink,
        )
    try:
        end = time.monotonic() + 180  # a busy machine takes its time to import gradio
        while not _listens(port):
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.2)
        yield port
    finally:
        server.terminate()
        server.wait(timeout=60)


def test_gold_of_ones_own_is_a_question_and_its_solution(app: ModuleType) -> None:
    name, question = next(iter(app.problems())), "Eggs cost $2 . Bo buys 3 eggs and pays with $10 . What is left ?"
    right = app.judge_answer(name, "", "3*2 = 6, 10 - 6 = 4", question, "10 - 3*2")
    assert "derivation: ✓ right" in right
    assert "Eggs" in right
    wrong = app.judge_answer(name, "", "10 - 3 = 7", question, "10 - 3*2")
    assert "derivation: ✗ wrong" in wrong
    number = app.judge_answer(name, "", "3*2 = 6, 10 - 6 = 4", question, "4")
    assert "derivation: ? undecided" in number
    assert "solution: ✓ right" in number
    assert "expected a solution as well" in app.judge_answer(name, "", "4", question, " ")
    assert "expected a question as well" in app.judge_answer(name, "", "4", "", "4")
    assert "expected equations with one solution" in app.judge_answer(name, "", "4", question, "a + b = 4")


@pytest.mark.xdist_group("browser")
@pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
def test_the_page_judges_in_a_browser(tmp_path: Path) -> None:
    pytest.importorskip("gradio", reason="needs gradio: pip install 'draw-dataset[app]'")
    with served(tmp_path) as port, open_page(tmp_path) as page:
        page.call("Page.navigate", url=f"http://127.0.0.1:{port}/")
        page.wait_for("document.querySelector('#prediction textarea, #prediction input') !== null")
        assert page.wait_for("document.querySelectorAll('mark').length") >= 2
        # An example is there already, with its verdict; another one is a click away.
        page.wait_for("document.querySelector('#verdict').innerText.includes('right answer, wrong number')")
        pressed(page, "Written differently", "verdict", "derivation: ✓ right")
        clicked(page, "judge", "verdict", "derivation: ✓ right")
        tops = page.evaluate(f"[{', '.join(BOX % name for name in ('prediction', 'verdict'))}]")
        assert tops[1]["left"] > tops[0]["right"]
        assert False not in page.evaluate(HIDDEN % "Template")  # gold is folded away
        check_figure(page, "verdict", 360)
        assert page.evaluate("document.querySelectorAll('.draw-choice svg').length") > 0
        assert page.evaluate(UNDER_ARROW) == []
        check_figure(page, "verdict", 1000)
        typed(page, "prediction", "m = <b>q1</b>")
        clicked(page, "judge", "verdict", "unreadable")
        assert page.evaluate("document.querySelectorAll('#verdict b').length") == 0
        page.evaluate("[...document.querySelectorAll('button[role=tab]')].at(-1).click()")
        page.wait_for("document.querySelector('#answer textarea') !== null")
        page.wait_for("document.querySelector('#reading').innerText.includes('slip')")
        pressed(page, "All right", "reading", "derivation: ✓ right")
        typed(page, "answer", "3x - 2(x + 2) = 20, x - 4 = 20, x = 60 <i>kg</i>")
        clicked(page, "read", "reading", "slip")
        assert page.evaluate("document.querySelector('#reading .dd-slip').innerText").startswith("slip")
        assert page.evaluate("document.querySelectorAll('#reading i').length") == 0
        page.evaluate(
            "[...document.querySelectorAll('button')].find(b => b.innerText.includes('Gold of your own')).click()"
        )
        page.wait_for("document.querySelector('#own-question textarea') !== null")
        typed(page, "own-question", "Eggs cost $2 . Bo buys 3 eggs and pays with $10 . What does he get back ?")
        typed(page, "own-solution", "10 - 3*2")
        typed(page, "answer", "He gets 10 - 6 = 4, because 3*2 = 6.")
        clicked(page, "read", "reading", "derivation: ✓ right")
        check_figure(page, "reading", 1000)
        check_figure(page, "reading", 360)
        picture = os.environ.get("DRAW_SCREENSHOT")
        if picture:
            import base64

            shot = page.call("Page.captureScreenshot", format="png")
            Path(picture).write_bytes(base64.b64decode(shot["data"]))


CALLS = """
import json, sys
from gradio_client import Client
client = Client(sys.argv[1], verbose=False)
row = client.predict(problem_id=102, api_name="/sample_row")
told = {
    "endpoints": {name: [(p["parameter_name"], p["python_type"]["type"]) for p in info["parameters"]]
                  for name, info in client.view_api(return_format="dict")["named_endpoints"].items()},
    "numbers": client.predict(text="Two <b> cost 5 .", api_name="/find_numbers"),
    "derivation": client.predict(row=row, prediction="q4*x - q3*y = q5; y - x = q1", api_name="/grade_derivation"),
    "answer": client.predict(row=row, answer="3x - 2(x + 2) = 20, so x = 22.", api_name="/grade_answer"),
}
try:
    client.predict(problem_id=7, api_name="/sample_row")
except Exception as error:
    told["refused"] = str(error)
print(json.dumps(told))
"""


def test_programs_call_the_endpoints_by_name(tmp_path: Path) -> None:
    pytest.importorskip("gradio_client", reason="needs gradio: pip install 'draw-dataset[app]'")
    pytest.importorskip("gradio", reason="needs gradio: pip install 'draw-dataset[app]'")
    with served(tmp_path) as port:
        command = [sys.executable, "-c", CALLS, f"http://127.0.0.1:{port}/"]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=300, cwd=tmp_path, env=variables(tmp_path), check=False
        )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["endpoints"] == {
        "/sample_row": [["problem_id", "int"]],
        "/find_numbers": [["text", "str"]],
        "/grade_derivation": [["row", "dict(str, Any)"], ["prediction", "str"]],
        "/grade_answer": [["row", "dict(str, Any)"], ["answer", "str"]],
    }
    assert [(n["index"], n["text"], n["value"]) for n in told["numbers"]] == [(1, "Two", 2.0), (2, "5", 5.0)]
    verdict = told["derivation"]
    assert (verdict["derivation"], verdict["solution"]) == (False, True)
    assert "(q1) where gold takes" in verdict["message"]
    assert told["answer"]["reason"] == "slip"
    assert "problem_id: expected one of" in told["refused"]


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
