"""Reading a prediction: untrusted data becomes a template with a number in each slot, or a reason why not.

A prediction is a mapping with ``template`` and ``alignment``, a string in q-notation, or None. A mapping may have
``derivation``, a string in q-notation, instead, and may also have ``solutions``. A mapping with ``answer`` is the text
of a language model. A mapping with ``solutions`` alone is graded on them; it has no derivation. Other keys are ignored.

None, an empty string, an empty template and an answer that is None abstain. Nothing is converted: 1.5 and "2" are not
tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from draw_dataset.core.alignment import Place
from draw_dataset.core.derivation import Derivation, read_places
from draw_dataset.core.exact import exact
from draw_dataset.core.template import Template
from draw_dataset.errors import AlignmentError, DrawError, LimitError, NotLinearError, ReadError, shown
from draw_dataset.scoring.hints import list_number, meant_rank
from draw_dataset.scoring.reference import Reference
from draw_dataset.scoring.verdict import Reason

MAX_SOLUTIONS = 100
"""How many numbers a prediction may give as its solutions."""


class Prediction(NamedTuple):
    """A prediction that could be read.

    Attributes:
        template: the template.
        places: the place of the number in each of its slots.
        solutions: the solutions that it gives itself, if any.
    """

    template: Template
    places: tuple[Place, ...]
    solutions: tuple[Fraction, ...] | None


@dataclass(frozen=True, slots=True)
class Refused:
    """A prediction that could not be read, that abstains, or that gives solutions alone."""

    reason: Reason
    message: str
    solutions: tuple[Fraction, ...] | None = None


def answer_of(given: Any) -> str | None:
    """Return the text of a language model, if a prediction is one; else None."""
    if type(given) is not dict and not isinstance(given, Mapping):
        return None
    answer = given.get("answer")
    if not isinstance(answer, str) or "template" in given or "derivation" in given:
        return None
    return answer


def read_prediction(given: Any, reference: Reference) -> Prediction | Refused:
    """Return the prediction, or the reason why it could not be read."""
    try:
        return _read(given, reference)
    except NotLinearError as error:
        return Refused(Reason.NOT_LINEAR, _with_hint(error, given))
    except LimitError as error:
        return Refused(Reason.TOO_LARGE, str(error))
    except AlignmentError as error:
        return Refused(Reason.BAD_ALIGNMENT, str(error))
    except DrawError as error:
        return Refused(Reason.UNREADABLE, _with_hint(error, given))


def _with_hint(error: DrawError, given: Any) -> str:
    """Return what is wrong, and which number of the text was meant where q-notation is written in another way."""
    text = q_notation_of(given)
    hint = list_number(text) or meant_rank(text)
    return f"{error}; {hint}" if hint else str(error)


def q_notation_of(given: Any) -> str:
    """Return the q-notation of a prediction; empty if it is something else."""
    text = given.get("derivation") if isinstance(given, Mapping) and "template" not in given else given
    return text if isinstance(text, str) else ""


def _read(given: Any, reference: Reference) -> Prediction | Refused:
    if given is None:
        return Refused(Reason.ABSTAINED, "no prediction")
    if isinstance(given, str):
        return _read_q_notation(given, None, reference)
    # A dict first: asking for an abstract type takes ten times as long.
    if type(given) is not dict and not isinstance(given, Mapping):
        raise ReadError("prediction", "a mapping, a string in q-notation or None", shown(given))
    solutions = _read_solutions(given["solutions"]) if given.get("solutions") is not None else None
    if "template" not in given:
        if isinstance(given.get("derivation"), str):
            return _read_q_notation(given["derivation"], solutions, reference)
        if solutions is not None:
            return Refused(Reason.NO_DERIVATION, "only solutions, without how they were found", solutions)
        if "answer" in given and "derivation" not in given:
            if given["answer"] is None:
                return Refused(Reason.ABSTAINED, "no answer")
            raise ReadError("answer", "a string", shown(given["answer"]))
        keys = f"the keys {shown(list(given))}"
        raise ReadError("prediction", "a template and an alignment, or a derivation", keys)
    template_given = given["template"]
    if template_given is None or (isinstance(template_given, (str, list, tuple)) and len(template_given) == 0):
        return Refused(Reason.ABSTAINED, "an empty template")
    template = Template.of(template_given)
    places = read_places(template, given.get("alignment", []))
    for at, place in enumerate(places):
        if place not in reference.by_place:
            slot = template.slots[at]
            raise AlignmentError(
                f"alignment: expected a number of the text for slot {slot!r}, but there is none at "
                f"sentence {shown(place[0])}, token {shown(place[1])}"
            )
    return Prediction(template, places, solutions)


def _read_q_notation(text: str, solutions: tuple[Fraction, ...] | None, reference: Reference) -> Prediction | Refused:
    if not text.strip():
        return Refused(Reason.ABSTAINED, "an empty string")
    numbers = reference.problem.numbers
    read = Derivation.read(text)
    places: list[Place] = []
    for _, rank in read.places:
        if rank > len(numbers):
            raise AlignmentError(f"q-notation: expected q1 to q{len(numbers)}, but got q{rank}")
        places.append(numbers[rank - 1].place)
    return Prediction(read.template, tuple(places), solutions)


def _read_solutions(given: Any) -> tuple[Fraction, ...]:
    if not isinstance(given, (list, tuple)):
        raise ReadError("solutions", "a list of numbers", shown(given))
    if len(given) > MAX_SOLUTIONS:
        raise LimitError(f"expected at most {MAX_SOLUTIONS} solutions, but got {len(given)}")
    return tuple(exact(value) for value in given)
