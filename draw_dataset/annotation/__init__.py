"""Annotation: from a question and its equations to a derivation, asking people only what the text leaves open.

In the order of the work: `proposal` finds what is open, `store` keeps what people decide, `page` asks them, and
`outcome` says what comes of it.
"""

__all__ = ["outcome", "page", "proposal", "store"]
