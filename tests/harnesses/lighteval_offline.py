"""The command line of lighteval without its download: it fetches a table at each start, for a benchmark of its own."""

from __future__ import annotations

import sys
from types import SimpleNamespace


def main() -> None:
    """Run lighteval; whatever it wants to download by `requests` is not found."""
    import requests

    requests.get = lambda *_, **__: SimpleNamespace(status_code=404)
    from lighteval.__main__ import app

    app()


if __name__ == "__main__":
    sys.exit(main())
