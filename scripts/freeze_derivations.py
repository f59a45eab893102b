"""Freeze derivations of GSM8K and SVAMP from readings: ``draw_dataset/data/derivations/``.

A reading is a line of ``scripts/frozen/readings/``: the steps from the numbers of a text to its answer, in names; other
ways; constants; numbers that mean the same. Two readings of a problem that are the same function are frozen as they
are; where they differ a third reading decides. Problems of the training split are derived by program where that can be
trusted (`is_plain`), and read once elsewhere. The texts are needed for their hashes, and are not written.

    python scripts/freeze_derivations.py --sources ../shared/sources
    python scripts/freeze_derivations.py --sources ../shared/sources --agreement
"""

from __future__ import annotations

import argparse
import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

from draw_dataset import derive
from draw_dataset.derivation.problem import REFUSED
from draw_dataset.deriving.frozen import digest
from draw_dataset.deriving.records import AMBIGUOUS, DECIDED
from draw_dataset.io.atomic import write_atomically
from draw_dataset.io.jsonl import decode_json, json_line, read_json_lines
from draw_dataset.reading.functions import LEAVES, Expression, q_notation, same_function_key
from draw_dataset.text.lexicon import MEASURES, singular

ROOT = Path(__file__).resolve().parents[1]
READINGS = ROOT / "scripts" / "frozen" / "readings"
TARGET = ROOT / "draw_dataset" / "data" / "derivations"

Row = Mapping[str, Any]
Keys = dict[int, Expression]  # what stands for each number: the first that means the same, or 1 for one that is 1

_SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_ONE: Expression = ("c", Fraction(1))
_COMMON = re.compile(
    r": (?:per cent|days in a week|minutes in an hour|months in a year|in a dozen|inches in a foot|hours in a day|"
    r"weeks in a year|weeks in a month|cents in a dollar)"
)


@dataclass(frozen=True)
class Reading:
    """One reading of a problem."""

    line: Row
    way: Expression | None  # None if it is refused
    others: tuple[Expression, ...]

    @classmethod
    def of(cls, line: Row) -> Reading:
        """Return a reading; a power with a number of the text as exponent is no quotient of polynomials."""
        way = None if line["st"] == REFUSED else way_of(line["d"])
        others = [other for steps in line.get("alt", ()) if (other := way_of(steps)) is not None] if way else []
        return cls(line, way, tuple(others))


def way_of(steps: Sequence[str]) -> Expression | None:
    """Return the function that some steps end in; None if it is no quotient of polynomials.

    >>> q_notation(way_of(["eaten = q2 + q3", "m = (q1 - eaten)/2"]))
    '(q1 - (q2 + q3))/2'
    """
    known: dict[str, Expression] = {}
    name = ""
    try:
        for step in steps:
            # A name may be a keyword of Python.
            name, _, text = _NAME.sub(r"\g<0>_", step).partition("=")
            known[name.strip()] = _expression(ast.parse(text.strip(), mode="eval").body, known)
    except OverflowError:
        return None
    return known[name.strip()]


_NAME = re.compile(r"\b(?!q\d+\b)[a-z]\w*")


def _expression(tree: ast.expr, known: Mapping[str, Expression]) -> Expression:
    match tree:
        case ast.Name(name):
            return known[name] if name in known else ("q", int(name[1:]))
        case ast.Constant(value):
            return "c", Fraction(str(value))
        case ast.UnaryOp(ast.USub(), operand):
            return "-", ("c", Fraction(0)), _expression(operand, known)
        case ast.BinOp(left, ast.Pow(), ast.Constant(int(count))) if 1 <= count <= 12:
            base = found = _expression(left, known)
            for _ in range(count - 1):
                found = "*", found, base
            return found
        case ast.BinOp(left, op, right) if type(op) in _SIGNS:
            return _SIGNS[type(op)], _expression(left, known), _expression(right, known)
    raise OverflowError(ast.unparse(tree))


def key_of(way: Expression, keys: Keys) -> int | None:
    """Return what only equal functions share, where numbers that mean the same are one."""
    return same_function_key(_replaced(way, keys))


def _replaced(way: Expression, keys: Keys) -> Expression:
    if way[0] in LEAVES:
        return keys.get(way[1], way) if way[0] == "q" else way
    return way[0], _replaced(way[1], keys), _replaced(way[2], keys)


def same_numbers(readings: Sequence[Reading]) -> list[list[int]]:
    """Return the groups of numbers that all readings take for the same."""
    groups = [{tuple(sorted(group)) for group in reading.line.get("same", ())} for reading in readings]
    return [list(group) for group in sorted(set.intersection(*groups))]


def freeze(row: Row, readings: Sequence[Reading]) -> dict[str, Any] | None:
    """Return what is frozen of a problem, from one reading, from two that agree, or from the third."""
    chosen = readings[-1]
    if len(readings) == 2 and not agree(*readings):
        return None
    by = {1: "one reading", 2: "two readings", 3: "a third reading"}[len(readings)]
    if chosen.way is None:
        return {"status": REFUSED, "reason": "no exact derivation comes to the published answer", "by": by}
    same = same_numbers(readings if len(readings) == 2 else readings[-1:])
    keys: Keys = {index: ("q", group[0]) for group in same for index in group}
    ones = keys | {n["index"]: _ONE for n in row["numbers"] if n["value"] == 1}
    seen, alternatives = {key_of(chosen.way, keys), key_of(chosen.way, ones)}, []
    for other in chain.from_iterable(reading.others for reading in (readings if len(readings) == 2 else [chosen])):
        # A way that only leaves out a 1 is a shortcut, which needs no listing.
        if key_of(other, keys) not in seen and key_of(other, ones) not in seen:
            seen |= {key_of(other, keys), key_of(other, ones)}
            alternatives.append(f"m = {q_notation(other)}")
    first = readings[0] if len(readings) == 2 else chosen
    return {
        "status": AMBIGUOUS if alternatives else DECIDED,
        "derivation": f"m = {q_notation(first.way or ())}",
        "alternatives": alternatives,
        "steps": first.line["d"],
        "constants": first.line.get("c", []),
        "same": same,
        "by": by,
    }


def agree(one: Reading, other: Reading) -> bool:
    """Decide whether two readings are the same function, or both refuse the problem."""
    if one.way is None or other.way is None:
        return one.way is other.way
    groups = [*one.line.get("same", ()), *other.line.get("same", ())]
    keys: Keys = {index: ("q", min(group)) for group in groups for index in group}
    return key_of(one.way, keys) == key_of(other.way, keys)


def is_plain(row: Row) -> bool:
    """Decide whether a derived row can be trusted unread.

    It uses all numbers but ones, each word such as twice once, no half that may leave another, and common constants.
    """
    used = Counter(int(index) for index in re.findall(r"q(\d+)", row["derivation"]))
    numbers = row["numbers"]
    unused = [number for number in numbers if number["index"] not in used and number["value"] != 1]
    repeated = [number for number in numbers if used[number["index"]] > 1 and _FACTOR.fullmatch(number["text"])]
    halves = [n for n in numbers if n["value"] == 0.5 and may_leave_half(row["question"], n["start"], n["end"])]
    hidden = {str(number["value"]).removesuffix(".0") for number in numbers}
    common = all(_COMMON.search(text) and text.partition(":")[0] not in hidden for text in row["constants"])
    return row["status"] == DECIDED and common and not (unused or repeated or halves)


_FACTOR = re.compile(
    r"twice|thrice|doubled?s?|tripled?s?|quadrupled?s?|hal(?:f|ved?)(?:-.*)?|quarter|third|couple|pair|once|one-.*|"
    r"two|three|four",
    re.IGNORECASE,
)


# A half leaves another half only if it is taken of something: half as many, half an hour, $0.50 and 1/2 cup leave none.
# Half of a quantity, as half the number, may be compared or taken; where nothing is taken or left, it is compared.
_COMPARED = re.compile(r"\s+(?:as|times)\b")
_MEASURED = re.compile(r"[\s-]+(an?\b)?\s*(?!of\b)(\w*)")
_QUANTITY = re.compile(
    r"\s+(?:(?:that|this|how|price)\b|(?:(?:the|his|her|their|its|combined|total|\w+['’]s)\s+){1,3}"
    r"(?:age|amount|difference|distance|height|length|number|price|rate|score|size|speed|sum|weight|width)\b)"
)
_TAKEN = re.compile(
    r"\b(?:ate|eat|bake|donate|gave|give|gift|invest|keep|kept|lose|lost|pay|paid|put|save|sell|sold|spen[dt]|steal|stole|"
    r"take|took|use)[ds]?\s+(?:\w+\s+){0,2}$"
)
_LEFT = re.compile(r"\b(?:left|leftover|remain\w*|rest|other|still)\b", re.IGNORECASE)


def may_leave_half(question: str, start: int, end: int) -> bool:
    """Decide whether a half of a question may leave another half, which could be meant.

    >>> [may_leave_half(text, 4, 8) for text in ("Ate half of the figs.", "Has half as many.", "Ran half a mile.")]
    [True, False, False]
    """
    before, written, after = question[:start], question[start:end], question[end:]
    if "." in written and not re.match(r"\s+of\b", after):
        return False
    measured = _MEASURED.match(after)
    if _COMPARED.match(after) or (measured and (measured[1] or singular(measured[2].lower()) in MEASURES)):
        return False
    return not _QUANTITY.match(after) or bool(_LEFT.search(question) or _TAKEN.search(before))


def by_program(row: Row) -> dict[str, Any]:
    """Return what is frozen of a derived row that nobody read."""
    steps, constants = [row["derivation"]], list(row["constants"])
    more = {"derivation": row["derivation"], "alternatives": [], "steps": steps, "constants": constants}
    return {"status": DECIDED, **more, "same": [], "by": "program"}


def read_all(name: str, last: int) -> list[dict[str, Reading]]:
    """Return the first readings of a dataset, and further ones, by id."""
    paths = [READINGS / f"{name}.{number}.jsonl" for number in range(1, last + 1)]
    return [{str(e["id"]): Reading.of(e) for e in (x.value for x in read_json_lines(path))} for path in paths]


def lines_of(prefix: str, split: str, rows: Sequence[Row], readings: Sequence[dict[str, Reading]]) -> Iterator[Row]:
    """Yield the frozen lines of a split."""
    for row in rows:
        id_ = str(row["id"])
        own = [several[id_] for several in readings if id_ in several]
        if not own and split == "train" and not is_plain(row):
            found: dict[str, Any] | None = {"status": REFUSED, "reason": "not read yet", "by": "nobody"}
        else:
            found = freeze(row, own) if own else by_program(row)
        if found is None:
            raise SystemExit(f"{prefix} {id_}: two readings differ, and there is no third")
        name = id_ if id_.startswith("chal-") else f"{split}-{id_}"
        yield {"id": name, "split": split, "sha256": digest(row["question"]), **found}


def main() -> None:
    """Write the frozen files, or print how far readings agree."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sources", type=Path, required=True, metavar="DIR", help="folder with the texts")
    parser.add_argument("--agreement", action="store_true", help="print how far readings and program agree")
    arguments = parser.parse_args()
    gsm8k = {split: _gsm8k(arguments.sources, split) for split in ("test", "train")}
    records = decode_json((arguments.sources / "svamp_full.json").read_text("utf-8"), "svamp_full.json")
    svamp = list(derive(records, preset="svamp"))
    tests, train, challenge = read_all("gsm8k-test", 3), read_all("gsm8k-train", 1), read_all("svamp", 3)
    if arguments.agreement:
        for title, rows, readings in (("GSM8K test", gsm8k["test"], tests), ("SVAMP", svamp, challenge)):
            print(title, dict(_agreement(rows, readings)))
        return
    TARGET.mkdir(exist_ok=True)
    for name, lines in (
        (
            "gsm8k",
            [*lines_of("GSM8K", "train", gsm8k["train"], train), *lines_of("GSM8K", "test", gsm8k["test"], tests)],
        ),
        ("svamp", list(lines_of("SVAMP", "test", svamp, challenge))),
    ):
        write_atomically(TARGET / f"{name}.jsonl", "".join(json_line(line) for line in lines))
        print(name, len(lines), dict(Counter((line["split"], line["status"], line["by"]) for line in lines)))


def _gsm8k(sources: Path, split: str) -> list[Row]:
    name = "gsm8k_test_full.jsonl" if split == "test" else "gsm8k_train.jsonl"
    return list(derive([line.value for line in read_json_lines(sources / name)], preset="gsm8k", id="id"))


def _agreement(rows: Sequence[Row], readings: Sequence[dict[str, Reading]]) -> Counter[str]:
    tally: Counter[str] = Counter()
    for row in rows:
        one, other = (several[str(row["id"])] for several in readings[:2])
        same = agree(one, other)
        tally["problems"] += 1
        tally["readings agree"] += same
        if same and one.way is not None and row["status"] == DECIDED:
            derived = Reading.of({"st": DECIDED, "d": [row["derivation"]]})
            frozen = freeze(row, (one, other)) or {}
            listed = [Reading.of({"st": DECIDED, "d": [way]}) for way in frozen["alternatives"]]
            ones: Keys = {n["index"]: _ONE for n in row["numbers"] if n["value"] == 1}
            key = key_of(derived.way or (), ones)
            tally["decided by program"] += 1
            tally["program agrees but for ones"] += key == key_of(one.way, ones)
            tally["program is listed"] += any(key == key_of(way.way or (), ones) for way in listed)
    return tally


if __name__ == "__main__":
    main()
