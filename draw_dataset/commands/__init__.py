"""Subcommands of ``draw``, which `draw_dataset.cli` imports when they are called."""
