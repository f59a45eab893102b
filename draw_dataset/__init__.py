"""Derivations of algebra word problems: how a system of equations was read from a text."""

__version__ = "0.1.0"
