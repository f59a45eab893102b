"""Elimination in a field says what the evaluation by polynomials says, wherever the equations are linear."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from draw_dataset.algebra.nonlinear import Algebra
from draw_dataset.algebra.polynomial import POINT, PRIME
from draw_dataset.errors import LimitError
from draw_dataset.reading.points import FieldNumbers, LinearEvaluation, NotLinear
from draw_dataset.reading.quantities import (
    CONSTANT,
    Change,
    Evaluation,
    Literal,
    NameOrigin,
    Node,
    Origin,
    PairOrigin,
    RestOrigin,
    Result,
    ResultOrigin,
    SetUp,
    TextOrigin,
    names_of,
    results_of,
)

LITERALS = 8
NUMBERS = 3


def origins() -> st.SearchStrategy[Origin]:
    """Return strategies for where a literal comes from: a number, two of them, a result, a name or itself."""
    scales = st.sampled_from([Fraction(1), Fraction(1, 100), Fraction(-2)])
    offsets = st.sampled_from([Fraction(0), Fraction(1)])
    numbers, results = st.integers(0, NUMBERS - 1), st.integers(0, 1)
    of_text = st.builds(TextOrigin, numbers, st.builds(Change, scales, offsets, st.booleans()))
    of_two = st.builds(PairOrigin, st.sampled_from(["+", "-", "*", "/"]), numbers, numbers, st.builds(Change, scales))
    of_result = st.builds(ResultOrigin, results, st.builds(Change, scales, offsets))
    rests = st.builds(RestOrigin, numbers, results)
    names = st.builds(NameOrigin, st.sampled_from("xy"))
    return st.one_of(of_text, of_two, of_result, rests, names, st.just(CONSTANT))


def nodes(first: int = 0) -> st.SearchStrategy[Node]:
    """Return strategies for expressions with the literals from a number on."""
    leaf = st.one_of(
        st.builds(lambda i: ("number", i), st.integers(first, LITERALS - 1)),
        st.builds(lambda name: ("name", name), st.sampled_from("xyz")),
    )
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.builds(lambda kind, a, b: (kind, a, b), st.sampled_from("+-*/"), inner, inner),
            st.builds(lambda a: ("neg", a), inner),
            st.builds(lambda a, n: ("^", a, n), inner, st.integers(0, 2)),
        ),
        max_leaves=5,
    )


def plain_nodes() -> st.SearchStrategy[Node]:
    """Return strategies for calculations with literals that come from no result, so that none comes from itself."""
    leaf = st.builds(lambda i: ("number", i), st.integers(0, 3))
    return st.builds(lambda kind, a, b: (kind, a, b), st.sampled_from("+-*/"), leaf, leaf)


@given(
    st.lists(origins().filter(lambda origin: not results_of(origin)), min_size=4, max_size=4),
    st.lists(origins(), min_size=4, max_size=4),
    st.lists(plain_nodes(), min_size=2, max_size=2),
    st.lists(st.tuples(nodes(), nodes()), max_size=4),
    nodes(),
)
def test_both_ways_come_to_the_same(
    plain: list[Origin],
    others: list[Origin],
    results: list[Node],
    equations: list[tuple[Node, Node]],
    wanted: Node,
) -> None:
    literals = [Literal(Fraction(i + 2), 0, 0, str(i + 2)) for i in range(LITERALS)]
    setup = SetUp(literals, [[origin] for origin in (*plain, *others)])
    setup.results = [Result(node, literals[0], 0) for node in results]
    setup.equations = [(left, right, 0) for left, right in equations]
    point = list(POINT[:NUMBERS])
    try:
        quick: int | None = LinearEvaluation(FieldNumbers(setup, point), {}).value(wanted)[0]
    except NotLinear:
        return
    except ZeroDivisionError:
        quick = None
    slow = by_polynomials(setup, point, wanted)
    if quick is None and slow is not None:
        # The quick way refuses a set-up that divides by an unknown that is 0; the general way leaves that equation out.
        assert any(divides_by_name(side) for equation in equations for side in equation)
        return
    assert quick == slow


def divides_by_name(node: Node) -> bool:
    inner = [part for part in node[1:] if isinstance(part, tuple)]
    return (node[0] == "/" and bool(names_of(node[2]))) or any(map(divides_by_name, inner))


def by_polynomials(setup: SetUp, point: list[int], wanted: Node) -> int | None:
    """Return what the general evaluation says."""
    field = Algebra(PRIME)
    evaluation = Evaluation(setup, field, [(field.constant(value), {(): 1}) for value in point])
    try:
        evaluation.add_all()
        value = evaluation.value(wanted)
    except (LimitError, ZeroDivisionError):
        return None
    return None if value is None else int(value)
