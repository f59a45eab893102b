"""Which model answers: the one that is named, or a small one of the embedded sample, made when it is first needed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.errors import FolderError, ModelError

if TYPE_CHECKING:
    from draw_dataset.solver import Model


def chosen_model(path: Path | None) -> Model:
    """Return the model of a file, or that of the sample if none is named.

    Raises:
        ModelError: the file cannot be read, is no model, or is one of another version.
        ExtraMissing: a model must be trained and the tagger is not installed.
    """
    from draw_dataset.solver import Model

    return sample_model() if path is None else Model.load(path)


def sample_model() -> Model:
    """Return the model of the embedded sample: from the cache, or trained now and kept there.

    Its file is named after a hash of the code and the data that it is made from, so it is never an outdated one. What
    is done is said on stderr: nobody should take its answers for those of a real solver.

    Raises:
        ExtraMissing: it must be trained and the tagger is not installed.
    """
    from draw_dataset.fingerprint import model_fingerprint
    from draw_dataset.release.fetch import cache_root
    from draw_dataset.sample import load_sample
    from draw_dataset.solver import Model, train

    path = cache_root() / "models" / f"sample-{model_fingerprint()}.npz"
    problems = [problem for split in load_sample().values() for problem in split]
    try:
        model = Model.load(path)
    except ModelError:  # it is not there, or damaged
        _say(f"no --model: training a small one on the {len(problems)} sample problems of the package, once")
        with epochs_shown() as watch:
            model = train(problems, watch=watch)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            model.save(path)
        except (FolderError, OSError) as error:
            _say(f"it is not kept: {error}")
    _say(
        f"no --model: a small one answers, trained on {len(problems)} sample problems. It knows {len(model.inventory)} "
        "templates and is often wrong; draw solve train makes a better one"
    )
    return model


@contextmanager
def epochs_shown(total: int | None = None) -> Iterator[Callable[[int, int], None]]:
    """Show the progress of a training on stderr, if that is a terminal; what this gives is told of every epoch."""
    from tqdm import tqdm

    with tqdm(total=total, desc="training", unit="epoch", disable=not sys.stderr.isatty(), leave=False) as bar:

        def watch(epoch: int, wrong: int) -> None:
            bar.set_postfix_str(f"{wrong} answered wrongly in epoch {epoch + 1}")
            bar.update()

        yield watch


def problems_shown(problems: list[Any]) -> Any:
    """Return problems to go over, with their progress on stderr, if that is a terminal."""
    from tqdm import tqdm

    return tqdm(problems, desc="solving", unit="problem", disable=not sys.stderr.isatty(), leave=False)


def _say(message: str) -> None:
    print(f"draw solve: {message}", file=sys.stderr)
