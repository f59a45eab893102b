"""`load`: any data by its name as a `datasets.Dataset`."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING

from draw_dataset.data.catalog import ALL, JOINED, Folder, resolve
from draw_dataset.derivation.problem import read_rows
from draw_dataset.errors import ChoiceError, short_repr
from draw_dataset.io.atomic import STANDARD

if TYPE_CHECKING:
    from datasets import Dataset, DatasetDict


_BUILDER = "draw_dataset.draw1k", "Draw1k"  # by name, and late: it imports this part, and `datasets`


def load(
    name: str | os.PathLike[str], *, corrected: bool | str = False, data_dir: Folder = None
) -> Dataset | DatasetDict:
    """Load data by its name, in the spelling of the commands.

    >>> rows = load("sample/train")
    >>> len(rows), rows[0]["derivation"]
    (60, 'm = n + q2; m + n = q3')
    >>> {split: len(rows) for split, rows in load("sample").items()}
    {'train': 60, 'validation': 30, 'test': 30}
    >>> load("draw1k/tset")
    Traceback (most recent call last):
    draw_dataset.errors.ChoiceError: Unknown split of draw1k 'tset': did you mean draw1k/test? There are ...

    Args:
        name: ``draw1k``, ``alg514``, ``dolphin_l``, ``sample``, ``gsm8k_derivations`` or ``svamp_derivations``; one
            split (``draw1k/test``, ``draw1k/all``); a fold for cross-validation (``alg514_cv0/train``); or a file of
            rows (``rows.jsonl``). A folder of one of these names is not looked at.
        corrected: whether known errors of the release are repaired, or a version of the corrections, such as ``v3``.
        data_dir: the folder of the release files, or of the texts of GSM8K and SVAMP; if it is not given, they are
            looked for in DRAW_RELEASE_DIR, in the cache and in the network.

    Returns:
        A `Dataset` for one split or a file; a `DatasetDict` of all splits for a name alone.

    Raises:
        ChoiceError: there is no such data, split or correction.
        DrawError: a file of the release is missing, and cannot be downloaded, or is not the published one.
        RowError: a file or a row of it cannot be read.
    """
    if not isinstance(name, (str, os.PathLike)):
        raise ChoiceError(f"expected the name of data, such as draw1k/test, but got {short_repr(name)}")
    if not isinstance(corrected, (bool, str)):
        raise ChoiceError(f"corrected must be True or False, or a version, but got {short_repr(corrected)}")
    if data_dir is not None and not isinstance(data_dir, (str, os.PathLike)):
        raise ChoiceError(f"data_dir: expected a folder, but got {short_repr(data_dir)}")
    name = os.fspath(name)
    source = resolve(name)
    if corrected and (source.config is None or source.config.dataset in JOINED):
        raise ChoiceError(f"Corrections are for the release, but got {source.title}")
    if source.config is None:
        return _load_file(source.file or STANDARD)
    folder = None if data_dir is None else str(data_dir)
    module, name_of_class = _BUILDER
    builder = getattr(import_module(module), name_of_class)(
        config_name=source.config.name, data_dir=folder, corrected=corrected
    )
    builder.download_and_prepare()
    is_whole = source.split == ALL and not name.endswith(f"/{ALL}")
    loaded: Dataset | DatasetDict = builder.as_dataset(None if is_whole else source.split)
    return loaded


def _load_file(path: str) -> Dataset:
    from datasets import List, Value

    from draw_dataset.data.features import rows_dataset

    if path == STANDARD:
        raise ChoiceError("expected the name of data or of a file, but got -, which is standard input for commands")
    rows = [problem.to_row() for problem in read_rows(path)]
    text = Value("string")
    known = {"status": (text, ""), "reason": (text, ""), "edition": (Value("int32"), 0), "steps": (List(text), [])}
    more = {name: kind for name, (kind, _) in known.items() if any(name in row for row in rows)}
    without = {name: nothing for name, (_, nothing) in known.items() if name in more}
    return rows_dataset([{**row, **{name: row.get(name, without[name]) for name in more}} for row in rows], more)
