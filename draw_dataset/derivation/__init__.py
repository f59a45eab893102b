"""Templates, derivations, problems, and the equivalence of templates and derivations."""
