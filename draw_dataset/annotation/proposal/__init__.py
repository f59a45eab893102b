"""From a question and its equations to the derivations they leave open, and to the problem that one of them gives."""

from __future__ import annotations

from draw_dataset.annotation.proposal.candidates import CONSTANT, LiteralOrigins, Origin, Proposal, propose
from draw_dataset.annotation.proposal.induction import annotated_problem, induce

__all__ = ["CONSTANT", "LiteralOrigins", "Origin", "Proposal", "annotated_problem", "induce", "propose"]
