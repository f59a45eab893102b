"""Writes docs/gold-changes.md, a line for every row that the latest edition changes, and the counts in docs/gold.md.

With --check it writes nothing and fails if a page is not current. Needs no file of the release.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from draw_dataset.data.corrections import KINDS, VERSION
from draw_dataset.data.editions import changed_rows, edition_date, kinds_table
from draw_dataset.data.release import DATASETS
from draw_dataset.data.statistics import TITLES
from draw_dataset.io.atomic import write_atomically

DOCS = Path(__file__).resolve().parents[1] / "docs"

_HEAD = f"""\
# Rows that edition {VERSION} changes

This page has a line for every row that edition {VERSION} of the corrections ({{date}}) has otherwise than it was
published: the edition that changed it last, the kind of the change, and the reason. `python scripts/list_changes.py`
writes the page. `draw check --corrections ID` prints a row before and after, and `draw check --dispute ID` an issue
form about it. [How gold is read](gold.md#edition-{VERSION}) describes the edition and counts its rows.

"""


def list_text() -> str:
    """Return the text of docs/gold-changes.md."""
    lines = [f"- `{kind}`: {meaning}" for kind, meaning in KINDS.items()]
    rows = changed_rows()
    for dataset in DATASETS:
        own = [row for row in rows if row.dataset == dataset]
        lines += [
            "",
            f"## {TITLES[dataset]}: {len(own)} rows",
            "",
            "| id | edition | kind | why |",
            "|---|---|---|---|",
        ]
        lines += [f"| {row.id} | {row.edition} | {row.kind} | {_cell(row.why)} |" for row in own]
    return _HEAD.format(date=edition_date()) + "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """Return a text for a cell of a Markdown table."""
    return re.sub(r"([\\|*_<`])", r"\\\1", text)


def with_counts(page: str) -> str:
    """Return the text of docs/gold.md with the present counts of rows by kind and dataset."""
    table = kinds_table(changed_rows()).to_markdown()
    start = f"{table[0]}\n{table[1]}\n"
    if start not in page:
        raise SystemExit(f"docs/gold.md: expected a table that begins with {table[0]!r}, but got none")
    before, _, rest = page.partition(start)
    after = re.sub(r"\A(?:\|.*\n)*", "", rest)
    return before + "\n".join(table) + "\n" + after


def main(argv: Sequence[str] | None = None) -> int:
    """Write the pages, or check them; return 1 if one is not current."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a page is not current")
    arguments = parser.parse_args(argv)
    gold = DOCS / "gold.md"
    pages = {DOCS / "gold-changes.md": list_text(), gold: with_counts(gold.read_text(encoding="utf-8"))}
    for path, text in pages.items():
        if not arguments.check:
            write_atomically(path, text)
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            print(f"{path} is not current: run scripts/list_changes.py")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
