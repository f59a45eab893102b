"""Annotation of derivations: people decide only the values that question and equations leave open.

In the order of the work: `proposal` finds the open questions, `store` keeps the decisions, `page` asks people, and
`outcome` evaluates the result.
"""
