"""The paper's mathematics: templates, derivations and their equivalence. Standard library only.

The modules here are the objects: `Template`, `Alignment`, `Derivation`, `Problem`. They are built from `equations`
(texts, systems and their solutions), which uses `algebra` (polynomials and elimination). `equivalence` compares them.

Each part imports only parts before it: limits, exact, algebra, equations, objects, equivalence. Inside a sub-package
modules import each other. Code outside imports from the sub-package.
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
