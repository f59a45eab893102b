"""The page on which people annotate: rendering, what the browser may ask, the gate before it, and its assembly."""
