"""Annotation: from a question and its equations to a derivation, with people deciding only what the text leaves open.

In the order of the work: `proposal` finds the open questions, `store` keeps what people decide, `page` asks them, and
`outcome` evaluates the result.
"""

__all__ = ["outcome", "page", "proposal", "store"]
