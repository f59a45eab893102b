"""From the bytes of a stored page to its question and explanations, and the edits proposed for the question."""

from __future__ import annotations

from draw_dataset.cleaning.pages.content import Explanation, ParsedPage, parse_page
from draw_dataset.cleaning.pages.edits import propose_changes

__all__ = ["Explanation", "ParsedPage", "parse_page", "propose_changes"]
