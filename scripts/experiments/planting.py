"""Answers made by program: gold's way, and wrong ways that come to gold's result, in eight styles of today's models.

A wrong way is kept only if it is another function of the numbers of the text than gold and its alternatives, however
its literals are read: a number that is written could be any number of the text, or any earlier result, of its value.
Where the answer writes words beside a number, it is one of the numbers that have these words.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, product
from random import Random
from typing import Any

Node = tuple[Any, ...]  # ("q", index), ("c", value), ("x", name), or (sign, left, right)
Equation = tuple[Node, Node]
Point = Mapping[int, Fraction]

EQUAL, ADDED, EXCHANGED, TWO, OPERATION, NUMBER, ROLES = (
    "equal value",
    "cancel: added, taken away",
    "cancel: exchanged",
    "cancel: two errors",
    "coincidence: operation",
    "coincidence: number",
    "cancel: roles",
)
KINDS = (EQUAL, ADDED, EXCHANGED, TWO, ROLES, OPERATION, NUMBER)
STYLES = ("chat", "markdown", "latex", "terse", "think", "python", "table", "one line")

_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_STOP = frozenset(
    re.findall(
        r"\S+",
        """a about above after ago all also am an and are as at away back be because been before below
        but by can costs did do does down during each either equal equally every extra far farther
        fewer first for from full gave had has have he her hers him his how if in into is it its
        just last later least left less longer made many more most much new next no not of off older
        on once only or other out over per percent plus same she shorter since so some sold than
        that the their them then there they this times to too total under until up was were what
        when where which while who will with worth year-old years-old younger""",
    )
)
_NOUNS = frozenset({"people", "men", "women", "children", "feet", "fish", "sheep", "mph", "inch", "foot", "hour"})
_COUNT = re.compile(r"\d[\d,]*(?:\.\d+)?|(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty)", re.I)
_READINGS = 600  # a wrong way whose literals can be read in more ways is left out
_PAIRS = 150  # pairs of errors that are tried


@dataclass(frozen=True)
class Gold:
    """A row with its derivation as trees, and the words that stand behind its numbers."""

    source: str
    row: Mapping[str, Any]
    values: Point
    labels: Mapping[int, str]
    classes: Mapping[int, int]
    equations: tuple[Equation, ...]
    unknowns: tuple[str, ...]
    others: tuple[tuple[Equation, ...], ...]
    names: tuple[str, ...]  # what the question calls the unknowns, if the row knows

    @property
    def is_chain(self) -> bool:
        """Whether the derivation is one expression of numbers."""
        return _is_chain(self.equations)


@dataclass(frozen=True)
class Way:
    """Equations that an answer writes, and what is wrong with them; nothing if they are gold's."""

    equations: tuple[Equation, ...]
    kind: str = ""
    names: tuple[str, ...] = ()
    labelled: bool = True


def read_gold(row: Mapping[str, Any], source: str) -> Gold | None:
    """Return the gold of a row, or None if it is not of the kind that is planted: linear, with tidy numbers."""
    values = {n["index"]: Fraction(str(n["value"])).limit_denominator(10**6) for n in row["numbers"]}
    places = {(n["sentence"], n["token"]): n["index"] for n in row["numbers"]}
    classes = {index: index for index in values}
    for group in row["equiv_tnum"]:
        members = [places[m["sentence"], m["token"]] for m in group if (m["sentence"], m["token"]) in places]
        classes.update(dict.fromkeys(members, min(members, default=0)))
    try:
        equations = _read(row["derivation"])
        others = tuple(_read(text) for text in row["alternatives"])
    except (SyntaxError, ValueError):
        return None
    if any(not re.fullmatch("[a-z]", asked) for asked in row["asked"]):
        return None  # it asks for something else than the unknowns
    unknowns = tuple(sorted({name for pair in equations for side in pair for name in _unknowns(side)}))
    labels = {n["index"]: label for n in row["numbers"] if (label := _label(row["question"], n))}
    found = solve(equations, unknowns, values)
    if not 1 <= len(unknowns) <= 2 or found is None or any(v <= 0 or not _is_tidy(v) for v in found):
        return None
    if len(found) != len(row["solutions"]) or sorted(map(float, found)) != sorted(row["solutions"]):
        return None
    # Who takes what is left of a half for a half is not lucky.
    halves = frozenset(index for index, value in values.items() if value == Fraction(1, 2))
    others += tuple(_with_other_halves(way, halves) for way in (equations, *others) if halves)
    return Gold(source, row, values, labels, classes, equations, unknowns, others, _names(row, found))


def _with_other_halves(equations: tuple[Equation, ...], halves: frozenset[int]) -> tuple[Equation, ...]:
    """Return equations with what is left of each half in its place."""

    def replaced(node: Node) -> Node:
        if node[0] == "q":
            return ("-", ("c", Fraction(1)), node) if node[1] in halves else node
        return node if node[0] in ("c", "x") else (node[0], replaced(node[1]), replaced(node[2]))

    return tuple((replaced(left), replaced(right)) for left, right in equations)


def _read(text: str) -> tuple[Equation, ...]:
    pairs = [part.split("=") for part in text.split(";")]
    return tuple((_tree(left), _tree(right)) for left, right in pairs)


def _tree(text: str) -> Node:
    return _node(ast.parse(text.strip(), mode="eval").body)


def _node(tree: ast.expr) -> Node:
    match tree:
        case ast.BinOp(left, op, right) if type(op) in _SIGNS:
            return _SIGNS[type(op)], _node(left), _node(right)
        case ast.Constant(value):
            return "c", Fraction(str(value))
        case ast.Name(name) if re.fullmatch(r"q\d+", name):
            return "q", int(name[1:])
        case ast.Name(name):
            return "x", name
    raise ValueError(ast.unparse(tree))


def _is_chain(equations: Sequence[Equation]) -> bool:
    return len(equations) == 1 and equations[0][0][0] == "x" and not any(_unknowns(equations[0][1]))


def _label(question: str, number: Mapping[str, Any]) -> str:
    """Return the words behind a number, up to a word of grammar; nothing if the number is no plain count."""
    if not _COUNT.fullmatch(number["text"]):
        return ""
    if re.search(r"[$£€] ?$", question[: number["start"]]):
        return "dollars"
    words: list[str] = []
    after = question[number["end"] :][:60]
    for word in re.findall(r"\S+", after)[:3] if after.startswith(" ") else []:
        bare = re.match(r"[A-Za-z]{2,}(?=$|[.,;:?!])", word)
        if not bare or bare[0].lower() in _STOP or _COUNT.fullmatch(bare[0]):
            break
        words.append(bare[0])
        if re.search(r"[^s]s$", bare[0]) or bare[0].lower() in _NOUNS:
            return " ".join(words)
        if bare[0] != word:
            break
    return ""


def _names(row: Mapping[str, Any], found: Sequence[Fraction]) -> tuple[str, ...]:
    """Return the names that the annotated equations give the unknowns, if the question has these words."""
    written = list(dict.fromkeys(re.findall(r"[a-z]{3,}", " ".join(row["equations"]))))
    question = row["question"].lower()
    if len(written) != 2 or len(found) != 2 or len(set(found)) != 2:
        return ()
    if not all(re.search(rf"\b{re.escape(name)}", question) for name in written):
        return ()
    try:
        named = tuple((_tree(left), _tree(right)) for left, right in (e.split("=") for e in row["equations"]))
        values = solve(named, tuple(written), {})
    except (SyntaxError, ValueError):
        return ()
    if values is None or sorted(values) != sorted(found):
        return ()
    return tuple(written[values.index(value)] for value in found)


def _unknowns(node: Node) -> Iterator[str]:
    if node[0] == "x":
        yield node[1]
    elif node[0] not in "qc":
        yield from _unknowns(node[1])
        yield from _unknowns(node[2])


def _calculate(node: Node, numbers: Point, unknowns: Mapping[str, Fraction]) -> Fraction:
    if node[0] == "q":
        return numbers[node[1]]
    if node[0] == "c":
        return node[1]  # type: ignore[no-any-return]
    if node[0] == "x":
        return unknowns[node[1]]
    left, right = _calculate(node[1], numbers, unknowns), _calculate(node[2], numbers, unknowns)
    if node[0] == "+":
        return left + right
    if node[0] == "-":
        return left - right
    return left * right if node[0] == "*" else left / right


def solve(equations: Sequence[Equation], unknowns: Sequence[str], numbers: Point) -> tuple[Fraction, ...] | None:
    """Return the solution of linear equations at some numbers; None if they are not linear or have none or many."""
    try:
        if _is_chain(equations):
            return (_calculate(equations[0][1], numbers, {}),)
        rows = [_coefficients(pair, unknowns, numbers) for pair in equations]
    except ZeroDivisionError:
        return None
    if None in rows or len(rows) != len(unknowns) or len(rows) > 2:
        return None
    if len(rows) == 1:
        ((a, c),) = rows  # type: ignore[misc]
        return (c / a,) if a else None
    (a, b, c), (d, e, f) = rows  # type: ignore[misc]
    determinant = a * e - b * d
    return ((c * e - b * f) / determinant, (a * f - c * d) / determinant) if determinant else None


def _coefficients(pair: Equation, unknowns: Sequence[str], numbers: Point) -> tuple[Fraction, ...] | None:
    """Return the coefficients of the unknowns, and the number on the other side; None if they are not linear."""

    def off(*at: int) -> Fraction:
        there = {name: Fraction(value) for name, value in zip(unknowns, at, strict=True)}
        return _calculate(pair[0], numbers, there) - _calculate(pair[1], numbers, there)

    none = [0] * len(unknowns)
    constant = off(*none)
    found = [off(*(int(i == j) for j in range(len(unknowns)))) - constant for i in range(len(unknowns))]
    if off(*(2 + i for i in range(len(unknowns)))) != constant + sum((2 + i) * a for i, a in enumerate(found)):
        return None
    return (*found, -constant)


def _points(gold: Gold, *, ones: bool) -> list[Point]:
    """Return other numbers of the text; with `ones` a number that is one stays one, as a factor 1 may be left out."""
    random = Random(5)
    found = []
    for _ in range(3):
        changed = {c: gold.values[c] * random.randint(11, 29) / random.randint(11, 29) for c in gold.values}
        there = {index: changed[gold.classes[index]] for index in gold.values}
        if ones:
            there.update({index: value for index, value in gold.values.items() if value == 1})
        found.append(there)
    return found


class Judge:
    """Decides whether equations are another function of the numbers than gold and its alternatives."""

    def __init__(self, gold: Gold) -> None:
        self.gold = gold
        self._points = [*_points(gold, ones=False)[:1], *_points(gold, ones=True)]
        ways = [way for way in (gold.equations, *gold.others) if len(way) == len(gold.equations)]
        self._golds = [[solve(way, gold.unknowns, point) for point in self._points] for way in ways]
        self.result = solve(gold.equations, gold.unknowns, gold.values)

    def differs(self, equations: Sequence[Equation]) -> bool:
        """Decide whether equations are another function, also where numbers that are one are left out."""
        found = [solve(equations, self.gold.unknowns, point) for point in self._points]
        other = [None if solution is None else solution[::-1] for solution in found]
        return all(way[1:] != gold[1:] and way[0] != gold[0] for gold in self._golds for way in (found, other))

    def is_luck(self, way: Way) -> bool:
        """Decide whether a way comes to gold's result and is another function in every reading of its literals."""
        if solve(way.equations, self.gold.unknowns, self.gold.values) != self.result:
            return False
        readings = list(islice(_readings(way, self.gold), _READINGS + 1))
        return len(readings) <= _READINGS and all(map(self.differs, readings))


def _readings(way: Way, gold: Gold) -> Iterator[tuple[Equation, ...]]:
    """Yield the equations with each literal taken for each number, constant or earlier result of its value."""
    trees = [side for pair in way.equations for side in pair]
    parts = [part for tree in trees for part in _parts(tree)] if _is_chain(way.equations) else []
    steps = [(part, _calculate(part, gold.values, {})) for part in parts if part[0] in _OPERATIONS]
    golds = [part for way in (gold.equations, *gold.others) for pair in way for side in pair for part in _parts(side)]
    constants = {part[1] for part in golds if part[0] == "c"}
    leaves = [(t, path) for t, tree in enumerate(trees) for path in _paths(tree) if _at(tree, path)[0] != "x"]
    places, choices = [], []
    for t, path in leaves:
        leaf = _at(trees[t], path)
        if leaf[0] in _OPERATIONS:
            value = _calculate(leaf, gold.values, {}) if not any(_unknowns(leaf)) else None
            options = [("q", i) for i, v in gold.values.items() if v == value] if steps and path else []
            options += [part for part, v in steps if path and v == value and part != leaf and leaf not in _parts(part)]
            options += [("c", value)] if path and value in constants else []
            options += _repeated(leaf, gold)
        else:
            value = gold.values[leaf[1]] if leaf[0] == "q" else leaf[1]
            label = gold.labels.get(leaf[1], "") if leaf[0] == "q" and way.labelled else ""
            options = [("q", i) for i, v in gold.values.items() if v == value and ("q", i) != leaf]
            if label:
                options = [("q", i) for _, i in options if not _disjoint(label, gold.labels.get(i, label))]
                options += [("c", value)] if value in constants else []
            else:
                options += [("c", value)] if leaf[0] == "q" and (value in constants or value in range(13)) else []
                options += [part for part, v in steps if v == value and leaf not in _parts(part)]
                options += [("/", ("c", Fraction(1)), ("q", i)) for i, v in gold.values.items() if v * value == 1 != v]
                options += [("/", ("q", i), ("c", Fraction(100))) for i, v in gold.values.items() if v == 100 * value]
        if options:
            places.append((t, path))
            choices.append([leaf, *options])
    for chosen in product(*choices):
        new = list(trees)
        # Inner parts first: what stands for a whole step replaces its parts
        for place, node in sorted(enumerate(chosen), key=lambda item: -len(places[item[0]][1])):
            t, path = places[place]
            if node is not choices[place][0]:
                new[t] = _put(new[t], path, node)
        yield tuple(zip(new[::2], new[1::2], strict=True))


_OPERATIONS = "+-*/"


def _repeated(node: Node, gold: Gold) -> list[Node]:
    """Return what a sum of equal values may stand for: a value times a number of the text."""
    terms: list[Node] = []
    while node[0] == "+":
        terms.append(node[2])
        node = node[1]
    terms.append(node)
    if len(terms) < 2 or any(any(_unknowns(term)) for term in terms):
        return []
    if len({_calculate(term, gold.values, {}) for term in terms}) > 1:
        return []
    counts = [("q", i) for i, v in gold.values.items() if v == len(terms)]
    return [("*", count, term) for count in counts for term in dict.fromkeys(terms)]


def _disjoint(one: str, other: str) -> bool:
    first, second = ({word.lower().rstrip("s") for word in text.split()} for text in (one, other))
    return bool(first and second) and not first & second


def _parts(node: Node) -> Iterator[Node]:
    yield node
    if node[0] in _OPERATIONS:
        yield from _parts(node[1])
        yield from _parts(node[2])


def _paths(node: Node, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    yield path
    if node[0] in _OPERATIONS:
        yield from _paths(node[1], (*path, 1))
        yield from _paths(node[2], (*path, 2))


def _at(node: Node, path: Sequence[int]) -> Node:
    for step in path:
        node = node[step]
    return node


def _put(node: Node, path: Sequence[int], new: Node) -> Node:
    if not path:
        return new
    return tuple(_put(part, path[1:], new) if place == path[0] else part for place, part in enumerate(node))


# Wrong ways


def plant(gold: Gold, random: Random) -> Iterator[Way]:
    """Yield wrong ways that come to gold's result, each once.

    Whatever only words tell from gold is of the kind "equal value"; the other kinds are told by the numbers alone.
    """
    judge = Judge(gold)
    seen = set()
    for way in _attempts(gold, random):
        if way.equations in seen or not _is_natural(way.equations, gold):
            continue
        seen.add(way.equations)
        if judge.is_luck(way):
            # Only the words beside equal numbers tell it from gold
            needs_words = not judge.is_luck(replace(way, labelled=False))
            yield replace(way, kind=EQUAL) if needs_words else way
    if gold.names:
        yield Way(gold.equations, ROLES, gold.names[::-1])


def _attempts(gold: Gold, random: Random) -> Iterator[Way]:
    trees = [side for pair in gold.equations for side in pair]
    used = sorted(gold.values)

    def way(t: int, tree: Node, kind: str) -> Way:
        new = [*trees[:t], tree, *trees[t + 1 :]]
        return Way(tuple(zip(new[::2], new[1::2], strict=True)), kind, gold.names)

    spots = [(t, path) for t, tree in enumerate(trees) for path in _paths(tree)]
    random.shuffle(spots)
    leaves = [(t, path) for t, path in spots if _at(trees[t], path)[0] == "q"]
    nodes = [(t, path) for t, path in spots if _at(trees[t], path)[0] in _OPERATIONS]
    for t, path in leaves:
        index = _at(trees[t], path)[1]
        for other in used:
            same = other != index and gold.values[other] == gold.values[index]
            if same and _disjoint(gold.labels.get(index, ""), gold.labels.get(other, "")):
                yield way(t, _put(trees[t], path, ("q", other)), EQUAL)
    for place, (t, path) in enumerate(leaves):
        for u, other in leaves[:place]:
            one, two = _at(trees[t], path), _at(trees[u], other)
            if gold.values[one[1]] != gold.values[two[1]]:
                new = list(trees)
                new[t] = _put(new[t], path, two)
                new[u] = _put(new[u], other, one)
                yield Way(tuple(zip(new[::2], new[1::2], strict=True)), EXCHANGED, gold.names)
    yield from _added(gold, random, trees)
    for t, path in nodes:
        sign, left, right = _at(trees[t], path)
        for other, (a, b) in product(_OPERATIONS, ((left, right), (right, left))):
            if other != sign:
                yield way(t, _put(trees[t], path, (other, a, b)), OPERATION)
    singles = []
    for t, path in leaves:
        singles += [(t, path, ("q", other)) for other in used]
    for t, path in nodes:
        sign, left, right = _at(trees[t], path)
        singles += [(t, path, (other, left, right)) for other in _OPERATIONS if other != sign]
    for _ in range(_PAIRS if len(singles) > 1 else 0):
        (t, path, one), (u, other, two) = random.sample(singles, 2)
        if path[: len(other)] == other[: len(path)] and t == u:
            continue
        new = list(trees)
        new[t] = _put(new[t], path, one)
        new[u] = _put(new[u], other, two)
        yield Way(tuple(zip(new[::2], new[1::2], strict=True)), TWO, gold.names)
    pairs = [
        (sign, ("q", a), ("q", b)) for sign, a, b in product(_OPERATIONS, used, used) if a != b or sign in ("+", "*")
    ]
    random.shuffle(pairs)
    for t, path in spots:
        old = _at(trees[t], path)
        if any(_unknowns(old)) or old[0] == "c":
            continue
        value = _value(old, gold)
        for new in (*pairs, *(("q", index) for index in used)):
            if value is not None and _value(new, gold) == value and not (old[0] == new[0] == "q"):
                yield way(t, _put(trees[t], path, new), NUMBER)
    if len(gold.unknowns) == 2:
        m, n = (("x", name) for name in gold.unknowns)
        for t, index in product(range(0, len(trees), 2), used):
            for left, right in (
                ((m, ("*", ("q", index), n))), ((n, ("*", ("q", index), m))), ((m, ("+", n, ("q", index)))),
                ((n, ("+", m, ("q", index)))), ((("+", m, n), ("q", index))),
            ):  # fmt: skip
                new = [*trees[:t], left, right, *trees[t + 2 :]]
                yield Way(tuple(zip(new[::2], new[1::2], strict=True)), OPERATION, gold.names)


def _added(gold: Gold, random: Random, trees: Sequence[Node]) -> Iterator[Way]:
    """Yield ways that add a number, and take its value away again by other numbers."""
    used = sorted(gold.values)
    if not gold.is_chain or trees[1][0] not in _OPERATIONS:
        return
    value = _value(trees[1], gold)
    spots = [path for path in _paths(trees[1]) if path and _at(trees[1], path)[0] != "c"]
    for path, extra in product(random.sample(spots, min(3, len(spots))), used):
        changed = _put(trees[1], path, ("+", _at(trees[1], path), ("q", extra)))
        there = _value(changed, gold)
        if there is None or value is None:
            continue
        for sign, a, b in product("*+-", used, used):
            back = (sign, ("q", a), ("q", b))
            if a != extra and b != extra and _value(back, gold) == abs(there - value) != 0:
                tree = ("-" if there > value else "+", changed, back)
                yield Way(((trees[0], tree),), ADDED, gold.names)


def _value(node: Node, gold: Gold) -> Fraction | None:
    try:
        return _calculate(node, gold.values, {})
    except ZeroDivisionError:
        return None


def _is_natural(equations: Sequence[Equation], gold: Gold) -> bool:
    """Decide whether every step has a positive value that can be written with a few digits."""
    for side in (side for pair in equations for side in pair):
        for part in _parts(side):
            if part[0] in _OPERATIONS and not any(_unknowns(part)):
                value = _value(part, gold)
                if value is None or value <= 0 or not _is_tidy(value):
                    return False
    return not _is_chain(equations) or equations[0][1][0] in _OPERATIONS


def _is_tidy(value: Fraction) -> bool:
    return (value * 10_000).denominator == 1 and value < 10**9


# Writing


def write(way: Way, gold: Gold, style: str) -> str:
    """Return an answer that goes a way, in a style."""
    if _is_chain(way.equations):
        return _CHAINS[style](_Chain(way.equations[0][1], gold))
    return _SYSTEMS[style](_System(way, gold))


def short(value: Fraction) -> str:
    """Return a tidy number in digits."""
    return str(value) if value.denominator == 1 else f"{float(value):.4f}".rstrip("0")


class _Chain:
    """The steps of an expression of numbers, each an operation with its value."""

    def __init__(self, tree: Node, gold: Gold) -> None:
        self.gold = gold
        self.steps: list[tuple[str, Node, Node, Fraction]] = []
        self._done: dict[Node, int] = {}
        self._add(tree)
        self.result = short(self.steps[-1][3])

    def _add(self, node: Node) -> None:
        if node[0] in _OPERATIONS and node not in self._done:
            self._add(node[1])
            self._add(node[2])
            self._done[node] = len(self.steps) + 1
            self.steps.append((*node, _calculate(node, self.gold.values, {})))  # type: ignore[arg-type]

    def operand(self, node: Node, latex: bool = False) -> str:
        """Return an operand: a number with the words behind it, or the value of an earlier step."""
        value = short(_calculate(node, self.gold.values, {}))
        label = self.gold.labels.get(node[1], "") if node[0] == "q" else ""
        if label == "dollars":
            return rf"\${value}" if latex else f"${value}"
        if not label:
            return value
        return rf"{value} \text{{ {label}}}" if latex else f"{value} {label}"

    def lines(self, times: str = "*", over: str = "/", latex: bool = False) -> list[tuple[str, str]]:
        """Return each step as its operation and its value."""
        signs = {"*": times, "/": over, "+": "+", "-": "-"}
        return [
            (f"{self.operand(left, latex)} {signs[sign]} {self.operand(right, latex)}", short(value))
            for sign, left, right, value in self.steps
        ]

    def program(self) -> list[str]:
        """Return the steps as lines of Python, with a name for each number that has words."""
        names: dict[int, str] = {}
        for index, label in self.gold.labels.items():
            name = re.sub(r"\W+", "_", label.lower())
            names[index] = name if name not in names.values() else f"{name}_{index}"
        used = [leaf[1] for step in self.steps for leaf in step[1:3] if leaf[0] == "q" and leaf[1] in names]
        lines = [f"{names[index]} = {short(self.gold.values[index])}" for index in dict.fromkeys(used)]

        def operand(node: Node) -> str:
            if node[0] in _OPERATIONS:
                return f"step{self._done[node]}"
            name = names.get(node[1]) if node[0] == "q" else None
            return name or short(_calculate(node, self.gold.values, {}))

        for place, (sign, left, right, _) in enumerate(self.steps, 1):
            lines.append(f"step{place} = {operand(left)} {sign} {operand(right)}")
        return [*lines, f"print(step{len(self.steps)})"]

    def false_start(self) -> str:
        """Return a first thought that is taken back."""
        numbers = [short(value) for value in list(self.gold.values.values())[:2]] * 2
        total = short(Fraction(numbers[0]) + Fraction(numbers[1]))
        return f"Maybe I just add them: {numbers[0]} + {numbers[1]} = {total}. No, wait, that is not what is asked."


_OPENERS = ("First", "Next", "Then", "After that", "Now")


def _chat(chain: _Chain) -> str:
    said = [f"{_OPENERS[min(i, 4)]}, {done} = {value}." for i, (done, value) in enumerate(chain.lines("×", "÷"))]
    return f"Let's work this out.\n\n{' '.join(said)}\n\nSo the answer is {chain.result}."


def _markdown(chain: _Chain) -> str:
    steps = [f"{i}. **Step {i}:** {done} = **{value}**" for i, (done, value) in enumerate(chain.lines("×", "÷"), 1)]
    return "### Solution\n\n" + "\n".join(steps) + f"\n\n**Answer: {chain.result}**"


def _latex(chain: _Chain) -> str:
    steps = [
        rf"\[ \text{{Result {i}}} = {done} = {value} \]"
        for i, (done, value) in enumerate(chain.lines(r"\times", r"\div", latex=True), 1)
    ]
    return "\n\n".join(steps) + f"\n\nThe final answer is \\boxed{{{chain.result}}}."


def _terse(chain: _Chain) -> str:
    return "\n".join(f"{done} = {value}" for done, value in chain.lines()) + f"\n#### {chain.result}"


def _think(chain: _Chain) -> str:
    thought = " ".join(f"{done} = {value}." for done, value in chain.lines())
    return f"<think>\n{chain.false_start()} Let me start over. {thought}\n</think>\n\n{_markdown(chain)}"


def _python(chain: _Chain) -> str:
    return "```python\n" + "\n".join(chain.program()) + f"\n```\n\nThe program prints {chain.result}."


def _table(chain: _Chain) -> str:
    rows = [f"| {i} | {done} | {value} |" for i, (done, value) in enumerate(chain.lines("×", "÷"), 1)]
    head = "| Step | Calculation | Result |\n|---|---|---|\n"
    return head + "\n".join(rows) + f"\n\n**Final answer: {chain.result}**"


def _one_line(chain: _Chain) -> str:
    return ", ".join(f"{done} = {value}" for done, value in chain.lines()) + f". Answer: {chain.result}"


class _System:
    """The equations of a way in letters, their solution, and the names of the unknowns."""

    def __init__(self, way: Way, gold: Gold) -> None:
        self.gold = gold
        self.letters = dict(zip(gold.unknowns, "xy", strict=False))
        self.way = way
        self.found = solve(way.equations, gold.unknowns, gold.values) or ()
        self.rows = [_coefficients(pair, gold.unknowns, gold.values) or () for pair in way.equations]
        self.named: dict[int, str] = {}  # names of numbers in Python
        given = way.names or gold.names
        self.called = dict(zip(self.letters.values(), given or ("first unknown", "second unknown"), strict=False))
        self.result = (
            " and ".join(f"{name} = {short(value)}" for name, value in zip(gold.names, self.found, strict=True))
            if gold.names
            else " and ".join(f"{x} = {short(v)}" for x, v in zip(self.letters.values(), self.found, strict=True))
        )

    def define(self) -> str:
        """Return the sentence that says what the letters stand for."""
        if not self.gold.names:
            return "Let x and y be what is asked for." if len(self.letters) == 2 else "Let x be what is asked for."
        return "Let " + " and ".join(f"{x} stand for {name}" for x, name in self.called.items()) + "."

    def equations(self, python: bool = False, latex: bool = False) -> list[str]:
        """Return the equations as text; in Python as a call."""
        sides = [[self._text(side, python, latex)[0] for side in pair] for pair in self.way.equations]
        return [f"Eq({left}, {right})" if python else f"{left} = {right}" for left, right in sides]

    def _text(self, node: Node, python: bool, latex: bool) -> tuple[str, int]:
        if node[0] == "x":
            return self.letters[node[1]], 3
        if node[0] in "qc":
            value = self.gold.values[node[1]] if node[0] == "q" else node[1]
            shared = node[0] == "q" and sum(v == value for v in self.gold.values.values()) > 1
            label = self.gold.labels.get(node[1], "") if shared else ""
            text = short(value) if _is_tidy(value) else f"({value})"
            if label and python:
                return self.named.setdefault(node[1], f"{re.sub(r'[^a-z]+', '_', label.lower())}_{node[1]}"), 3
            if not label:
                return text, 3
            if label == "dollars":
                return (rf"\${text}" if latex else f"${text}"), 2
            return (f"{text} \\text{{ {label}}}", 2) if latex else (f"{text} {label}", 2)
        sign, left, right = node
        rank = 1 if sign in "+-" else 2
        (a, strong), (b, tight) = self._text(left, python, latex), self._text(right, python, latex)
        a = f"({a})" if strong < rank else a
        b = f"({b})" if tight < rank or (tight == rank and sign in "-/" and right[0] in _OPERATIONS) else b
        if sign == "*" and not python and right[0] == "x" and re.fullmatch(r"[\d.]+", a):
            return f"{a}{b}", 2
        written = {"*": r"\cdot"}.get(sign, sign) if latex else sign
        return f"{a} {written} {b}", rank

    def solving(self) -> list[str]:
        """Return the steps from the equations to the values of the letters."""
        if len(self.rows) == 1:
            ((a, c),) = self.rows
            step = [f"{short(a)}x = {short(c)}"] if a != 1 and a > 0 and _is_tidy(a) and _is_tidy(c) else []
            return [*step, f"x = {short(self.found[0])}"]
        (a, b, c), (d, e, f) = self.rows
        left, right = a * e - b * d, c * e - b * f
        if left < 0:
            left, right = -left, -right
        step = [f"{short(left)}x = {short(right)}"] if left != 1 and _is_tidy(left) and _is_tidy(right) else []
        return [*step, f"x = {short(self.found[0])}", f"y = {short(self.found[1])}"]


def _system_chat(system: _System) -> str:
    said = " and ".join(system.equations())
    return (
        f"{system.define()} The problem tells us that {said}.\n\nSolving gives {', so '.join(system.solving())}.\n\n"
        f"So the answer is {system.result}."
    )


def _system_markdown(system: _System) -> str:
    lines = "\n".join(f"- {text}" for text in system.equations())
    steps = "\n".join(f"{i}. {text}" for i, text in enumerate(system.solving(), 1))
    parts = ("**Step 1: Set up**", system.define(), lines, "**Step 2: Solve**", steps, f"**Answer: {system.result}**")
    return "\n\n".join(parts)


def _system_latex(system: _System) -> str:
    lines = "\n".join(rf"\[ {text} \]" for text in system.equations(latex=True))
    steps = "\n".join(rf"\[ {text} \]" for text in system.solving())
    return f"{system.define()}\n\n{lines}\n\nSolving:\n\n{steps}\n\nThe final answer is $\\boxed{{{system.result}}}$."


def _system_terse(system: _System) -> str:
    define = [system.define()] if system.gold.names else []
    return "\n".join([*define, *system.equations(), *system.solving(), f"#### {system.result}"])


def _system_think(system: _System) -> str:
    a, b = ([short(v) for v in system.gold.values.values() if _is_tidy(v)] * 2)[:2]
    start = f"Perhaps x = {a} + {b}? No, wait, that is not what is asked. Let me start over."
    said = " ".join(f"{text}." for text in (*system.equations(), *system.solving()))
    return f"<think>\n{start} {system.define()} {said}\n</think>\n\n{_system_markdown(system)}"


def _system_python(system: _System) -> str:
    letters = list(system.letters.values())
    comments = [f"# {system.define()}"]
    listed = ", ".join(letters)
    equations = ", ".join(system.equations(python=True))
    lines = [
        "from sympy import Eq, solve, symbols",
        *comments,
        *(f"{name} = {short(system.gold.values[index])}" for index, name in system.named.items()),
        f"{listed} = symbols({' '.join(letters)!r})",
        f"solution = solve([{equations}], [{listed}])",
        "print(solution)",
    ]
    return "```python\n" + "\n".join(lines) + f"\n```\n\nThe program prints {system.result}."


def _system_table(system: _System) -> str:
    rows = [f"| Equation {i} | {text} |" for i, text in enumerate(system.equations(), 1)]
    rows += [f"| Solve | {text} |" for text in system.solving()]
    head = "| Step | Calculation |\n|---|---|\n"
    return f"{system.define()}\n\n{head}" + "\n".join(rows) + f"\n\n**Final answer: {system.result}**"


def _system_one_line(system: _System) -> str:
    return f"{system.define()} {', '.join((*system.equations(), *system.solving()))}. Answer: {system.result}"


_CHAINS = dict(zip(STYLES, (_chat, _markdown, _latex, _terse, _think, _python, _table, _one_line), strict=True))
_SYSTEMS = dict(
    zip(
        STYLES,
        (
            _system_chat,
            _system_markdown,
            _system_latex,
            _system_terse,
            _system_think,
            _system_python,
            _system_table,
            _system_one_line,
        ),
        strict=True,
    )
)


@dataclass(frozen=True)
class Planted:
    """An answer to a row, and what is wrong with it; nothing if it is right."""

    gold: Gold
    style: str
    kind: str
    text: str
    way: Way


def planted_answers(golds: Iterable[Gold], wanted: int, seed: int, each: int = 2) -> list[Planted]:
    """Return wrong answers with right results, at most some of a kind and row, and a right one beside each of them.

    The kinds take turns, as far as there are any; so do the styles.
    """
    random = Random(seed)
    by_kind: dict[str, list[tuple[Gold, Way]]] = {kind: [] for kind in KINDS}
    for gold in golds:
        taken: dict[str, int] = {}
        for way in islice(plant(gold, random), 40):
            if taken.setdefault(way.kind, 0) < each:
                taken[way.kind] += 1
                by_kind[way.kind].append((gold, way))
        if all(len(found) >= wanted for found in by_kind.values()):
            break
    chosen: list[tuple[Gold, Way]] = []
    for found in by_kind.values():
        random.shuffle(found)
    while len(chosen) < wanted and any(by_kind.values()):
        chosen += [found.pop() for found in by_kind.values() if found]
    answers = []
    for place, (gold, way) in enumerate(chosen[:wanted]):
        style = STYLES[(place + place // len(STYLES)) % len(STYLES)]
        right = Way(gold.equations, "", gold.names)
        answers.append(Planted(gold, style, way.kind, write(way, gold, style), way))
        answers.append(Planted(gold, style, "", write(right, gold, style), right))
    return answers
