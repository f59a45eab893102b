"""Which texts may be the name of an annotator.

A name is kept as people write it, markup and all: escaping it is the matter of whoever shows it. Two ways to write the
same letters are one name (Unicode's normal form C), blanks around it do not count, and characters that cannot be seen
are refused, since two names that look alike would be two people.
"""

from __future__ import annotations

import unicodedata

from draw_dataset.errors import AnnotationError, shown

MAX_NAME = 100
"""How many characters a name may have."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_JOINERS = frozenset("\u200c\u200d")
"""They cannot be seen either, but some scripts are not written without them."""


def normal_name(name: str) -> str:
    r"""Return the name that a text stands for.

    >>> normal_name("  Zoe\u0308 <b> ") == "Zo\u00eb <b>"
    True

    Raises:
        AnnotationError: it is empty, too long, or has characters that cannot be seen.
    """
    if not isinstance(name, str):
        raise AnnotationError(f"name: expected a text, but got {shown(name)}")
    if len(name) > 4 * MAX_NAME:
        raise AnnotationError(f"name: expected at most {MAX_NAME} characters, but got {len(name)}")
    normal = unicodedata.normalize("NFC", name).strip()
    if not normal:
        raise AnnotationError("name: expected at least one character that can be seen, but got none")
    if len(normal) > MAX_NAME:
        raise AnnotationError(f"name: expected at most {MAX_NAME} characters, but got {len(normal)}")
    for character in normal:
        if unicodedata.category(character) in _UNSEEN and character not in _JOINERS:
            raise AnnotationError(
                f"name: expected characters that can be seen, but got U+{ord(character):04X} in {ascii(normal)[:60]}"
            )
    return normal
