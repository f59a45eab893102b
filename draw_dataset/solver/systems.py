"""Which systems there are, and where each is trained and read: the one table that everything else looks them up in.

- ``template-first``: the solver of the paper, and ours (`training`, `model`).
- ``similarity``: the derivation of the most similar training problem, after Shi and others (2015) (`similarity`).
- ``zdc``: number slots only, all templates, large margin, after Zhou, Dai and Chen (2015) (`zdc_features`).
- ``kazb``: log-linear with latent derivations, after Kushman and others (2014) (`kazb`).

docs/systems.md says what departs from each paper. A system is one line of `SYSTEMS`: a function that trains it, a
function that makes it of what a file holds, the arrays of such a file, and the options it takes besides the setting and
the seed. A system is imported when it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from operator import attrgetter
from typing import Any, Literal, overload

from draw_dataset.core.problem import Problem
from draw_dataset.errors import ChoiceError, DrawError, ModelError, shown
from draw_dataset.solver.answerer import Answerer
from draw_dataset.solver.model import Model
from draw_dataset.solver.saved_parts import read_saved
from draw_dataset.solver.supervision import Setting

Watch = Callable[[int, int], None]
"""Is told after each round of a training which it was (from 0), and how many problems were answered wrongly in it."""


@dataclass(frozen=True, slots=True)
class System:
    """Where a system is found, each as ``module:name`` in the solver.

    Attributes:
        train: ``train(problems, *, setting, seed, progress, **options) -> Answerer``.
        read: ``read(about, arrays) -> Answerer``, as `model_file.read_model`.
        arrays: the arrays of its file with their types, as `model_file.ARRAYS`.
        options: the options it takes.
    """

    train: str
    read: str
    arrays: str
    options: tuple[str, ...]


SYSTEMS: Mapping[str, System] = {
    "template-first": System(
        "training:train_template_first",
        "model_file:read_model",
        "model_file:ARRAYS",
        ("choice", "features", "k", "epochs", "rule", "relations", "calibrate"),
    ),
    "similarity": System(
        "similarity:Similarity.learn", "similarity:read_similarity", "similarity:ARRAYS", ("choice", "numbers")
    ),
    "zdc": System("zdc:train_zdc", "model_file:read_model", "model_file:ARRAYS", ("choice", "rule", "epochs")),
    "kazb": System(
        "kazb.training:train_kazb", "kazb.model_file:read_kazb", "kazb.model_file:ARRAYS", ("nouns", "supervision")
    ),
}


def _system(name: str) -> System:
    found = SYSTEMS.get(name) if isinstance(name, str) else None
    if found is None:
        raise ChoiceError(f"system: expected one of {', '.join(SYSTEMS)}, but got {shown(name)}")
    return found


def _found(place: str) -> Any:
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
    """Train a system.

    Args:
        problems: the problems to learn from; of several datasets, simply one after the other.
        system: which system; see `SYSTEMS`.
        setting: TD trains on annotated derivations, TE on equations, TE* on equations with templates reconciled.
        seed: of whatever the training draws.
        watch: is told after each round of the training which it was (from 0), and how many problems were answered
            wrongly in it.
        options: those of the system. ``template-first``: ``choice``, ``features``, ``k``, ``epochs``, ``rule``,
            ``relations``, ``calibrate``, see `training.train_template_first`; ``similarity``: ``choice``, ``numbers``,
            see `similarity.Similarity.learn`; ``zdc``: ``choice``, ``rule``, ``epochs``, see `zdc.train_zdc`; ``kazb``:
            ``nouns``, ``supervision``, see `kazb.training.train_kazb`.

    Raises:
        ExtraMissing: the tagger is not installed.
        ChoiceError: there is no such system, it does not take an option, or an option is none of those offered.
        RowError: the gold of a problem cannot be read; names the problem.
        TrainingError: there is nothing to learn from.
    """
    chosen = _system(system)
    strange = [name for name in options if name not in chosen.options]
    if strange:
        raise ChoiceError(
            f"{strange[0]}: the system {system} does not take it; its options are {', '.join(chosen.options)}"
        )
    answerer: Answerer = _found(chosen.train)(problems, setting=setting, seed=seed, progress=watch, **options)
    return answerer


def load_model(path: str | os.PathLike[str]) -> Answerer:
    """Read a trained system from a file; the file says which system it is.

    Raises:
        ModelError: the file cannot be read, is no model, or is one of another version.
    """
    where = os.fspath(path)

    def types_of(name: str) -> Mapping[str, str]:
        try:
            types: Mapping[str, str] = _found(_system(name).arrays)
        except ChoiceError as error:
            raise ModelError(f"{where}: {error}") from error
        return types

    saved = read_saved(path, types_of)
    try:
        answerer: Answerer = _found(SYSTEMS[saved.system].read)(saved.about, saved.arrays)
    except ModelError as error:
        raise ModelError(f"{where}: {error}") from error
    except KeyError as error:
        raise ModelError(f"{where}: expected a complete model, but it lacks {error}") from error
    except (DrawError, ValueError) as error:
        raise ModelError(f"{where}: expected a complete model, but its parts do not fit: {str(error)[:200]}") from error
    return answerer


def save_model(answerer: Answerer, path: str | os.PathLike[str]) -> None:
    """Write a trained system to a file; the same as its method ``save``.

    Raises:
        FolderError: the file cannot be written.
        ModelError: it is larger than a file of a model may be.
    """
    answerer.save(path)


def takes(system: str, option: str) -> bool:
    """Say whether a system takes an option.

    >>> takes("template-first", "k")
    True
    """
    return option in _system(system).options


def system_names() -> tuple[str, ...]:
    """Return the names of the systems.

    >>> system_names()[0]
    'template-first'
    """
    return tuple(SYSTEMS)
