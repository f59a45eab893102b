"""First writings: how was an expression first written.

An answer rewrites its expressions: brackets are expanded, terms merged. The first writing matters, because its numbers
are those of the text. Two expressions are writings of the same quantity if they are the same polynomial in the
unknowns, at the numbers of the text.
"""

from __future__ import annotations

from draw_dataset.core.quantities import Evaluation, Node, SetUp, has_names, is_bare, literals_of


class Writings:
    """The expressions of an answer by what they are as polynomials.

    Args:
        setup: where quantities are kept.
        now: what the equations so far determine.
    """

    def __init__(self, setup: SetUp, now: Evaluation) -> None:
        self._setup = setup
        self._now = now
        self._first: dict[object, Node] = {}
        self._rewritten: set[object] = set()

    def builds_on(self, side: Node, first: Node) -> None:
        """Treat an expression as a writing of another one although it is a slip, since later steps build on it."""
        form = self.form(side)
        if form is not None:
            self._first.setdefault(form, first)

    def remember(self, side: Node, at: int) -> None:
        """Keep an expression of the set-up, and its parts in brackets, as quantities, and its writing."""
        if side[0] in ("name", "number") or is_bare(side):
            return
        self._setup.quantities.append((side, at))
        if has_names(side):
            form = self.form(side)
            if form is not None:
                self._first.setdefault(form, side)
        todo = [part for part in side[1:] if isinstance(part, tuple)]
        while todo:
            part = todo.pop()
            if part[0] in ("+", "-", "*", "/") and has_names(part) and literals_of(part):
                self._setup.quantities.append((part, at))
            if part[0] not in ("name", "number"):
                todo += [inner for inner in part[1:] if isinstance(inner, tuple)]

    def form(self, side: Node) -> object:
        """Return what an expression is as a polynomial in the unknowns, at the numbers of the text."""
        above, below = self._now.ratio(side)
        if not above or all(not m for m in above):
            return None
        return tuple(sorted(above.items())), tuple(sorted(below.items()))

    def known_as(self, side: Node) -> Node:
        """Return the first way in which an expression was written: expanded brackets lead back to the brackets."""
        if side[0] in ("name", "number") or is_bare(side) or not has_names(side):
            return side
        form = self.form(side)
        known = None if form is None else self._first.get(form)
        if known is not None:
            if known != side:
                self._rewritten.add(form)
            return known
        return (side[0], *(self._part_known_as(part) if isinstance(part, tuple) else part for part in side[1:]))

    def _part_known_as(self, part: Node) -> Node:
        """Return a part of an expression as it was first written.

        Where all its numbers are of the text, it is left as it is, unless the answer said before that it is the same.
        """
        if part[0] in ("name", "number"):
            return part
        of_text = all(self._setup.sources[index][0].kind == "text" for index in literals_of(part))
        if of_text and not (has_names(part) and self.form(part) in self._rewritten):
            return part
        return self.known_as(part)
