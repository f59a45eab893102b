"""Seeing derivations and scores: one derivation as a drawing or as text, and a page about systems and their errors."""

from draw_dataset.report.figure import derivation_html, derivation_svg
from draw_dataset.report.showing import Shown, show
from draw_dataset.report.terminal import derivation_text

__all__ = ["Shown", "derivation_html", "derivation_svg", "derivation_text", "show"]
