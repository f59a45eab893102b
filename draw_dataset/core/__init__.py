"""The paper's mathematics: templates, derivations and their equivalence. Standard library only.

The modules here are the objects: `Template`, `Alignment`, `Derivation`, `Problem`. What they are made of lies in
`equations` (texts, systems and their solutions), which stands on `algebra` (polynomials and elimination); what is said
of them lies in `equivalence`. Each imports only what comes before it: limits, exact, algebra, equations, objects,
equivalence. Inside a sub-package modules import each other; everybody else imports from the sub-package.
"""

__all__ = [
    "algebra",
    "alignment",
    "derivation",
    "equations",
    "equivalence",
    "exact",
    "limits",
    "problem",
    "references",
    "rows",
    "template",
]
