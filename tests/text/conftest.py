"""What the tests of numbers look at: each number as ``written=value``."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from draw_dataset.text.numbers import find_numbers

Read = Callable[..., list[str]]


@pytest.fixture(scope="session")
def read() -> Read:
    def read_numbers(text: str, **options: str) -> list[str]:
        return [f"{number.text}={number.value}" for number in find_numbers(text, **options)]  # type: ignore[arg-type]

    return read_numbers
