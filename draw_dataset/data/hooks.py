"""Bare names: how ``load_dataset("draw1k")`` finds this package.

The Hugging Face libraries have no entry point for installed packages, so their function that looks a name up is
wrapped: by a finder in the import system when its module has run, or at once if the library was imported before us.
``draw register`` makes every start of the interpreter import this module, so it imports very little.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, get_ident
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any


class BareNames:
    """A function of a library that is to know our names, and ``module:function`` of ours that answers for it."""

    __slots__ = ("answer", "function", "module")

    def __init__(self, module: str, function: str, answer: str) -> None:
        self.module = module
        self.function = function
        self.answer = answer


BARE_NAMES = (
    BareNames("datasets.load", "dataset_module_factory", "draw_dataset.draw1k:find_module"),
    BareNames("evaluate.loading", "evaluation_module_factory", "draw_dataset.data.registration:find_module"),
)
"""Every function that we wrap."""

# Marks our objects. The mark is tested instead of the class, because a test or a reload may import the package again.
_MARK = "_draw_dataset_bare_names"
_lock = allocate_lock()


def install() -> None:
    """Make the bare names work, whether or not the libraries have been imported yet; more calls change nothing."""
    with _lock:
        others = [finder for finder in sys.meta_path if not hasattr(finder, _MARK)]
        sys.meta_path[:] = [_Finder(BARE_NAMES), *others]
    for entry in BARE_NAMES:
        module = sys.modules.get(entry.module)
        if module is None:
            continue
        if not hasattr(module, entry.function):
            # Another thread is importing it, past our finder: wait for it.
            try:
                import_module(entry.module)
            except ImportError:
                continue  # the next attempt to import it will use our finder
        _wrap(module, entry)


class _Finder:
    """Finds nothing of its own, but sees to it that functions are wrapped when their modules have run."""

    def __init__(self, entries: Sequence[BareNames]) -> None:
        self._entries = {entry.module: entry for entry in entries}
        self._searching: set[tuple[int, str]] = set()
        setattr(self, _MARK, True)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        entry = self._entries.get(fullname)
        if entry is None:
            return None
        search = (get_ident(), fullname)
        if search in self._searching:  # another finder like this one has called us
            return None
        self._searching.add(search)
        try:
            spec = _find_elsewhere(self, fullname, path, target)
        finally:
            self._searching.discard(search)
        if spec is not None:
            _wrap_after_running(spec.loader, entry)
        return spec


def _find_elsewhere(
    asking: _Finder, fullname: str, path: Sequence[str] | None, target: ModuleType | None
) -> ModuleSpec | None:
    for finder in sys.meta_path.copy():
        find_spec = getattr(finder, "find_spec", None)
        if finder is asking or find_spec is None:
            continue
        spec: ModuleSpec | None = find_spec(fullname, path, target)
        if spec is not None:
            return spec
    return None


def _wrap_after_running(loader: Any, entry: BareNames) -> None:
    run = getattr(loader, "exec_module", None)
    if run is None or isinstance(loader, type):  # a class serves all modules: leave it alone
        return

    def run_and_wrap(module: ModuleType) -> None:
        run(module)
        if module.__name__ == entry.module:  # the loader of a zip file serves several modules
            _wrap(module, entry)

    try:
        # On the object itself, since a loader of our own around it would hide its other methods.
        loader.exec_module = run_and_wrap
    except AttributeError:
        return  # an object without attributes: the import is more important than our names


def _wrap(module: ModuleType, entry: BareNames) -> None:
    with _lock:
        original = getattr(module, entry.function, None)
        if original is None:
            import logging

            logging.getLogger(__name__).warning(
                "%s has no %s, so our names are not known to it; give the path or the class itself instead",
                *(entry.module, entry.function),
            )
            return
        if hasattr(original, _MARK):
            return
        wrapped = _answering(original, entry)
        package = entry.module.partition(".")[0] + "."
        for name, holder in sys.modules.copy().items():
            if name.startswith(package) and getattr(holder, "__dict__", {}).get(entry.function) is original:
                setattr(holder, entry.function, wrapped)
        setattr(module, entry.function, wrapped)


def _answering(original: Callable[..., Any], entry: BareNames) -> Callable[..., Any]:
    from functools import wraps

    @wraps(original)
    def look_up(path: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(path, str) or os.path.isdir(path):
            return original(path, *args, **kwargs)
        home, _, name = entry.answer.partition(":")
        return getattr(import_module(home), name)(original, path, *args, **kwargs)

    setattr(look_up, _MARK, True)
    return look_up
