"""Defects of annotated problems, each kind a small function, each finding with a stable code."""
