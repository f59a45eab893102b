"""The question: may a text hold what a pattern looks for? Asked before the pattern is, as the answer is mostly no.

A pattern of many words tries them all at every letter of a text. Whether a word stands in a text at all is told many
times faster. So a pattern is given with the words of which it needs at least one, and is searched only where one
stands. Letters outside of ASCII have more than one small form (the sign of kelvin is a k to a pattern, but not to
`str.lower`): texts that have any are searched always.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spotter:
    """A pattern with the words of which it needs one.

    Attributes:
        pattern: the pattern.
        words: stretches of text, in small letters; whatever the pattern finds has one of them.
    """

    pattern: re.Pattern[str]
    words: tuple[str, ...]

    @classmethod
    def of(cls, pattern: str, words: str | Sequence[str]) -> Spotter:
        """Return a spotter that does not tell capital from small letters.

        Args:
            pattern: what to look for.
            words: the words of which it needs one, between blanks or as a list.
        """
        return cls(re.compile(pattern, re.IGNORECASE), tuple(words.split() if isinstance(words, str) else words))

    def search(self, text: str, low: str | None = None) -> re.Match[str] | None:
        r"""Return the first place where the pattern fits.

        Args:
            text: the text.
            low: the same in small letters, if it is at hand.

        >>> Spotter.of(r"\bsquared?\b", "square").search("Nine SQUARED is 81.").group()
        'SQUARED'
        """
        return self.pattern.search(text) if self.may_find(text, low) else None

    def may_find(self, text: str, low: str | None = None) -> bool:
        r"""Say whether the pattern may fit somewhere; if not, it does not.

        >>> Spotter.of(r"\bsquared?\b", "square").may_find("squares"), Spotter.of(r"\bx\b", "x").may_find("y")
        (True, False)
        """
        if not text.isascii():
            return True
        low = text.lower() if low is None else low
        # A loop, as any() with a generator takes twice the time.
        for word in self.words:  # noqa: SIM110
            if word in low:
                return True
        return False
