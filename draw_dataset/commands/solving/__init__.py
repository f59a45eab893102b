"""The subcommands of ``draw solve``, one module each, shaped like those of ``draw``."""
