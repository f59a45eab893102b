"""The public release of the paper's data: its files, how they come to this machine, and the problems in them."""
