"""What ``evaluate.load("derivation_accuracy")`` loads.

`evaluate` loads a metric from a script, by its folder. The script of ours lies in ``metric/`` of a checkout; a wheel
carries that folder inside the package, as ``_metric``. In the package there is only ever one of the two: an editable
install runs this file from the checkout, where no copy can grow stale.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from draw_dataset.catalog import check_spelling

METRICS = ("derivation_accuracy",)
"""The names that `evaluate.load` takes."""


def find_module(
    original: Callable[..., Any],
    path: str,
    module_type: str | None = None,
    revision: Any = None,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Answer `evaluate.loading.evaluation_module_factory` for a bare name (see `draw_dataset.huggingface.hooks`).

    Args:
        original: the library's own function.
        path: the name asked for.
        module_type: the kind of module; ours is a metric, any other is for the library to find.
        revision: one of the Hub, which we do not have; so the question goes there.
        args: further arguments, for the library's own function.
        kwargs: the same.

    Raises:
        ChoiceError: the name is a near miss of ours; says which.
    """
    if revision is None and module_type in (None, "metric"):
        check_spelling(path, METRICS)
        if path in METRICS:
            path = str(metric_folder() / path)
    return original(path, module_type, revision, *args, **kwargs)


def metric_folder() -> Path:
    """Return the folder that holds the folders of the metrics.

    >>> (metric_folder() / "derivation_accuracy" / "derivation_accuracy.py").is_file()
    True
    """
    package = Path(__file__).parents[1]
    installed = package / "_metric"
    return installed if installed.is_dir() else package.parent / "metric"
