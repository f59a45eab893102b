"""Names of unknowns in words of the text: "Nina is 17" for "m = 17". Gold and its roles are never read."""
