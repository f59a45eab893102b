"""What each subcommand of ``draw`` does; the arguments are read in `draw_dataset.cli`."""
