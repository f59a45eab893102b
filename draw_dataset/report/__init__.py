"""Showing derivations and scores: a derivation as a drawing or as text, and a page about systems and their errors."""

from draw_dataset.report.figure import answer_svg, derivation_html, derivation_svg
from draw_dataset.report.shown import Shown, show
from draw_dataset.report.terminal import answer_text, derivation_text

__all__ = ["Shown", "answer_svg", "answer_text", "derivation_html", "derivation_svg", "derivation_text", "show"]
