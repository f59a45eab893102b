"""From a site to a ledger of raw pages: which are wanted, which are had, what became of each."""

from draw_dataset.crawl.entries import StoredPage
from draw_dataset.crawl.ledger import Ledger
from draw_dataset.crawl.states import State

__all__ = ["Ledger", "State", "StoredPage"]
