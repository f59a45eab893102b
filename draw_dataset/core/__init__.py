"""The paper's mathematics: templates, derivations and their equivalence. Standard library only."""
