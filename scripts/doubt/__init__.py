"""The pieces of scripts/measure_doubt.py: which answers are asked for (`asking`), what they say (`reliability`)."""
