"""From raw pages to a pool of problems: `pages` is what stands on a page, `pool` which problems stay and are drawn."""

from __future__ import annotations

__all__ = ["pages", "pool"]
