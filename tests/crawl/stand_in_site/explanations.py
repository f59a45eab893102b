"""What tutors write under a question, as they type it: formulas in ``{{{ }}}``, lines as lines, tables in ``<pre>``.

An explanation knows which equations it states: `equations` are those that model the problem, `steps` those that follow.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from crawl.stand_in_site.problems import Known, decimal
from crawl.stand_in_site.writing import Hand, percents_folded, solving_steps, split_formula, written

TUTORS = (
    ("mo_math", 6120),
    ("SumItUp", 911),
    ("tutor.ada", 15044),
    ("xeno99", 37),
    ("Grandpa Abacus", 2870),
    ("lin_alg", 1),
)
GREETINGS = (
    "",
    "",
    "Hi there,\n",
    "Hello, here is how I would do it.\n",
    "You can do this one with a little patience.\n",
)
SIGN_OFFS = (
    "",
    "",
    "\nHope this helps.",
    "\nCheers,\nGrandpa Abacus",
    "\nIf you have more questions write to me: ada@tutors.example",
    "\n:)",
    "\nHappy learning from Mo! mo.math@mail.example",
    "\nVisit my page http://tutors.example/sum for x-tra help.",
)


@dataclass(frozen=True)
class Explanation:
    """One tutor's answer to a question."""

    tutor: str
    count: int
    number: int
    source: str
    equations: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    of_this_problem: bool = True
    has_typo: bool = False


@dataclass(frozen=True)
class Told:
    """The body of an explanation while it is put together."""

    lines: tuple[str, ...]
    equations: tuple[str, ...]
    steps: tuple[str, ...]


def explain(known: Known, rng: random.Random, number: int, letters: str = "xy", own: bool = True) -> Explanation:
    """Write an explanation of a problem, in one of the shapes that it allows."""
    hand = Hand.of(rng)
    told = rng.choice(_shapes(known) if letters == "xy" else [_terse])(known, hand, rng)
    body = rng.choice(GREETINGS) + "\n".join(told.lines) + rng.choice(SIGN_OFFS)
    renamed = str.maketrans("xyXY", letters + letters.upper())
    if letters != "xy":
        body = told.lines[0].translate(renamed)  # nothing but equations: in words there are other letters x and y
    tutor, count = rng.choice(TUTORS)
    return Explanation(
        tutor,
        count,
        number,
        body,
        tuple(e.translate(renamed) for e in told.equations),
        tuple(e.translate(renamed) for e in told.steps),
        own,
        ".o" in body,
    )


def without_algebra(known: Known, rng: random.Random, number: int) -> Explanation:
    """An explanation that has no unknown: arithmetic with a times sign, and the answer."""
    answer = ", ".join(decimal(value) for value in known.solutions.values()) or "none"
    body = f"Just try some numbers. 4 x 5 = 20 is too much, 3 x 5 = 15 fits better.\nAnswer: {answer}."
    return Explanation(*rng.choice(TUTORS), number, body)


def _shapes(known: Known) -> list[Callable[[Known, Hand, random.Random], Told]]:
    shapes = [_classic, _classic, _terse]
    if known.row is None:
        return [_classic, _terse]
    if len(known.equations) == 2:
        shapes += [_labelled, _labelled, _system]
    if known.one_unknown:
        shapes += [_one_unknown, _one_unknown]
    if known.kind in ("mixture", "blend", "coins_total", "invest", "tickets"):
        shapes.append(_table)
    if known.kind == "work":
        shapes.append(_split)
    if known.kind == "apart":
        shapes.append(_subscripts)
    return shapes


def _definitions(known: Known, hand: Hand, rng: random.Random) -> list[str]:
    """Say what the unknowns are; ``x = # of dimes`` looks like an equation and is none."""
    form = rng.choice(("Let {} = {}", "Let {} be {}", "{} = {}", "Let {}={}.", "let {} represent {}"))
    return [form.format(name.upper() if hand.capital else name, what) for name, what in known.meaning.items()]


def _worked(
    known: Known, hand: Hand, equations: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...], list[str], list[str]]:
    """Return the equations and the steps, in canonical form and as written."""
    money = known.kind in ("coins_total", "coins_more", "blend", "invest", "tickets", "discount", "two_plans")
    modelled = tuple(percents_folded(equation) for equation in equations)
    if known.row is None:
        modelled, steps = modelled[:1], modelled[1:]
    else:
        steps = tuple(solving_steps(modelled, dict(known.solutions)))
    return (
        modelled,
        steps,
        [written(equation, hand, money, known.unit) for equation in modelled],
        [written(step, hand, money, known.unit) for step in steps],
    )


def _classic(known: Known, hand: Hand, rng: random.Random) -> Told:
    modelled, steps, stated, solved = _worked(known, hand, known.equations)
    lines = _definitions(known, hand, rng)
    if known.in_words and rng.random() < 0.4:
        lines.append(known.in_words)
    lines += _labels(stated, hand)
    lines.append(rng.choice(("Simplify and solve for x.", "Now solve.", "so", "Multiply and combine like terms:", "")))
    lines += [f"{hand.arrow} {step}".strip() for step in solved]
    if hand.formula and solved and known.row is not None:
        lines[-1] = "{{{highlight(" + solved[-1].strip("{}") + ")}}}"
    if hand.formula and known.row is not None and rng.random() < 0.15:
        name, value = next(iter(known.solutions.items()))
        lines.append("{{{cross(3)" + name + "/cross(3) = " + decimal(value) + "}}}")
    if known.row is not None and rng.random() < 0.3:
        lines += _check(modelled[-1], known)
    lines += _answer(known, rng)
    return Told(tuple(lines), modelled, steps)


def _labelled(known: Known, hand: Hand, rng: random.Random) -> Told:
    modelled, steps, stated, solved = _worked(known, hand, known.equations)
    lines = _definitions(known, hand, rng) if rng.random() < 0.7 else []
    lines += [f"{stated[0]} ....(1)", f"{stated[1]} ....(2)", "", "Eliminate x from (1) and (2):"]
    lines += [*solved, *_answer(known, rng)]
    return Told(tuple(lines), modelled, steps)


def _system(known: Known, hand: Hand, rng: random.Random) -> Told:
    modelled, steps, _, solved = _worked(known, hand, known.equations)
    lines = [
        *_definitions(known, hand, rng),
        "{{{system(" + ",".join(re.sub(r"\*(?=[a-z(])", "", e) for e in modelled) + ")}}}",
    ]
    return Told((*lines, "Solving this system,", *solved, *_answer(known, rng)), modelled, steps)


def _one_unknown(known: Known, hand: Hand, rng: random.Random) -> Told:
    modelled, steps, stated, solved = _worked(known, hand, known.one_unknown)
    lines = _definitions(known, hand, rng)[:1]
    end = rng.choice(("", " Simplify and solve for x.", "   Now distribute."))
    lines += [stated[0] + end, *(f"{hand.arrow} {step}".strip() for step in solved), *_answer(known, rng)]
    return Told(tuple(lines), modelled, steps)


def _terse(known: Known, hand: Hand, rng: random.Random) -> Told:
    modelled, steps, stated, solved = _worked(known, hand, known.equations)
    arrow = f" {hand.arrow or '==>'} "
    return Told((arrow.join([", ".join(stated), *solved]), *_answer(known, rng)[:1]), modelled, steps)


def _table(known: Known, hand: Hand, rng: random.Random) -> Told:
    modelled, steps, stated, solved = _worked(known, hand, known.equations)
    first, second = known.meaning.values()
    table = f"<pre>\n            amount     rate\n{first:<16} x\n{second:<16} y\n--------------------------\n</pre>"
    return Told((table, *stated, "", *solved, *_answer(known, rng)), modelled, steps)


def _split(known: Known, hand: Hand, rng: random.Random) -> Told:
    modelled, steps, _, solved = _worked(known, hand, known.equations)
    return Told(
        (*_definitions(known, hand, rng), split_formula(modelled[0]), *solved, *_answer(known, rng)), modelled, steps
    )


def _subscripts(known: Known, hand: Hand, rng: random.Random) -> Told:
    modelled, steps, stated, solved = _worked(known, hand, known.equations)
    parts, total = modelled[0].split(" = ")
    one, two = re.sub(r"\*(?=x)", "", parts).split(" + ")
    lines = [*_definitions(known, hand, rng), "{{{d[1] = " + one + "}}}", "{{{d[2] = " + two + "}}}"]
    return Told((*lines, "{{{d[1] + d[2] = " + total + "}}}", *stated, *solved, *_answer(known, rng)), modelled, steps)


def _labels(stated: list[str], hand: Hand) -> list[str]:
    if not hand.label or len(stated) < 2:
        return stated
    if hand.label == "eq.1":
        return [f"eq.{place}  {equation}" for place, equation in enumerate(stated, 1)]
    return [f"{equation} {hand.label.replace('1', str(place))}" for place, equation in enumerate(stated, 1)]


def _check(equation: str, known: Known) -> list[str]:
    """Put the solution into an equation; a true line of numbers that models nothing."""
    filled = equation
    for name, value in known.solutions.items():
        filled = filled.replace(name, f"({decimal(value)})" if value.denominator == 1 else decimal(value))
    return ["Check:", filled.replace("*(", "(")]


def _answer(known: Known, rng: random.Random) -> list[str]:
    told = [
        f"{known.meaning.get(name, name)}: {decimal(value)} {known.unit}".strip()
        for name, value in known.solutions.items()
    ]
    return told if rng.random() < 0.6 else []
