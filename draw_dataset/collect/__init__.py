"""From a site to a ledger of raw pages: which pages are wanted, which are stored, and how each ended."""
