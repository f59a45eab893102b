"""The parts of reproduce_tables.py: what the paper prints, the jobs, their store, the tables made of them."""
