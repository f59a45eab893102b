"""Stores for tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from annotation.simulated import TIES, TWO_QUESTIONS

from draw_dataset.annotate.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with two problems, and the annotators Ann and Bob."""
    with Store.open(tmp_path / "work.db", create=True) as opened:
        opened.add_problems([TIES, TWO_QUESTIONS])
        opened.add_annotator("Ann")
        opened.add_annotator("Bob")
        yield opened
