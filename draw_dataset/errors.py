"""The errors of the package: each says where, what was expected, what was got, and what to do next.

Every error is both a `DrawError` and the builtin it resembles, so that callers may catch either.
"""

from __future__ import annotations


class DrawError(Exception):
    """Anything this package refuses to do."""


class ReadError(DrawError, ValueError):
    """A text that is not a system of equations as we read them.

    Attributes:
        where: the place, as in ``equation 2, column 7``.
        expected: what would have been right there.
        got: what stands there.
    """

    def __init__(self, where: str, expected: str, got: str) -> None:
        super().__init__(f"{where}: expected {expected}, but got {got}")
        self.where = where
        self.expected = expected
        self.got = got

    def __reduce__(self) -> tuple[type[ReadError], tuple[str, str, str]]:
        return type(self), (self.where, self.expected, self.got)


class NotLinearError(ReadError):
    """An equation that reads well but is not linear in its unknowns, even after clearing denominators."""


class LimitError(DrawError, ValueError):
    """An input larger than the stated bounds; the message names the bound."""


class ChoiceError(DrawError, ValueError):
    """An option that is not one of those offered; the message names them."""


class AlignmentError(DrawError, ValueError):
    """An alignment that does not give each slot of its template exactly one textual number."""


class NumberClassesError(DrawError, ValueError):
    """Groups of equivalent textual numbers (EquivTNum) that are not a partition."""
