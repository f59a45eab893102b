"""Which reader reads the nouns of a text, by its name."""

from __future__ import annotations

from draw_dataset.core.problem import Problem
from draw_dataset.solver.kazb.near import read_near
from draw_dataset.solver.kazb.parsed import parser, read_parsed
from draw_dataset.solver.kazb.readings import Nouns, Reading
from draw_dataset.solver.tagged_text import TaggedText
from draw_dataset.text.rules import rule_of
from draw_dataset.text.tokens import Rule, tokenize


def check_reader(nouns: Nouns) -> None:
    """Say what a reader lacks, before any work is done.

    Raises:
        ExtraMissing: it needs a package that is not installed.
    """
    if nouns == "parsed":
        parser()


def read_nouns(text: TaggedText, given: str | Problem, rule: Rule, nouns: Nouns) -> Reading:
    """Return the reading of a text.

    Args:
        text: the text with its tags.
        given: the text as it was given, or its problem.
        rule: how a text is cut into tokens; a problem's own rule is used for a problem.
        nouns: the reader.

    Raises:
        ExtraMissing: the parser is not installed.
    """
    if nouns == "near":
        return read_near(text)
    written, own = (given.question, rule_of(given)) if isinstance(given, Problem) else (given, rule)
    return read_parsed(text, [token.text for token in tokenize(written, own)])
