"""The table of systems: where each is trained and read.

- ``template-first``: the solver of the paper, and ours (`training`, `model`).
- ``similarity``: the derivation of the most similar training problem, after Shi and others (2015) (`similarity`).
- ``zdc``: number slots only, all templates, large margin, after Zhou, Dai and Chen (2015) (`training`).
- ``kazb``: log-linear with latent derivations, after Kushman and others (2014) (`kazb`).

docs/systems.md lists the departures from each paper. A system is imported when it is used.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from typing import Any, Literal, overload

from draw_dataset.derivation.problem import Problem
from draw_dataset.errors import ChoiceError, DrawError, ModelError, short_repr
from draw_dataset.solver.confidence import Answerer
from draw_dataset.solver.files import read_saved
from draw_dataset.solver.learning import Setting
from draw_dataset.solver.model import Model

Watch = Callable[[int, int], None]  # gets each round of a training, from 0, and its number of wrong answers


@dataclass(frozen=True, slots=True)
class System:
    """Where a system is found, each as ``module:name`` in the solver."""

    train: str  # ``train(problems, *, setting, seed, progress, **options) -> Answerer``
    read: str  # ``read(about, arrays) -> Answerer``, as `model.read_model`
    arrays: str  # the arrays of its file with their types, as `model.ARRAYS`
    options: tuple[str, ...]  # the options it takes


SYSTEMS: Mapping[str, System] = {
    "template-first": System(
        "training:train_template_first",
        "model:read_model",
        "model:ARRAYS",
        ("choice", "features", "k", "epochs", "rule", "relations", "calibrate"),
    ),
    "similarity": System(
        "similarity:Similarity.learn", "similarity:read_similarity", "similarity:ARRAYS", ("choice", "numbers")
    ),
    "zdc": System("training:train_zdc", "model:read_model", "model:ARRAYS", ("choice", "rule", "epochs")),
    "kazb": System("kazb.training:train_kazb", "kazb.model:read_kazb", "kazb.model:ARRAYS", ("nouns", "supervision")),
}


def _system(name: str) -> System:
    found = SYSTEMS.get(name) if isinstance(name, str) else None
    if found is None:
        raise ChoiceError(f"system: expected one of {', '.join(SYSTEMS)}, but got {short_repr(name)}")
    return found


def _resolve(place: str) -> Any:
    module, _, name = place.partition(":")
    return attrgetter(name)(import_module(f"draw_dataset.solver.{module}"))


@overload
def train(
    problems: Sequence[Problem],
    *,
    system: Literal["template-first", "zdc"] = ...,
    setting: Setting = ...,
    seed: int = ...,
    watch: Watch = ...,
    **options: Any,
) -> Model: ...
@overload
def train(
    problems: Sequence[Problem],
    *,
    system: str,
    setting: Setting = ...,
    seed: int = ...,
    watch: Watch = ...,
    **options: Any,
) -> Answerer: ...
def train(
    problems: Sequence[Problem],
    *,
    system: str = "template-first",
    setting: Setting = "TD",
    seed: int = 0,
    watch: Watch = lambda *_: None,
    **options: Any,
) -> Answerer:
    """Train a system with its options.

    Raises ChoiceError for a bad option, RowError for unreadable gold, TrainingError if there is nothing to learn from.
    """
    chosen = _system(system)
    strange = [name for name in options if name not in chosen.options]
    if strange:
        raise ChoiceError(
            f"{strange[0]}: the system {system} does not take it; its options are {', '.join(chosen.options)}"
        )
    answerer: Answerer = _resolve(chosen.train)(problems, setting=setting, seed=seed, progress=watch, **options)
    return answerer


def load_model(path: str | os.PathLike[str]) -> Answerer:
    """Read a trained system from a file; the file says which system it is."""
    where = os.fspath(path)

    def types_of(name: str) -> Mapping[str, str]:
        try:
            types: Mapping[str, str] = _resolve(_system(name).arrays)
        except ChoiceError as error:
            raise ModelError(f"{where}: {error}") from error
        return types

    saved = read_saved(path, types_of)
    try:
        answerer: Answerer = _resolve(SYSTEMS[saved.system].read)(saved.about, saved.arrays)
    except ModelError as error:
        raise ModelError(f"{where}: {error}") from error
    except KeyError as error:
        raise ModelError(f"{where}: expected a complete model, but it lacks {error}") from error
    except (DrawError, ValueError) as error:
        raise ModelError(f"{where}: expected a complete model, but its parts do not fit: {str(error)[:200]}") from error
    return answerer


def save_model(answerer: Answerer, path: str | os.PathLike[str]) -> None:
    """Write a trained system to a file; the same as its method ``save``."""
    answerer.save(path)


def takes_option(system: str, option: str) -> bool:
    """Decide whether a system takes an option."""
    return option in _system(system).options


def system_names() -> tuple[str, ...]:
    """Return the names of the systems."""
    return tuple(SYSTEMS)
