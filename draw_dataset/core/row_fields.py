"""Fields of a row: each becomes plain Python data, or an error that names the part that is wrong.

Rows come by the hundred thousand and nearly all are well formed. So each field is first recognised quickly; only a
field that is not recognised is looked at again, to say what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NoReturn, TypeVar

from draw_dataset.core.alignment import TextNumber
from draw_dataset.core.exact import recovered
from draw_dataset.errors import shown

LARGEST = (1 << 63) - 1
"""The largest whole number in a row: columns of datasets hold no larger one."""


class BadField(Exception):
    """A field that does not have its type. Callers prepend the path to the faulty part as the error passes them."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(expected, got)
        self._said = f"expected {expected}, but {got}"
        self._path = ""

    def inside(self, part: str) -> BadField:
        """Prepend a part to the path, and return the error."""
        self._path = part + self._path
        return self

    def __str__(self) -> str:
        return f"{self._path}: {self._said}"


def refuse(expected: str, value: object, path: str = "") -> NoReturn:
    """Refuse a value.

    Raises:
        BadField: what was expected, and the value.
    """
    raise BadField(expected, f"got {shown(value)}").inside(path)


Item = TypeVar("Item")


def read_list(value: object) -> list[Any] | tuple[Any, ...]:
    """Return a list or tuple."""
    if not isinstance(value, (list, tuple)):
        refuse("a list", value)
    return value


def read_each(value: object, read: Callable[[object], Item]) -> tuple[Item, ...]:
    """Read each item of a list."""
    found: list[Item] = []
    for item in read_list(value):
        try:
            found.append(read(item))
        except BadField as error:
            raise error.inside(f"[{len(found)}]") from None
    return tuple(found)


def read_text(value: object, path: str = "") -> str:
    """Return a string."""
    if type(value) is str:
        return value
    if not isinstance(value, str):
        refuse("a string", value, path)
    return str.__str__(value)  # a string of numpy, or a member of an enumeration


def read_texts(value: object) -> tuple[str, ...]:
    """Return a list of strings as a tuple."""
    return tuple([read_text(item) for item in read_list(value)])


def read_float(value: object, path: str = "") -> float:
    """Return a finite number as a float."""
    if type(value) is float and isfinite(value):
        return value
    if type(value) is int:
        try:
            return float(value)
        except OverflowError:  # an integer larger than any float
            pass
    refuse("a finite number" if type(value) in (int, float) else "a number", value, path)


def read_floats(value: object) -> tuple[float, ...]:
    """Return a list of numbers as floats."""
    return tuple([read_float(item) for item in read_list(value)])


_NUMBER = ("index", "sentence", "token", "start", "end", "text", "value")
_MEMBER = ("sentence", "token", "value")


def read_number(given: Any) -> TextNumber:
    """Return a number of the text, from an entry of `numbers`."""
    try:
        index, sentence, token = given["index"], given["sentence"], given["token"]
        start, end, text, value = given["start"], given["end"], given["text"], given["value"]
    except (KeyError, TypeError, IndexError):
        refuse_entry(given, _NUMBER)
    # One test for five whole numbers: the bits of all of them show whether any is negative or too large.
    if not (
        type(index) is type(sentence) is type(token) is type(start) is type(end) is int
        and 0 <= index | sentence | token | start | end <= LARGEST
    ):
        _refuse_whole(index=index, sentence=sentence, token=token, start=start, end=end)
    if type(text) is not str:
        text = read_text(text, ".text")
    return TextNumber(sentence, token, recovered(read_float(value, ".value")), index, text, start, end)


def _member(given: Any) -> TextNumber:
    try:
        sentence, token, value = given["sentence"], given["token"], given["value"]
    except (KeyError, TypeError, IndexError):
        refuse_entry(given, _MEMBER)
    check_place(sentence, token)
    return TextNumber(sentence, token, recovered(read_float(value, ".value")))


def read_group(given: object) -> tuple[TextNumber, ...]:
    """Return the numbers of a group of `equiv_tnum`."""
    return tuple([_member(member) for member in read_list(given)])


def check_place(sentence: object, token: object) -> None:
    """Refuse a sentence or token that is not a whole number from 0."""
    if not (type(sentence) is int and type(token) is int and 0 <= sentence | token <= LARGEST):
        _refuse_whole(sentence=sentence, token=token)


def _refuse_whole(**parts: object) -> NoReturn:
    wrong = next(name for name, part in parts.items() if type(part) is not int or not 0 <= part <= LARGEST)
    refuse("a whole number from 0", parts[wrong], f".{wrong}")


def refuse_entry(given: object, names: tuple[str, ...]) -> NoReturn:
    """Refuse an entry that is not a mapping, or lacks a key.

    Raises:
        BadField: the keys that are needed, and those that are missing.
    """
    if not isinstance(given, Mapping):
        refuse(f"a mapping with {', '.join(names)}", given)
    missing = ", ".join(name for name in names if name not in given)
    raise BadField(", ".join(names), f"{missing} is missing")
