"""Integration with the Hugging Face libraries: names, columns, complete caches, the metric, the .pth file.

Nothing is imported here, since ``draw register`` makes every start of the interpreter import `hooks`.
"""

__all__ = ["cache", "features", "hooks", "metric", "registration"]
