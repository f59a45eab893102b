"""From stored pages of algebra.com to a pool of problems that can be annotated: offline, counted and reversible."""
