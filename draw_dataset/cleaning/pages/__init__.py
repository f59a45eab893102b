"""From the bytes of a stored page to its question and explanations."""

from __future__ import annotations

from draw_dataset.cleaning.pages.content import Explanation, ParsedPage, parse_page

__all__ = ["Explanation", "ParsedPage", "parse_page"]
