"""Laws of tokens and numbers, on arbitrary text and on text made of what the rules look at."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from draw_dataset.text.lexicon import LEXICON, PLURAL_DENOMINATORS, split_words
from draw_dataset.text.numbers import NumberWords, find_numbers, has_number
from draw_dataset.text.tokens import Rule, sentences, tokenize

PIECES = [
    *LEXICON,
    *PLURAL_DENOMINATORS,
    *split_words("and of the number integers ago year hundred Mr. e.g. ft. don't Ann's other"),
    *split_words("5 1 000 ,000 1,200.50 .5 2/3 1/0 2½ ½ -3 −3 +8 5% $5 70lb 20-peso 5-10 1,2,3 2nd 1990s 5:30 pm"),
    *split_words(". ? ! , ; : ( ) “ ” ’ - – — / = $ %"),
]
WORDY = st.lists(
    st.tuples(st.sampled_from(PIECES), st.sampled_from([" ", " ", " ", "", "\u00a0", "\n"])), max_size=30
).map(lambda pairs: "".join(piece + blank for piece, blank in pairs))
TEXTS = st.one_of(st.text(max_size=200), WORDY)
RULES: st.SearchStrategy[Rule] = st.sampled_from(["auto", "release", "raw"])
SETTINGS: st.SearchStrategy[NumberWords] = st.sampled_from(["standard", "broad"])


@given(TEXTS, RULES)
def test_tokens_are_slices_of_the_text_in_order(text: str, rule: Rule) -> None:
    tokens = tokenize(text, rule)
    assert all(token.text == text[token.start : token.end] != "" for token in tokens)
    assert all(before.end <= after.start for before, after in pairwise(tokens))


@given(TEXTS, RULES)
def test_tokens_hold_every_character_that_is_not_blank(text: str, rule: Rule) -> None:
    assert "".join(token.text for token in tokenize(text, rule)) == "".join(text.split())


@given(TEXTS)
def test_the_release_rule_is_splitting_at_blanks(text: str) -> None:
    assert [token.text for token in tokenize(text, "release")] == text.split()


@given(TEXTS, RULES)
def test_putting_blanks_between_the_tokens_changes_no_position(text: str, rule: Rule) -> None:
    tokens = tokenize(text, rule)
    spaced = tokenize(" ".join(token.text for token in tokens), "release")
    assert [(token.sentence, token.index, token.text) for token in spaced] == [
        (token.sentence, token.index, token.text) for token in tokens
    ]


@given(TEXTS, RULES)
def test_sentences_hold_the_tokens_in_order(text: str, rule: Rule) -> None:
    parts = sentences(text, rule)
    assert [token for part in parts for token in part] == tokenize(text, rule)
    assert all(
        (token.sentence, token.index) == (number, index)
        for number, part in enumerate(parts)
        for index, token in enumerate(part)
    )


@given(TEXTS, SETTINGS, RULES)
def test_numbers_are_slices_of_the_text_in_order(text: str, setting: NumberWords, rule: Rule) -> None:
    numbers = find_numbers(text, setting, rule)
    assert [number.index for number in numbers] == list(range(1, len(numbers) + 1))
    assert all(number.text == text[number.start : number.end] != "" for number in numbers)
    assert all(before.end <= after.start for before, after in pairwise(numbers))


@given(TEXTS, SETTINGS, RULES)
def test_a_number_overlaps_the_token_it_sits_on(text: str, setting: NumberWords, rule: Rule) -> None:
    places = {(token.sentence, token.index): token for token in tokenize(text, rule)}
    for number in find_numbers(text, setting, rule):
        token = places[number.sentence, number.token]
        assert number.start < token.end
        assert token.start < number.end


@given(TEXTS, RULES)
def test_the_broad_setting_finds_all_that_the_standard_one_finds(text: str, rule: Rule) -> None:
    def found(setting: Literal["standard", "broad"]) -> set[tuple[object, ...]]:
        return {(number.start, number.end, number.value, number.kind) for number in find_numbers(text, setting, rule)}

    assert found("standard") <= found("broad")


@given(TEXTS)
def test_whether_there_is_a_number_is_known_without_finding_all(text: str) -> None:
    assert has_number(text) == bool(find_numbers(text))


@given(TEXTS, SETTINGS, RULES)
def test_finding_is_deterministic(text: str, setting: NumberWords, rule: Rule) -> None:
    assert find_numbers(text, setting, rule) == find_numbers(text, setting, rule)


@given(TEXTS, SETTINGS)
def test_case_does_not_matter_to_tokenised_text(text: str, setting: NumberWords) -> None:
    if text.isascii():
        upper = find_numbers(text.upper(), setting, "release")
        lower = find_numbers(text.lower(), setting, "release")
        assert [(n.start, n.end, n.value) for n in upper] == [(n.start, n.end, n.value) for n in lower]


@given(st.integers(0, 10**12), st.integers(0, 6))
def test_a_decimal_has_its_exact_value(digits: int, places: int) -> None:
    written = f"{digits:,}" if places == 0 else f"{digits // 10**places}.{digits % 10**places:0{places}d}"
    (number,) = find_numbers(f"It costs ${written}.")
    assert number.text == written
    assert number.value * 10**places == digits
