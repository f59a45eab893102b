"""The sections of a record of ``scripts/freeze_corpus.py``; only the public surface of the package is used."""
