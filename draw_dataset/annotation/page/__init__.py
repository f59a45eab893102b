"""The page on which people annotate: what it shows, what the browser may ask, access control, and its server."""

from __future__ import annotations

from draw_dataset.annotation.page.server import Served, serve

__all__ = ["Served", "serve"]
