"""What makes the Hugging Face libraries know this package: names, columns, whole caches, the metric, the .pth file.

Nothing is imported here, since ``draw register`` has `hooks` imported at every start of the interpreter.
"""

__all__ = ["cache", "features", "hooks", "metric", "registration"]
