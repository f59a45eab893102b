"""What `scripts/benchmark.py` measures: rows and their rewriting, and sections by subject."""
