"""From a site to a ledger of raw pages: which are wanted, which are had, what became of each."""

from draw_dataset.crawl.entries import State, StoredPage
from draw_dataset.crawl.ledger import Ledger

__all__ = ["Ledger", "State", "StoredPage"]
