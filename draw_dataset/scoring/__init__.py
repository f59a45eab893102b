"""How good predictions are: one verdict a prediction, one score a set of them."""
