"""A page that judges one prediction: a derivation in q-notation, or an answer of a language model.

The page is a thin layer: `Form` turns its texts into a row, `judge` and `judge_answer` grade and write HTML, and
`build` arranges the fields with Gradio, which only it imports. Whatever a visitor typed is escaped before it becomes
HTML. This is a page of its own because the widget that comes with `evaluate` does not run with today's Gradio.

Programs call the endpoints `/sample_row`, `/find_numbers`, `/grade_derivation` and `/grade_answer`, which take and
return plain data (see `ENDPOINTS`).

The page has each figure twice, for wide and for narrow columns, and shows the one that fits: scaled down to a phone,
the wide one could not be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, replace
from fractions import Fraction
from functools import partial, wraps
from typing import Any, get_type_hints

from draw_dataset.algebra.solution import SolutionKind
from draw_dataset.data.sample import load_sample, load_sample_answers
from draw_dataset.derivation.problem import Problem
from draw_dataset.derivation.template import Template
from draw_dataset.deriving.grading import grade as grade_by_solution
from draw_dataset.deriving.grading import own_row
from draw_dataset.errors import AlignmentError, DrawError, ReadError, RowError, short_repr
from draw_dataset.io.jsonl import decode_json
from draw_dataset.io.markup import escape
from draw_dataset.report.picture import picture_of
from draw_dataset.report.svg import answer_css, answer_html, draw_svg, legend_html
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.grading import grade
from draw_dataset.scoring.verdict import Verdict
from draw_dataset.text.numbers import FoundNumber, find_numbers

_SLOT = re.compile(r"\s*([A-Za-z]\w{0,20})\s*[:=]\s*q(\d{1,4})\s*")
_RANK = re.compile(r"q?(\d{1,4})")

_WIDE, _NARROW = 560, 310
"""The widths of figures in pixels: next to the fields, and in a narrow column or on a phone with its margins."""

_STYLE = """
.draw-verdict { overflow-wrap: anywhere }
.draw-verdict .draw-answers { display: flex; flex-wrap: wrap; gap: .4rem; margin: 0 0 .6rem }
.draw-verdict .draw-answers span { border: 1px solid currentColor; border-radius: 6px; padding: .2rem .6rem }
.draw-verdict .draw-narrow { display: none }
.draw-verdict { container-type: inline-size }
.draw-verdict summary { cursor: pointer; margin: .4rem 0 }
@container (max-width: 500px) {
  .draw-verdict .draw-narrow { display: block }
  .draw-verdict .draw-wide { display: none }
}
"""
_NUMBERS_STYLE = """
.draw-text mark, .draw-text mark sub { background: #ffe680; color: #1d2129 !important }
.draw-choice input { text-overflow: ellipsis; padding-right: 2.2rem !important }
"""
"""Gradio gives every text the colour of its theme, which on a yellow ground may be white. And it puts the arrow of a
list over the end of a long text.
"""


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of the page, in their order.

    Attributes:
        question: the problem.
        equations: the gold equations, separated by ``;`` or lines.
        template: the gold template, likewise.
        alignment: which number of the text each slot takes, as in ``a = q2, b = q4``.
        equivalents: numbers that mean the same, as in ``q1 q3; q4 q5``.
        solutions: the gold solutions; empty for those of the gold derivation.
        prediction: the derivation to be judged, in q-notation.
    """

    question: str
    equations: str
    template: str
    alignment: str
    equivalents: str
    solutions: str
    prediction: str

    @classmethod
    def of(cls, problem: Problem) -> Form:
        """Return the form of a problem; the prediction in it is gold."""
        rank = {number.place: number.index for number in problem.numbers}
        groups = (" ".join(f"q{rank[n.place]}" for n in group if n.place in rank) for group in problem.equiv_tnum)
        return cls(
            question=problem.question,
            equations="\n".join(problem.equations),
            template="\n".join(problem.template),
            alignment=", ".join(f"{a.slot} = q{rank[a.sentence, a.token]}" for a in problem.alignment),
            equivalents="; ".join(groups),
            solutions=", ".join(f"{value:g}" for value in problem.solutions),
            prediction=problem.derivation.q_notation(),
        )

    def row(self) -> dict[str, Any]:
        """Return the row that the fields describe."""
        numbers = find_numbers(self.question)
        aligned = dict(_aligned(self.alignment))
        entries = [
            {"slot": slot, **_place(_ranked(numbers, rank, f"alignment: {slot}"))} for slot, rank in aligned.items()
        ]
        groups = [
            [_place(_ranked(numbers, int(rank), "equivalent numbers")) for rank in _RANK.findall(group)]
            for group in self.equivalents.split(";")
        ]
        return {
            "question": self.question,
            "equations": _lines(self.equations),
            "solutions": self._solutions(numbers, aligned),
            "template": _lines(self.template),
            "alignment": entries,
            "equiv_tnum": [group for group in groups if group],
        }

    def _solutions(self, numbers: list[FoundNumber], aligned: Mapping[str, int]) -> list[float]:
        if self.solutions.strip():
            return [_number(text) for text in re.split(r"[,;\s]+", self.solutions.strip())]
        values = {slot: _ranked(numbers, rank, f"alignment: {slot}").value for slot, rank in aligned.items()}
        solution = Template(_lines(self.template)).solve(values)
        if solution.kind is not SolutionKind.UNIQUE:
            raise RowError("solutions: expected some, as the gold template has no unique solution, but got none")
        return [_float(value, "solutions") for value in solution.numbers]


def _lines(text: str) -> list[str]:
    return [line.strip() for line in re.split(r"[;\n]", text) if line.strip()]


def _number(text: str) -> float:
    try:
        # Only a written fraction is read as one: Fraction("1e999999999") would take forever.
        return float(Fraction(text[:80])) if "/" in text else float(text)
    except (ValueError, ZeroDivisionError, OverflowError) as error:
        raise ReadError("solutions", "numbers", short_repr(text)) from error


def _float(value: Fraction, where: str) -> float:
    try:
        return float(value)
    except OverflowError as error:
        raise RowError(f"{where}: expected numbers of at most 308 digits, but got a longer one") from error


def _aligned(text: str) -> Iterator[tuple[str, int]]:
    for part in re.split(r"[,;\n]", text):
        if not part.strip():
            continue
        match = _SLOT.fullmatch(part)
        if match is None:
            raise AlignmentError(
                f"alignment: expected a slot and a number as in a = q2, but got {short_repr(part.strip())}"
            )
        yield match[1], int(match[2])


def _ranked(numbers: list[FoundNumber], rank: int, where: str) -> FoundNumber:
    if not 1 <= rank <= len(numbers):
        raise AlignmentError(f"{where}: expected q1 to q{len(numbers)}, but got q{rank}")
    return numbers[rank - 1]


def _place(number: FoundNumber) -> dict[str, Any]:
    return {"sentence": number.sentence, "token": number.token, "value": _float(number.value, "problem")}


def judge(*fields: str) -> str:
    """Return the verdict on a form as HTML; what cannot be read is said there too."""
    form = Form(*(field or "" for field in fields))
    try:
        reference = PreparedProblem.of(form.row())
        verdict = grade(form.prediction, reference)
    except DrawError as error:
        return _refusal(error)
    return _judged(verdict, "", reference, form.prediction)


def judge_answer(chosen: str, row: str, answer: str, question: str = "", solution: str = "") -> str:
    """Return the verdict on an answer of a language model as HTML, with what was read of it marked in its text.

    The gold is that of a question with its solution, of a row, or of the chosen problem of the sample.
    """
    prediction = {"answer": answer or ""}
    try:
        if (question or "").strip() or (solution or "").strip():
            reference, verdict = _grade_by_solution(prediction, (question or "").strip(), (solution or "").strip())
            return _judged_answer(verdict, answer, reference, prediction)
        given = decode_json(row, "row") if row and row.strip() else problems().get(chosen)
        if given is None:
            raise RowError(f"problem: expected one of the sample, or a row, but got {short_repr(chosen)}")
        reference = PreparedProblem.of(given)
        verdict = grade(prediction, reference)
    except DrawError as error:
        return _refusal(error)
    return _judged_answer(verdict, answer, reference, prediction)


def _grade_by_solution(prediction: Any, question: str, solution: str) -> tuple[PreparedProblem, Verdict]:
    """Return the gold that a question and its solution give, and the verdict."""
    if not question or not solution:
        raise RowError(f"gold of your own: expected a {'solution' if question else 'question'} as well")
    verdict = grade_by_solution(prediction, question=question, solution=solution)
    found = own_row({"question": question, "solution": solution}, 1)
    if found is None:
        raise RowError("gold of your own: expected a question and its solution")
    return PreparedProblem.of(found[0]), verdict


def _judged_answer(verdict: Verdict, answer: str, reference: PreparedProblem, prediction: Any) -> str:
    legend = f"<details><summary>What the marks mean</summary>{legend_html()}</details>"
    marked = f"{answer_html(answer or '', verdict.reading)}{legend}"
    return _judged(verdict, marked, reference, prediction)


def _refusal(error: DrawError) -> str:
    return f'<p class="draw-error" role="alert">This cannot be graded: {escape(str(error))}</p>'


def _judged(verdict: Verdict, middle: str, reference: PreparedProblem, prediction: Any) -> str:
    picture = picture_of(reference, (prediction,), verdict)
    return "\n".join(
        [
            f'<div class="draw-verdict"><style>{answer_css()}{_STYLE}</style>',
            _answers(verdict, certain=verdict.reading is not None),
            f"<p><strong>{escape(verdict.reason)}</strong>: {escape(verdict.message)}</p>",
            middle,
            f'<div class="draw-wide">{draw_svg(picture, width=_WIDE)}</div>',
            f'<div class="draw-narrow">{draw_svg(picture, width=_NARROW)}</div>',
            "</div>",
        ]
    )


def _answers(verdict: Verdict, *, certain: bool) -> str:
    told = {"derivation": "? undecided" if verdict.status == "undecided" else _right(verdict.derivation)}
    # An answer of a language model has no equation accuracy, but may have several readings.
    told |= {"in every reading": "✓ yes" if verdict.certain else "✗ no"} if certain else {}
    told |= {"equation": _right(verdict.equation)} if not certain else {}
    told |= {"solution": "? undecided" if verdict.open_result else _right(verdict.solution)}
    spans = " ".join(f'<span data-answer="{name}">{name}: {text}</span>' for name, text in told.items())
    return f'<p class="draw-answers">{spans}</p>'


def _right(right: float) -> str:
    return "✓ right" if right else "✗ wrong"


def highlighted(question: str) -> str:
    """Return a text as HTML in which each number is marked with its name.

    >>> highlighted("Two <b> cost 5 .")
    '<mark>Two<sub>q1</sub></mark> &lt;b&gt; cost <mark>5<sub>q2</sub></mark> .'
    """
    pieces: list[str] = []
    at = 0
    for number in find_numbers(question):
        pieces.append(escape(question[at : number.start]))
        pieces.append(f"<mark>{escape(number.text)}<sub>q{number.index}</sub></mark>")
        at = number.end
    pieces.append(escape(question[at:]))
    return "".join(pieces)


def show_numbers(question: str) -> str:
    """Return the text with its numbers marked, or why that cannot be done, as HTML."""
    try:
        return f'<div class="draw-text"><style>{_NUMBERS_STYLE}</style>{highlighted(question or "")}</div>'
    except DrawError as error:
        return f'<p class="draw-error" role="alert">{escape(str(error))}</p>'


def examples() -> dict[str, Form]:
    """Return the problems of the sample that can be put into the form, by what they are called in the list."""
    found: dict[str, Form] = {}
    for problem in load_sample()["test"]:
        # The annotation may have a number that the text does not show; such a problem has no form.
        if [(n.sentence, n.token) for n in find_numbers(problem.question)] == [n.place for n in problem.numbers]:
            found[f"{problem.id}: {problem.question[:60]}…"] = Form.of(problem)
    return found


def problems() -> dict[str, Problem]:
    """Return the problems of the sample that answers are written for, by what they are called in the list."""
    return {f"{problem.id}: {problem.question[:60]}…": problem for problem in load_sample()["test"]}


# Endpoints for programs: gradio_client calls them by name, and Gradio shows their types.


def sample_row(problem_id: int) -> dict[str, Any]:
    """Return the row of a problem of the sample's test split."""
    for problem in load_sample()["test"]:
        if problem.id == problem_id:
            return problem.to_row()
    ids = ", ".join(str(problem.id) for problem in load_sample()["test"])
    raise RowError(f"problem_id: expected one of {ids}, but got {short_repr(problem_id)}")


def list_numbers(text: str) -> list[dict[str, Any]]:
    """Return the numbers of a text: q1, q2 and so on."""
    found = find_numbers(text)
    return [{"index": n.index, "text": n.text, "value": _float(n.value, "text"), "start": n.start} for n in found]


def grade_derivation(row: dict[str, Any], prediction: str) -> dict[str, Any]:
    """Grade a derivation in q-notation against the row of its problem."""
    return grade(prediction, PreparedProblem.of(row)).to_dict()


def grade_answer(row: dict[str, Any], answer: str) -> dict[str, Any]:
    """Grade the answer of a language model against the row of its problem."""
    return grade({"answer": answer}, PreparedProblem.of(row)).to_dict()


ENDPOINTS: Mapping[str, Callable[..., Any]] = {
    "sample_row": sample_row,
    "find_numbers": list_numbers,
    "grade_derivation": grade_derivation,
    "grade_answer": grade_answer,
}
"""The functions that programs may call, by the names of their endpoints."""

DERIVATIONS = {
    "Right answer, wrong number": (102, "q4*x - q3*y = q5; y - x = q1"),
    "Written differently": (102, "y = x + q2; q4*x = q5 + q3*y"),
    "Wrong equation": (95, "q1 + q2*x = q4*x"),
}
"""Predictions to click: each with the problem of the sample that it is for."""

ANSWERS = {
    "A slip after the set-up": (101, "hasty"),
    "Right answer, wrong derivation": (100, "hasty"),
    "All right": (102, "careful"),
}
"""Answers to click: each with its problem and the bundled answers that it is from."""

_INTRODUCTION = """# Derivation accuracy
Does a derivation read the problem as it was meant? The verdict stands beside the input; click an example to begin.
"""


def build() -> Any:
    """Return the page."""
    import gradio as gr
    from gradio.events import api

    with gr.Blocks(title="Derivation accuracy") as page:
        gr.Markdown(_INTRODUCTION)
        with gr.Tab("A derivation"):
            _derivation_tab(gr)
        with gr.Tab("An answer", elem_id="answer-tab"):
            _answer_tab(gr)
        for name, function in ENDPOINTS.items():
            api(_refusing(gr, function), api_name=name)
    return page


def _refusing(gr: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return an endpoint whose refusals reach the program that called it."""

    @wraps(function)
    def endpoint(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except DrawError as error:
            raise gr.Error(str(error), print_exception=False) from None

    # Gradio looks at the annotations, which are only strings in this module.
    endpoint.__annotations__ = get_type_hints(function)
    return endpoint


def _buttons(gr: Any, names: Iterable[str]) -> list[Any]:
    with gr.Row():
        return [gr.Button(name, size="sm", min_width=120) for name in names]


def _derivation_tab(gr: Any) -> None:
    forms = examples()
    names = {int(name.partition(":")[0]): name for name in forms}
    clicks = {label: (names[id_], prediction) for label, (id_, prediction) in DERIVATIONS.items()}
    name, prediction_of = next(iter(clicks.values()))
    first = replace(forms[name], prediction=prediction_of)
    buttons = _buttons(gr, clicks)
    with gr.Row(equal_height=False):
        with gr.Column(min_width=_NARROW):
            chosen = gr.Dropdown(list(forms), label="Problem of the sample", value=name, elem_classes="draw-choice")
            question = gr.Textbox(first.question, label="Problem", lines=3)
            numbers = gr.HTML(show_numbers(first.question))
            prediction = gr.Textbox(
                first.prediction,
                label="Prediction",
                info="q1, q2 … are the numbers of the text; every other name is an unknown",
                elem_id="prediction",
            )
            button = gr.Button("Grade", variant="primary", elem_id="judge")
            with gr.Accordion("Gold", open=False):
                equations = gr.Textbox(first.equations, label="Equations", lines=2)
                template = gr.Textbox(first.template, label="Template", lines=2)
                alignment = gr.Textbox(first.alignment, label="Alignment")
                equivalents = gr.Textbox(first.equivalents, label="Equivalent numbers", placeholder="q1 q3; q4 q5")
                solutions = gr.Textbox(first.solutions, label="Solutions", placeholder="those of gold")
        with gr.Column(min_width=_NARROW):
            result = gr.HTML(judge(*astuple(first)), elem_id="verdict")
    fields = [question, equations, template, alignment, equivalents, solutions, prediction]

    def fill(problem: str, predicted: str | None = None) -> tuple[Any, ...]:
        """Return the fields of a problem of the sample, its numbers and the verdict."""
        form = forms[problem] if predicted is None else replace(forms[problem], prediction=predicted)
        return (*astuple(form), show_numbers(form.question), judge(*astuple(form)))

    private = {"api_visibility": "private"}
    filled = [*fields, numbers, result]
    chosen.input(fill, chosen, filled, **private)
    for one, (problem, predicted) in zip(buttons, clicks.values(), strict=True):
        one.click(partial(_with_choice, fill, problem, predicted), None, [chosen, *filled], **private)
    question.input(show_numbers, question, numbers, **private)
    gr.on([button.click, prediction.submit], judge, fields, result, **private)


def _with_choice(fill: Callable[..., tuple[Any, ...]], problem: str, given: str) -> tuple[Any, ...]:
    return (problem, *fill(problem, given))


def _answer_tab(gr: Any) -> None:
    listed = problems()
    names = {int(name.partition(":")[0]): name for name in listed}
    written: Mapping[str, Mapping[Any, str]] = {kind: load_sample_answers(kind) for kind in ("hasty", "careful")}
    clicks = {label: (names[id_], written[kind][id_]) for label, (id_, kind) in ANSWERS.items()}
    name, text = next(iter(clicks.values()))
    buttons = _buttons(gr, clicks)
    with gr.Row(equal_height=False):
        with gr.Column(min_width=_NARROW):
            chosen = gr.Dropdown(
                list(listed), label="Problem of the sample", value=name, elem_id="answered", elem_classes="draw-choice"
            )
            numbers = gr.HTML(show_numbers(listed[name].question))
            answer = gr.Textbox(text, label="Answer of a language model", lines=6, elem_id="answer")
            button = gr.Button("Read", variant="primary", elem_id="read")
            with gr.Accordion("Gold of your own", open=False):
                question = gr.Textbox(
                    "", label="Question", lines=2, elem_id="own-question", info="replaces the problem above"
                )
                solution = gr.Textbox(
                    "",
                    label="Solution",
                    elem_id="own-solution",
                    info="worked, as equations, or the final number",
                    placeholder="x + y = 30; x - y = 4",
                )
                row = gr.Textbox(
                    "",
                    label="Or a row, as JSON",
                    placeholder='{"question": …, "template": …}',
                )
        with gr.Column(min_width=_NARROW):
            result = gr.HTML(judge_answer(name, "", text), elem_id="reading")

    def fill(problem: str, given: str | None = None) -> tuple[str, ...]:
        """Return the numbers of a problem of the sample, an answer to it and the verdict, without an own row."""
        answered = written["hasty"][listed[problem].id] if given is None else given
        return show_numbers(listed[problem].question), answered, "", "", "", judge_answer(problem, "", answered)

    private = {"api_visibility": "private"}
    filled = [numbers, answer, row, question, solution, result]
    chosen.input(fill, chosen, filled, **private)
    for one, (problem, given) in zip(buttons, clicks.values(), strict=True):
        one.click(partial(_with_choice, fill, problem, given), None, [chosen, *filled], **private)
    gr.on([button.click, solution.submit], judge_answer, [chosen, row, answer, question, solution], result, **private)


if __name__ == "__main__":
    build().launch()
