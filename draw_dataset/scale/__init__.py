"""Cleaning archives and grading answers on many processes or machines, on datatrove.

`readers` reads question pages of WARC files or byte ranges, `steps` judges and deduplicates them, `grading` counts
predictions, and `run` puts the steps in order and gives them to an executor. Needs the extra ``scale``.
"""
