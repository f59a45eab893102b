"""From a site to a ledger of raw pages: which pages are wanted, which are stored, and how each ended."""

from draw_dataset.crawl.entries import State, StoredPage
from draw_dataset.crawl.ledger import Ledger

__all__ = ["Ledger", "State", "StoredPage"]
