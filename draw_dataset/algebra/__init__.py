"""Exact mathematics of equation systems: grammar, polynomials, elimination, solutions. Standard library only."""
