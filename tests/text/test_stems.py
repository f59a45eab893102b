"""One rule makes words of the same noun, or of the same family, alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draw_dataset.text.lexicon import singular, stem


@pytest.mark.parametrize(
    ("plural", "one"),
    [
        ("hens", "hen"), ("boxes", "box"), ("pennies", "penny"), ("children", "child"), ("minutes", "minute"),
        ("glasses", "glass"), ("watches", "watch"), ("dishes", "dish"), ("tomatoes", "tomato"), ("shoes", "shoe"),
        ("houses", "house"), ("prices", "price"), ("sizes", "size"), ("cookies", "cookie"), ("pies", "pie"),
        ("feet", "foot"), ("halves", "half"), ("buses", "bus"), ("hrs", "hr"), ("lbs", "lb"), ("boys'", "boy"),
        ("Ann's", "ann"), ("Inches", "inch"),
    ],
)  # fmt: skip
def test_the_singular_of_a_plural(plural: str, one: str) -> None:
    assert singular(plural) == one
    assert singular(one) == one


@pytest.mark.parametrize("word", ["class", "bus", "gas", "this", "plus", "tennis", "series", "mrs", "s", ""])
def test_a_word_that_is_no_plural_stays(word: str) -> None:
    assert singular(word) == word


@pytest.mark.parametrize(
    "family",
    [
        ("mow", "mows", "mowing", "mowed"), ("penny", "pennies"), ("child", "children", "child's"),
        ("dress", "dresses"), ("minute", "minutes"),
    ],
)  # fmt: skip
def test_words_of_one_family_have_one_stem(family: tuple[str, ...]) -> None:
    assert len({stem(word) for word in family}) == 1


@given(st.from_regex(r"[A-Za-z']{1,12}", fullmatch=True))
def test_a_singular_is_lower_case_and_no_longer_than_its_word(word: str) -> None:
    assert singular(word) == singular(word).lower()
    assert len(singular(word)) <= len(word) + 1  # wives, wife; people, person
