"""HTML page about systems on the same variants: their figures, and the viewer of all problems with their variants.

The viewer shows the text of the original and of each variant with the changes marked, the answers of each system, and
the derivations that explain them, drawn next to gold. Problems can be filtered by kind of variant, verdict and system.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from draw_dataset.algebra.number import short_number
from draw_dataset.derivation.problem import Problem, ProblemId, asked_values, name_of
from draw_dataset.errors import DrawError
from draw_dataset.io.atomic import write_atomically
from draw_dataset.report.entries import (
    CHUNK,
    beginning,
    compact_json,
    compressed_chunks,
    filled,
    problem_details,
    side_details,
)
from draw_dataset.report.page import (
    ICONS,
    bar_row,
    html_table,
    page_section,
    select_field,
    unique_names,
    viewer_document,
    viewer_section,
)
from draw_dataset.report.picture import KINDS, picture_of, printable, printable_lines, raw_text, safe_html
from draw_dataset.scoring.gold import PreparedProblem
from draw_dataset.scoring.grading import grade_derivation
from draw_dataset.scoring.verdict import Status
from draw_dataset.variants.explaining import ErrorKind, given_answer
from draw_dataset.variants.making import Variant
from draw_dataset.variants.probing import (
    ANYWAY,
    ORIGINAL,
    UNEXPLAINED,
    Case,
    ItemVerdict,
    ProblemProbe,
    samples_of,
)
from draw_dataset.variants.report import ProbeTable

_STATUSES = ("right", "wrong", "undecided", "unjudged")
_ICONS = {**{str(status): icon for status, icon in ICONS.items()}, "unjudged": "–"}

_NONE, _SLIPS = "none", "slips"

REASON_TEXTS = {
    _NONE: "",
    _SLIPS: "gold explains the answers but for a few",
    str(ErrorKind.MEMORISED): "the original's answer, given again",
    str(ErrorKind.NUMBER): "a wrong number of the text",
    str(ErrorKind.TWICE): "a number used twice",
    str(ErrorKind.DISTRACTOR): "a number that gold does not use",
    str(ErrorKind.OPERATION): "an operation exchanged, or its operands",
    str(ErrorKind.LEFT_OUT): "a step left out",
    str(ErrorKind.ONE_OFF): "one more or one less than gold",
    str(ErrorKind.OTHER): "another derivation",
    UNEXPLAINED: "no derivation explains the wrong answers",
    ANYWAY: "a number for a question that cannot be decided",
}
_REASONS = list(REASON_TEXTS)

VIEWS = {
    "Right on the original, wrong derivation": {"verdict": "wrong", "kind": ORIGINAL, "solution": "right"},
    "Right derivation, a wrong answer": {"verdict": "right", "solution": "wrong"},
    "Systems differ": {"differ": "1"},
}
"""Links to views that other metrics do not have."""

_MAX_TEXT = 1_500  # characters of an answer
Answers = Mapping[str, Mapping[ProblemId, Any]]
"""The answers of each system by the ids of their rows."""


def write_probe_page(
    path: str | os.PathLike[str],
    table: ProbeTable,
    cases: Sequence[Case],
    title: str = "Derivation from answers",
    answers: Answers | None = None,
) -> None:
    """Write the page about systems on these problems: whole, or not at all.

    Args:
        path: the file.
        table: the systems.
        cases: the problems with their variants.
        title: the title of the page.
        answers: the answers of each system, to show those that are texts.
    """
    write_atomically(path, probe_page(table, cases, title, answers))


def probe_page(
    table: ProbeTable, cases: Sequence[Case], title: str = "Derivation from answers", answers: Answers | None = None
) -> str:
    """Return the page as text; see `write_probe_page`."""
    names = [system.name for system in table.systems]
    shown = unique_names([printable(name) for name in names])
    probed = {system.name: {one.id: one for one in system.probe.problems} for system in table.systems}
    kinds = [*dict.fromkeys(item.kind for of in probed.values() for one in of.values() for item in one.items)]
    rows: list[list[Any]] = []
    details: list[str] = []
    for case in cases:
        found = [probed[name].get(case.id) for name in names]
        if not any(found):
            continue
        reference = None if case.variable is None else PreparedProblem(case.variable.problem)
        parts = [
            "null" if one is None else compact_json(_entry(one, case, reference, (answers or {}).get(name, {})))
            for name, one in zip(names, found, strict=True)
        ]
        details.append(f"[{','.join([compact_json(_problem(case)), *parts])}]")
        text = case.variants[0].problem.question if case.problem is None else case.problem.question
        listed = [None if one is None else _listed(one, kinds) for one in found]
        rows.append([printable(name_of(case.id)), beginning(text), *listed])
    present = {entry[1] for row in rows for entry in row[2:] if entry is not None}
    index = {
        "title": printable(title),
        "systems": shown,
        "statuses": [[status, _ICONS[status]] for status in _STATUSES],
        "reasons": [list(one) for one in REASON_TEXTS.items()],
        "steps": [],
        "marks": KINDS,
        "chunk": CHUNK,
        "rows": rows,
        "samples": [],
        "kinds": kinds,
    }
    reasons = [reason for place, reason in enumerate(_REASONS) if place and place in present]
    fields = (
        f"{select_field('system', 'System', shown, 'any')}"
        f"{select_field('kind', 'Kind of variant', kinds)}"
        f"{select_field('verdict', 'Derivation', _STATUSES)}"
        f"{select_field('reason', 'Error', reasons)}"
        f"{select_field('solution', 'Answers', ('right', 'wrong'))}"
        f"{select_field('sort', 'Sort by', ('verdict', 'reason', 'answers', 'difference'), 'id')}"
    )
    main = f"{_figures(table)}{_errors(table, shown)}{viewer_section(index, compressed_chunks(details), fields, VIEWS)}"
    return viewer_document(title, header=_summary(table), main=main + _signatures(table))


def _summary(table: ProbeTable) -> str:
    count = max(len(system.probe.problems) for system in table.systems)
    variants = max(system.probe.signature.variants for system in table.systems)
    several = "s" * (len(table.systems) > 1)
    return (
        f"<p>{len(table.systems)} system{several}, {count} problems with {variants} variants. Which derivation do the "
        'answers come from, and do they stay right where the text changes? <a href="#answers">All answers</a></p>'
    )


def _figures(table: ProbeTable) -> str:
    columns = ["in %", *(safe_html(system.name) for system in table.systems)]
    rows = [(" " * label.startswith(" ") + safe_html(label), [*map(safe_html, cells)]) for label, cells in table.rows()]
    notes = f'<p class="note">{safe_html(" ".join(table.notes()))}</p>'
    return page_section("figures", "Figures", html_table(columns, rows) + notes)


def _signatures(table: ProbeTable) -> str:
    inside = "".join(f"<p><code>{safe_html(text)}</code></p>" for text in table.signatures())
    return page_section(
        "conditions", "Signatures", f"<p>Only figures with equal signatures can be compared.</p>{inside}"
    )


def _errors(table: ProbeTable, shown: Sequence[str]) -> str:
    """Return how many problems of each system have each kind of error, and an example of it; nothing if none has."""
    found = [{error.kind: error for error in system.probe.errors()} for system in table.systems]
    totals = Counter({kind: sum(one[kind].problems for one in found if kind in one) for one in found for kind in one})
    if not totals:
        return ""
    most = max(len(system.probe.problems) for system in table.systems)
    rows = []
    for kind, _ in totals.most_common():
        counts = [one[kind].problems if kind in one else 0 for one in found]
        example = next(one[kind] for one in found if kind in one)
        told = f"{REASON_TEXTS.get(kind, '')}. Problem {name_of(example.example)}: {example.sentence}"
        rows.append(bar_row(kind, told, counts, most, shown, reason=kind))
    return page_section(
        "error-kinds", "Errors", html_table(["in how many problems", *map(safe_html, shown)], rows), fold=True
    )


def _reason(one: ProblemProbe) -> str:
    if one.explanations:
        return one.explanations[0].kind
    if str(one.verdict) == Status.WRONG:
        return UNEXPLAINED
    if any(item.answered_anyway for item in one.items):
        return ANYWAY
    return _SLIPS if str(one.verdict) == Status.RIGHT and one.slips else _NONE


def _listed(one: ProblemProbe, kinds: Sequence[str]) -> list[Any]:
    """Return the entry of the list: status, reason, all right, answers, no step, right answers, and those by kind."""
    tallies = []
    for kind in kinds:
        rights = [item.right for item in one.items if item.kind == kind]
        tallies.append([sum(rights), len(rights)] if rights else None)
    status = "unjudged" if one.verdict is None else str(one.verdict)
    right = sum(item.right for item in one.items)
    place = _STATUSES.index(status)
    return [place, _REASONS.index(_reason(one)), int(one.all_right), len(one.items), -1, 0, right, tallies]


def _problem(case: Case) -> dict[str, Any]:
    """Return the details of a problem: what is known of its original, and every text."""
    details: dict[str, Any] = {}
    original = case.problem
    if original is not None and not original.is_refused:
        reference = PreparedProblem(original)
        details = problem_details(reference, picture_of(reference))
    texts = [] if original is None else [_text(original, ORIGINAL, [printable_lines(original.question)], "")]
    texts += [
        _text(variant.problem, variant.kind, changed_pieces(variant), _about(case, variant))
        for variant in case.variants
    ]
    return {**details, "variants": texts}


def _text(problem: Problem, kind: str, pieces: Sequence[Any], about: str) -> dict[str, Any]:
    return filled(
        {
            "id": printable(name_of(problem.id)),
            "kind": printable(kind),
            "text": list(pieces),
            "solution": "cannot be decided" if problem.is_refused else _gold_text(problem),
            "about": about,
        }
    )


def _gold_text(problem: Problem) -> str:
    values = asked_values(problem) if problem.asked else problem.solutions
    return ", ".join(map(short_number, values))


def _about(case: Case, variant: Variant) -> str:
    return printable(", ".join(f"{measure} {value}" for measure, value in case.difficulty.get(variant.problem.id, ())))


def changed_pieces(variant: Variant) -> list[Any]:
    """Return the text of a variant: strings, and for each change its text in the original and in the variant."""
    text, pieces = variant.problem.question, []
    at = shift = 0
    for change in sorted(variant.changes, key=lambda change: change["start"]):
        start = change["start"] + shift
        if start < at or not text.startswith(change["after"], start):
            return [printable_lines(text)]  # the changes are not those of this text
        pieces += [
            printable_lines(text[at:start]),
            [printable_lines(change["before"]), printable_lines(change["after"])],
        ]
        at = start + len(change["after"])
        shift += len(change["after"]) - len(change["before"])
    return [piece for piece in [*pieces, printable_lines(text[at:])] if piece]


def _entry(
    one: ProblemProbe, case: Case, reference: PreparedProblem | None, answers: Mapping[ProblemId, Any]
) -> dict[str, Any]:
    """Return the details of the answers of a system to a problem and its variants."""
    by_row: dict[ProblemId, list[ItemVerdict]] = {}
    for item in one.items:
        by_row.setdefault(item.id, []).append(item)
    ids = [*([] if case.problem is None else [case.id]), *(variant.problem.id for variant in case.variants)]
    rows = [[_answer(item, answers) for item in by_row[id_]] if id_ in by_row else None for id_ in ids]
    first = one.explanations[0] if one.explanations else None
    return {
        "rows": rows,
        **filled(
            {
                "message": printable(first.sentence) if first is not None else REASON_TEXTS[_reason(one)],
                "explanations": [
                    [printable(told.sentence), printable(told.derivation), told.explained, one.evidence]
                    for told in one.explanations
                ],
                "others": one.others,
                "slips": [printable(name_of(id_)) for id_ in one.slips],
                **_figure(one, reference),
            }
        ),
    }


def _answer(item: ItemVerdict, answers: Mapping[ProblemId, Any]) -> list[Any]:
    """Return an answer: its mark, its numbers, and its text if it is one."""
    mark = 3 if item.answered_anyway else 1 if item.right else 0 if item.answered else 2
    id_ = item.id if item.id in answers else str(item.id)  # a dataset has strings
    given = samples_of(answers, id_)[item.sample - 1] if id_ in answers else None
    given = given_answer(given) if isinstance(given, Mapping) else given
    numbers = item.given or ("left open" if item.undecidable and item.right else "")
    return [mark, printable(numbers), raw_text(given, _MAX_TEXT) if isinstance(given, str) else ""]


def _figure(one: ProblemProbe, reference: PreparedProblem | None) -> dict[str, Any]:
    """Return the simplest explanation, drawn next to gold; nothing if there is none that can be drawn."""
    told = one.explanations[0].derivation if one.explanations else ""
    if reference is None or not told or "trap" in told:
        return {}
    try:
        picture = picture_of(reference, (told,), grade_derivation(told, reference))
    except DrawError:
        return {}
    if picture.above is None:
        return {}
    differing = [slot.slot for slot in picture.below.slots if slot.differs]
    side = {**side_details(picture.above), "name": "explanation", "note": one.explanations[0].kind}
    return {"side": side, "goldDiffers": differing}
