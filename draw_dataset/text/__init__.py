"""Sentences, tokens and numbers of a text, with their places. Standard library only."""

from draw_dataset.text.numbers import FoundNumber, NumberWords, find_numbers, has_number, locate_numbers
from draw_dataset.text.tokens import Rule, Token, detect_rule, sentence_spans, sentences, tokenize

__all__ = [
    "FoundNumber",
    "NumberWords",
    "Rule",
    "Token",
    "detect_rule",
    "find_numbers",
    "has_number",
    "locate_numbers",
    "sentence_spans",
    "sentences",
    "tokenize",
]
