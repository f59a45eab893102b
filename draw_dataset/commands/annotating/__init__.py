"""The subcommands of ``draw annotate``, one module each, shaped like those of ``draw``."""
