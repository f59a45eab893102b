"""Writes edition 3 of the gold from the readings in scripts/gold/readings: corrections, asked values and roles.

With --check it writes nothing and fails if a file is not current. With --open it lists, as JSON lines, the rows whose
roles or asked values no rule carries from a reading to the unknowns of gold: these are read by hand, in
``DATASET.gold.jsonl`` (asked, roles) of the same folder. See docs/gold.md.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from experiments.gold import READINGS, Reading, has_quantities, read_readings

from draw_dataset.algebra.solution import solve
from draw_dataset.data.catalog import load
from draw_dataset.data.corrections import corrections
from draw_dataset.data.release import DATASETS
from draw_dataset.derivation.derivation import Derivation, TextNumber
from draw_dataset.derivation.problem import EXCLUDED, Problem, read_asked
from draw_dataset.errors import DrawError
from draw_dataset.io.atomic import write_atomically
from draw_dataset.io.jsonl import json_line

TARGET = Path(__file__).resolve().parents[1] / "draw_dataset" / "data" / "annotations"
EDITION = 3
DATE = "2026-11-19"

Point = Mapping[str, Fraction]


@dataclass
class Census:
    """The readings of a problem and its gold.

    A reader's ``d``, ``asked`` and ``alt`` are over the published numbers, those of the third over the numbers of
    version 2.
    """

    dataset: str
    published: Problem
    corrected: Problem  # as version 2 of the corrections has it
    first: Reading
    second: Reading
    third: Reading | None
    by_hand: Reading  # what was decided for the unknowns of gold itself

    @property
    def verdict(self) -> str:
        """The verdict on version 2: of the third reading, or ``same`` where both readings agree with it."""
        return str(self.by_hand.get("annotation") or (self.third or {}).get("annotation") or "same")

    @cached_property
    def gold(self) -> Problem:
        """Version 2 over the published numbers."""
        return replace(self.corrected, numbers=self.published.numbers)

    @cached_property
    def reading(self) -> Reading:
        """The reading that counts, over the published numbers."""
        third = self.third
        if third is None or not third["d"]:
            return self.first
        index = {number.place: number.index for number in self.published.numbers}
        names = {f"q{number.index}": f"q{index[number.place]}" for number in self.corrected.numbers}

        def renamed(text: str) -> str:
            return re.sub(r"q\d+", lambda found: names[found[0]], text)

        alternatives = third.get("alt", [])
        alternatives = [alternatives] if isinstance(alternatives, str) else alternatives
        lists = {"asked": [*map(renamed, third["asked"])], "alt": [*map(renamed, alternatives)]}
        return {**third, **lists, "d": renamed(third["d"])}

    @property
    def same(self) -> Sequence[Sequence[int]]:
        """The groups of numbers that mean the same, as they were read."""
        found: Sequence[Sequence[int]] = self.by_hand.get("same", self.first.get("same", ()))
        return found


def read_census(dataset: str, data_dir: str | None) -> list[Census]:
    """Return the census of a dataset in the order of the release; a problem that stands twice counts once."""
    first, second, third = (read_readings(READINGS, dataset, reader) for reader in (1, 2, 3))
    by_hand = read_readings(READINGS, dataset, "gold")
    corrected = {problem.id: problem for problem in load(dataset, data_dir, "v2")}
    problems = {int(problem.id): problem for problem in load(dataset, data_dir)}
    return [
        Census(dataset, problem, corrected[id_], first[id_], second[id_], third.get(id_), by_hand.get(id_, {}))
        for id_, problem in problems.items()
    ]


# An unknown of gold and one of a reading are the same where they have equal values at random numbers, so where they are
# the same function. What is asked is rewritten by the first rule of `_expressions` that gives its values.

_POINTS = 4
_DENOMINATOR = 60  # the largest one of a factor


def carry(census: Census, gold: Problem, fixed: Collection[int] = ()) -> tuple[list[str] | None, dict[str, str]]:
    """Return what is asked, None if no rule gives it, and the roles, both in gold's unknowns.

    Numbers that are `fixed` are not changed. If nothing is found with all others changed, those that are 1 stay, too.
    """
    reading = census.reading
    unknowns = gold.derivation.template.unknowns
    asked: list[str] | None = None
    roles: dict[str, str] = {}
    ones = {number.index for number in gold.numbers if number.value == 1}
    for kept in ({*fixed}, {*fixed} | ones):
        points = _points(gold, census.same, kept)
        try:
            ours = [_values(gold.derivation.q_notation(), point) for point in points]
            theirs = [_values(reading["d"], point, reading["asked"]) for point in points]
        except DrawError:
            continue
        if not all({*unknowns} <= own.keys() for own in ours):
            continue
        same = {
            their_name: name
            for name in reversed(unknowns)
            for their_name in reading["roles"]
            if all(own[name] == other.get(their_name) for own, other in zip(ours, theirs, strict=True))
        }
        for their_name, name in same.items():
            roles.setdefault(name, reading["roles"][their_name])
        if asked is None:
            known = [*census.by_hand.get("asked", ()), *gold.asked, *census.published.asked]
            found = []
            for at, text in enumerate(reading["asked"]):
                renamed = _renamed(text, same)
                values = [other.get(f"z{at}") for other in theirs]
                candidates = [renamed, *known, *_expressions(values, ours, points)]
                found.append(next((one for one in candidates if _has_values(one, values, ours, points, gold)), ""))
            asked = found if all(found) else None
    return asked, {name: roles[name] for name in unknowns if name in roles}


def _renamed(text: str, names: Mapping[str, str]) -> str:
    return re.sub(r"\b[a-z]\b", lambda name: names.get(name[0], "?"), text)


def _points(gold: Problem, same: Sequence[Sequence[int]], kept: Collection[int]) -> list[Point]:
    chance = random.Random(7)
    points = []
    for _ in range(_POINTS):
        point = {}
        for number in gold.numbers:
            value = number.value if number.value is not None else Fraction(1)
            factor = Fraction(chance.randint(701, 1399), 1000)
            point[f"q{number.index}"] = value if number.index in kept else value * factor
        for group in same:
            for index in group[1:]:
                point[f"q{index}"] = point[f"q{group[0]}"]
        points.append(point)
    return points


def _filled(text: str, point: Point) -> str:
    return re.sub(r"q\d+", lambda found: f"({point[found[0]]})", text)


def _values(derivation: str, point: Point, wanted: Sequence[str] = ()) -> Mapping[str, Fraction]:
    equations = [_filled(equation, point) for equation in derivation.split(";")]
    try:
        return solve([*equations, *(f"z{at} = {_filled(text, point)}" for at, text in enumerate(wanted))]).values
    except DrawError:
        return solve(equations).values  # a product or quotient of unknowns is asked


def _has_values(
    text: str, values: Sequence[Fraction | None], ours: Sequence[Point], points: Sequence[Point], gold: Problem
) -> bool:
    if "?" in text:
        return False
    try:
        for value, own, point in zip(values, ours, points, strict=True):
            known = [f"{name} = {fraction}" for name, fraction in own.items()]
            if value is None or solve([*known, f"z0 = {_filled(text, point)}"]).values.get("z0") != value:
                return False
        read_asked(replace(gold, asked=(text,)))
    except DrawError:
        return False
    return True


def _expressions(values: Sequence[Fraction | None], ours: Sequence[Point], points: Sequence[Point]) -> Iterator[str]:
    """Yield expressions in one of gold's unknowns: with constants, then with a number of the text."""
    first, second = values[:2]
    if first is None or second is None:
        return
    for name, one in ours[0].items():
        other = ours[1][name]
        factor = (second - first) / (other - one) if one != other else Fraction(0)
        rest = first - factor * one
        if factor and factor.denominator <= _DENOMINATOR and rest.denominator <= _DENOMINATOR:
            scaled = name if factor == 1 else f"{factor}*{name}"
            yield scaled if not rest else f"{scaled} {'-' if rest < 0 else '+'} {abs(rest)}"
        for number in points[0]:
            for pattern in ("{0} - {1}", "{0} + {1}", "{1} - {0}", "{1}*{0}", "{0}/{1}", "0.01*{1}*{0}"):
                yield pattern.format(name, number)


# Decisions


@dataclass
class Decided:
    """What edition 3 says of a problem."""

    changes: dict[str, Any]  # what differs from the published gold, and why; empty where nothing does
    gold: Problem
    asked: list[str] | None
    roles: dict[str, str]
    published_asked: list[str] | None  # in the unknowns of the published gold
    published_roles: dict[str, str]

    @property
    def missing(self) -> list[str]:
        """The unknowns without a role, and ``asked`` if no rule gave it."""
        if self.changes.get("kind") == EXCLUDED:
            return []
        unknowns = self.gold.derivation.template.unknowns
        return [name for name in unknowns if name not in self.roles] + ["asked"] * (self.asked is None)


def decide(census: Census) -> Decided:
    """Return what edition 3 says of a problem."""
    published, reading, gold = census.published, census.reading, census.gold
    changes: dict[str, Any] = {}
    why = census.by_hand.get("why") or (census.third or {}).get("why", "")
    if census.verdict == EXCLUDED:
        return Decided({"kind": EXCLUDED, "why": why}, gold, [], {}, list(published.asked), {})
    spare = _unused(census)
    if census.verdict in ("error", "number", "convention", "arguable"):
        after = census.by_hand.get("d", reading["d"])
        gold = _with_derivation(published, after)
        asked, _ = carry(census, census.gold, spare)
        by_convention = census.verdict == "convention" and asked is not None
        kind = {"number": "derivation", "arguable": "alternative"}.get(census.verdict, _kind_of(published, gold))
        kind = "convention" if by_convention else kind
        changes = {"kind": kind, "after": after, "why": why}
    elif published.id in corrections().get(census.dataset, {}):
        earlier = corrections()[census.dataset][published.id]
        changes = {"edition": earlier.version, "kind": earlier.kind, "why": earlier.why}
    groups = _groups(census, gold)
    if _fills_two_slots(census, gold):
        after = census.by_hand.get("d", reading["d"])  # by the convention the first mention fills all
        gold = _with_derivation(gold, after)
        why = "Two mentions of one quantity filled two slots."
        changes = {"kind": "groups", "why": why, **changes, "after": after}
    if groups is not None:
        known = {number.index: number for number in published.numbers}
        gold = replace(gold, equiv_tnum=tuple(tuple(_member(known[index]) for index in group) for group in groups))
        changes = {"kind": "groups", "why": "A group joins mentions of one quantity, and nothing else.", **changes}
        changes["groups"] = groups
    alternatives = _alternatives(census, gold, changes.get("kind", ""))
    if alternatives:
        changes = {"kind": "alternative", "why": why or "The text allows another derivation.", **changes}
        changes["alternatives"] = alternatives
    asked, roles = carry(census, gold)
    roles |= census.by_hand.get("roles", {})
    roles = {name: roles[name] for name in gold.derivation.template.unknowns if name in roles}
    asked = census.by_hand.get("asked", asked)
    same_gold = gold.derivation.q_notation() == published.derivation.q_notation()
    if same_gold:
        return Decided(changes, gold, asked, roles, asked, roles)
    if changes.get("kind") == "convention":
        return Decided(changes, gold, asked, roles, *carry(census, published, spare))
    return Decided(changes, gold, asked, roles, None, _roles_by_value(published, gold, roles))


def _roles_by_value(published: Problem, gold: Problem, roles: Mapping[str, str]) -> dict[str, str]:
    """Return the roles of the unknowns of a wrong gold: of those of gold that have the same values at the text."""
    theirs = gold.derivation.solve().values
    try:
        ours = published.derivation.solve().values
    except DrawError:
        return {}
    if len({*ours.values()}) < len(ours):
        return {}
    return {name: roles[other] for name, value in ours.items() for other, own in theirs.items() if value == own}


def _unused(census: Census) -> set[int]:
    """Return the numbers that the reading does not use: counts, parities and articles, which no change would move."""
    used = {int(name[1:]) for name in re.findall(r"q\d+", census.reading["d"])}
    used |= {index for group in census.same if used & {*group} for index in group}
    return {number.index for number in census.published.numbers} - used


def _with_derivation(problem: Problem, text: str) -> Problem:
    derivation = Derivation.read(text, problem.numbers)
    values = derivation.solve().values
    return problem.with_gold(derivation, [values[name] for name in derivation.template.unknowns])


def _fills_two_slots(census: Census, gold: Problem) -> bool:
    """Decide whether numbers that were read as one quantity are in two slots of gold."""
    index = {number.place: number.index for number in census.published.numbers}
    used = {index.get(place, 0) for place in gold.derivation.places}
    return any(len(used & {*group}) > 1 for group in census.same)


def _kind_of(published: Problem, gold: Problem) -> str:
    one, other = sorted(published.solutions), sorted(gold.solutions)
    near = len(one) == len(other) and all(abs(a - b) <= 1e-3 * max(1, abs(b)) for a, b in zip(one, other, strict=True))
    return "derivation" if near else "equations"


def _groups(census: Census, gold: Problem) -> list[list[int]] | None:
    """Return the groups as they were read; None if gold has the same ones among the numbers that it uses."""
    places = {number.index: number.place for number in census.published.numbers}
    aligned = {*gold.derivation.places}
    read = {frozenset(places[index] for index in group) for group in census.same}
    annotated = {frozenset(number.place for number in group) for group in gold.equiv_tnum}
    if {group for group in read if group & aligned} == {group for group in annotated if group & aligned}:
        return None
    return [list(group) for group in census.same]


def _member(number: TextNumber) -> TextNumber:
    return TextNumber(number.sentence, number.token, number.value)


def _alternatives(census: Census, gold: Problem, kind: str) -> list[str]:
    """Return the derivations that are as right as gold and not equal to it: those that two readings name."""
    one, other = (reading.get("alt", ()) for reading in (census.first, census.second))
    proposed = [*census.by_hand.get("alt", ()), *census.gold.alternatives]
    proposed += [text for text in one if any(equal(gold, text, also) for also in other)]
    if census.third is not None:
        proposed += census.reading["alt"]
    if census.verdict == "same" and census.third is not None:
        proposed.append(census.reading["d"])
    if kind == "convention" or census.verdict == "arguable":
        proposed.append(census.gold.derivation.q_notation())
    kept: list[str] = []
    for text in proposed:
        known = (gold.derivation.q_notation(), *kept)
        if not any(equal(gold, text, one) and not in_other_unit(gold, text, one) for one in known):
            kept.append(text)
    return kept


def in_other_unit(problem: Problem, one: str, other: str) -> bool:
    """Decide whether all unknowns of two derivations differ by one factor: speeds a minute and an hour.

    Their quantities are equal up to the unit, but an answer gives other values.
    """
    ours, theirs = (sorted(_with_derivation(problem, text).solutions) for text in (one, other))
    if len(ours) != len(theirs) or not all(theirs):
        return False
    factors = [a / b for a, b in zip(ours, theirs, strict=True)]
    return max(factors) - min(factors) <= 1e-6 * max(factors) and abs(factors[0] - 1) > 1e-6


def equal(problem: Problem, one: str, other: str) -> bool:
    """Decide whether each of two derivations of a problem has all quantities of the other."""
    try:
        return has_quantities(problem, one, other) and has_quantities(problem, other, one)
    except DrawError:
        return False


# Files


def texts_of(data_dir: str | None) -> tuple[dict[str, str], list[dict[str, Any]], Counter[tuple[str, str]]]:
    """Return the text of each file, the rows that are to be read by hand, and the counts by dataset and kind."""
    lines: list[str] = []
    asked: dict[str, dict[str, list[str]]] = {}
    roles: dict[str, dict[str, dict[str, str]]] = {}
    missing: list[dict[str, Any]] = []
    counts: Counter[tuple[str, str]] = Counter()
    for dataset in DATASETS:
        asked[dataset], roles[dataset] = {}, {}
        for census in sorted(read_census(dataset, data_dir), key=lambda census: int(census.published.id)):
            decided, published = decide(census), census.published
            if decided.missing:
                missing.append(_open_row(census, decided))
            for given, kept in ((decided.published_asked, asked), (decided.published_roles, roles)):
                if given or (given is None and published.asked):
                    kept[dataset][str(published.id)] = given or list(published.asked)  # type: ignore[assignment]
            if decided.changes:
                counts[dataset, decided.changes["kind"]] += 1
                lines.append(json_line(_line(census, decided)))
    tables = {"asked.json": asked, "roles.json": roles}
    return {"edition3.jsonl": "".join(lines)} | {name: _table(own) for name, own in tables.items()}, missing, counts


def _line(census: Census, decided: Decided) -> dict[str, Any]:
    changes = decided.changes
    more = {name: changes[name] for name in ("after", "groups", "alternatives") if name in changes}
    readers = [1, 2, 3] if census.third is not None or census.by_hand else [1, 2]
    return {
        "dataset": census.dataset,
        "id": census.published.id,
        "edition": changes.get("edition", EDITION),
        "kind": changes["kind"],
        "why": changes["why"],
        "before": census.published.derivation.q_notation(),
        **more,
        "asked": decided.asked or [],
        "roles": decided.roles,
        "readers": readers,
        "date": DATE,
    }


def _open_row(census: Census, decided: Decided) -> dict[str, Any]:
    reading = census.reading
    return {
        "dataset": census.dataset,
        "id": census.published.id,
        "missing": decided.missing,
        "gold": decided.gold.derivation.q_notation(),
        "d": reading["d"],
        "asked": reading["asked"],
        "roles": reading["roles"],
        "question": census.published.question,
    }


def _table(by_dataset: Mapping[str, Mapping[str, Any]]) -> str:
    parts = []
    for dataset, by_id in by_dataset.items():
        rows = ",\n".join(f"    {json.dumps(id_)}: {json.dumps(value)}" for id_, value in by_id.items())
        parts.append(f"  {json.dumps(dataset)}: {{\n{rows}\n  }}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Write the files, or check them; return 1 if one is not current."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", metavar="DIR", help="the folder with the files of the release")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is not current")
    parser.add_argument("--open", action="store_true", help="list what is to be read by hand, and write nothing")
    arguments = parser.parse_args(argv)
    texts, missing, counts = texts_of(arguments.data_dir)
    if arguments.open:
        print(*map(json.dumps, missing), sep="\n")
        return 0
    for (dataset, kind), count in sorted(counts.items()):
        print(f"{dataset} {kind} {count}")
    print(f"to be read by hand: {len(missing)}")
    for name, text in texts.items():
        if arguments.check:
            if (TARGET / name).read_text(encoding="utf-8") != text:
                print(f"{TARGET / name} is not current: run scripts/update_gold.py")
                return 1
        else:
            write_atomically(TARGET / name, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
