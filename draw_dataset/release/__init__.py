"""The public release of the paper's data: which files it has, and how they come to this machine."""
