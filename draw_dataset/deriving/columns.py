"""Derived rows as datasets of the `datasets` library, and datasets of that library as records."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from datasets import Dataset, Features, IterableDataset, List, Value, load_dataset, load_from_disk

from draw_dataset.data.features import row_features
from draw_dataset.deriving.recipe import Recipe
from draw_dataset.deriving.records import with_names
from draw_dataset.deriving.transfer import Siblings
from draw_dataset.errors import ChoiceError, RowError, short_repr


def derived_features(id_type: str, *, verified: bool = False) -> Features:
    """Return the features of a derived row."""
    more = {"status": Value("string"), "reason": Value("string"), "readings": Value("int64")}
    texts = {"constants": List(Value("string")), "steps": List(Value("string"))}
    features = Features({**row_features(id_type), **more, **texts})
    return Features({**features, "siblings": Value("int64")}) if verified else features


def derive_dataset(rows: Any, recipe: Recipe, num_proc: int | None = None, siblings: Siblings | None = None) -> Any:
    """Return a dataset of derived rows; with siblings, verified by them. A stream is derived as it is read."""
    if not isinstance(rows, (Dataset, IterableDataset)):
        kind = type(rows).__name__
        splits = f": choose a split, such as {next(iter(rows))}" if isinstance(rows, Mapping) and rows else ""
        raise ChoiceError(f"expected a Dataset or an IterableDataset, but got a {kind}{splits}")
    columns = rows.column_names
    if columns is not None:
        missing = recipe.missing_fields(columns)
        if missing:
            raise ChoiceError(f"Unknown column {', '.join(missing)}: the dataset has {', '.join(columns)}")
    features = derived_features(_id_type(rows, recipe), verified=siblings is not None)
    options: dict[str, Any] = {"with_indices": True, "remove_columns": columns, "features": features}
    if isinstance(rows, Dataset):
        options |= {"num_proc": num_proc, "desc": "derive"}
    text_id = features["id"].dtype == "string"
    return rows.map(_row, fn_kwargs={"recipe": recipe, "text_id": text_id, "siblings": siblings}, **options)


def _row(
    record: Mapping[str, Any], position: int, recipe: Recipe, text_id: bool, siblings: Siblings | None
) -> dict[str, Any]:
    row = recipe.row(record, position, None if siblings is None else siblings.of(position))
    return row | {"id": str(row["id"])} if text_id else row


def _id_type(rows: Any, recipe: Recipe) -> str:
    features, name = rows.features, recipe.fields.id
    if features is None or name is None:
        return "int64"
    if recipe.preset:
        features = with_names(features, [name])
    if name not in features:
        return "int64"
    return "string" if getattr(features[name], "dtype", "") in ("string", "large_string") else "int64"


def open_dataset(name: str, config: str | None, split: str | None) -> Iterator[dict[str, Any]]:
    """Yield the records of a dataset: of the Hub, of a local folder, or one that was saved to disk."""
    try:
        if Path(name, "state.json").is_file() or Path(name, "dataset_dict.json").is_file():
            found = load_from_disk(name)
        else:
            found = load_dataset(name, config, split=split)
    except (OSError, ValueError) as error:
        raise ChoiceError(f"cannot load the dataset {short_repr(name)}: {str(error).splitlines()[0][:300]}") from error
    if isinstance(found, Mapping):
        splits = list(found)
        if split is None and len(splits) == 1:
            split = splits[0]
        if split not in splits:
            said = "none" if split is None else split
            raise ChoiceError(f"expected --split with one of {', '.join(splits)}, but got {said}")
        found = found[split]
    yield from found


def save_dataset(
    rows: Iterable[Mapping[str, Any]], folder: str | os.PathLike[str], id_type: str, *, verified: bool = False
) -> int:
    """Save rows as a dataset that `datasets.load_from_disk` opens; return how many there are."""

    def plain_rows() -> Iterator[dict[str, Any]]:
        for row in rows:
            yield {**row, "id": str(row["id"])} if id_type == "string" else dict(row)

    try:
        dataset = Dataset.from_generator(plain_rows, features=derived_features(id_type, verified=verified))
    except ValueError as error:
        raise RowError(f"no rows to save: {error}") from error
    dataset.save_to_disk(os.fspath(folder))
    return len(dataset)
