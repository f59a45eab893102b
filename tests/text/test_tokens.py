from __future__ import annotations

import pytest

from draw_dataset.errors import ChoiceError, DrawError, LimitError
from draw_dataset.text.tokens import MAX_CHARACTERS, Token, detect_rule, sentences, tokenize


def test_release_rule_cuts_at_blanks_only() -> None:
    text = "Ann 's  shop\tsells\u00a05-dollar caps."
    assert [token.text for token in tokenize(text, "release")] == text.split()


def test_positions_count_from_zero_and_start_again_in_each_sentence() -> None:
    tokens = tokenize("Go ! Is 5 odd ? Yes", "release")
    assert [(token.sentence, token.index) for token in tokens] == [
        (0, 0),
        (0, 1),
        (1, 0),
        (1, 1),
        (1, 2),
        (1, 3),
        (2, 0),
    ]


@pytest.mark.parametrize("mark", ["??", "...", "Mr.", "?!"])
def test_only_a_single_mark_ends_a_sentence_of_tokenised_text(mark: str) -> None:
    assert len(sentences(f"one {mark} two", "release")) == 1


def test_offsets_lead_back_to_the_text() -> None:
    text = "  Ann   has 5 .\n"
    assert tokenize(text)[2] == Token(sentence=0, index=2, start=12, end=13, text="5")
    assert all(text[token.start : token.end] == token.text for token in tokenize(text))


@pytest.mark.parametrize("text", ["", "   ", "\n\t\u00a0"])
def test_a_blank_text_has_no_tokens_and_no_sentences(text: str) -> None:
    assert tokenize(text) == []
    assert sentences(text) == []


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Ann has 5 caps . Bob has 3 .", "release"),
        ("Ann has 5 caps. Bob has 3.", "raw"),
        ("Mr. Hall paid $ 5 to J. Lee .", "release"),
        ("Mr. Hall paid $5 to J. Lee.", "raw"),
        ("three pears and 9 figs", "release"),
        ("a tip of 20% on $30", "raw"),
        ("Ann's cap", "raw"),
        ("Ann 's cap", "release"),
        ("Ann’s cap", "raw"),
        ("the tank holds 12 ft. of water .", "release"),
        ("", "release"),
    ],
)
def test_the_rule_is_detected_by_where_the_marks_stand(text: str, rule: str) -> None:
    assert detect_rule(text) == rule


def test_the_caller_may_say_which_rule_applies() -> None:
    assert len(tokenize("$5.", "release")) == 1
    assert len(tokenize("$5.", "raw")) == 3


def test_an_unknown_rule_is_refused_by_name() -> None:
    with pytest.raises(ChoiceError, match=r"'auto'.*'release'.*'raw'.*'words'"):
        tokenize("5", "words")  # type: ignore[arg-type]


def test_a_text_beyond_the_bound_is_refused() -> None:
    assert len(tokenize("a" * MAX_CHARACTERS)) == 1
    with pytest.raises(LimitError, match=r"\b100000\b.*\b100001\b") as refusal:
        tokenize("a" * (MAX_CHARACTERS + 1))
    assert isinstance(refusal.value, DrawError)
