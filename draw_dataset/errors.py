"""The errors of the package: each says where, what was expected, what was got, and what to do next.

Every error is both a `DrawError` and the builtin it resembles, so that callers may catch either.
"""

from __future__ import annotations

import reprlib
from functools import partial
from typing import Any, ClassVar


class _Short(reprlib.Repr):
    """A short repr of any value, whatever its depth or size."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxstring = self.maxother = 60

    def repr_int(self, x: int, level: int) -> str:  # noqa: ARG002 - as the base class calls it
        # Python refuses to write integers of thousands of digits.
        return repr(x) if x.bit_length() <= 256 else f"<an integer of {x.bit_length()} bits>"


_SHORT = _Short()


def short_repr(value: object) -> str:
    """Return a value as error messages show it.

    >>> short_repr(10**5000), short_repr({"a": [1, [2, [3, [4]]]]})
    ('<an integer of 16610 bits>', "{'a': [1, [2, [...]]]}")
    """
    text = _SHORT.repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."


class DrawError(Exception):
    """Anything this package refuses to do."""

    _arguments: ClassVar[tuple[str, ...]] = ()  # attributes that make the error again from a pickle

    def __reduce__(self) -> Any:
        if self._arguments:
            return type(self), tuple(getattr(self, name) for name in self._arguments)
        return super().__reduce__()


class ReadError(DrawError, ValueError):
    """A text that is not a system of equations; `where` is the place, as in ``equation 2, column 7``."""

    _arguments = ("where", "expected", "got")

    def __init__(self, where: str, expected: str, got: str) -> None:
        super().__init__(f"{where}: expected {expected}, but got {got}")
        self.where, self.expected, self.got = where, expected, got


class NotLinearError(ReadError):
    """An equation that reads well but is not linear in its unknowns, even after clearing denominators."""


class LimitError(DrawError, ValueError):
    """An input larger than the stated bounds; the message names the bound."""


class ChoiceError(DrawError, ValueError):
    """An option that is not one of those offered; the message names them."""


class AlignmentError(DrawError, ValueError):
    """An alignment that does not give each slot of its template exactly one textual number."""


class NumberClassesError(DrawError, ValueError):
    """Groups of equivalent textual numbers (EquivTNum) that are not a partition."""


class ReleaseRequestError(DrawError, ValueError):
    """A dataset, file or address that the release does not have; the message says what there is."""


class ReleaseFileMissing(DrawError, FileNotFoundError):
    """Files of the release that a place lacks; the advice says how to provide them."""

    _arguments = ("names", "where", "advice")

    def __init__(self, names: tuple[str, ...], where: str, advice: str = "") -> None:
        count = f"{len(names)} files of the release" if len(names) > 1 else "a file of the release"
        super().__init__(_add_advice(f"{where} lacks {count}: {', '.join(names)}", advice))
        self.names, self.where, self.advice = names, where, advice


class ReleaseAccessError(DrawError, OSError):
    """A file or folder that the operating system does not let us read, write or lock."""

    _arguments = ("path", "action", "reason")

    def __init__(self, path: str, action: str, reason: str) -> None:
        super().__init__(f"cannot {action} {path}: {reason}")
        self.path, self.action, self.reason = path, action, reason


class ChecksumError(DrawError, ValueError):
    """A file whose SHA-256 is not that of the release."""

    _arguments = ("file", "expected", "got", "advice")

    def __init__(self, file: str, expected: str, got: str, advice: str = "") -> None:
        super().__init__(_add_advice(f"{file}: expected sha256 {expected}, but got {got}", advice))
        self.file, self.expected, self.got, self.advice = file, expected, got, advice


class DownloadError(DrawError, ConnectionError):
    """A file of the release that could not be downloaded; if `transient`, the same request may succeed later."""

    _arguments = ("url", "reason", "transient", "advice")

    def __init__(self, url: str, reason: str, transient: bool = False, advice: str = "") -> None:
        super().__init__(_add_advice(f"{url}: {reason}", advice))
        self.url, self.reason, self.transient, self.advice = url, reason, transient, advice


def _add_advice(message: str, advice: str) -> str:
    return f"{message}\n{advice}" if advice else message


class SourceTextMissing(DrawError, FileNotFoundError):
    """Texts of GSM8K or SVAMP that frozen derivations are joined with, and that a place lacks."""

    _arguments = ("name", "missing", "total", "first", "place")

    def __init__(self, name: str, missing: int = 0, total: int = 0, first: str = "", place: str = "") -> None:
        lacks = f"{missing} of its {total} texts are not there, the first is {first}" if missing else place
        super().__init__(
            f"{name}: {lacks}. The texts come from the Hub, or from the files of the dataset in a folder that "
            "data_dir names"
        )
        self.name, self.missing, self.total, self.first, self.place = name, missing, total, first, place


class ChangedTextWarning(UserWarning):
    """Questions that are not those whose derivations were read and frozen; they are derived afresh."""


class RefusedWarning(UserWarning):
    """Rows without gold, refused when they were derived from another dataset, that were left out; says how many."""


class UnreadWarning(UserWarning):
    """Predictions that could not be read: how many, and what is wrong with the first."""


class RowError(DrawError, ValueError):
    """A row, or a problem of a file, that is not of the shape it should have; names the problem and the field."""


class SplitError(DrawError, ValueError):
    """A split file that does not fit its dataset."""


class RegistrationError(DrawError, OSError):
    """An environment whose site-packages cannot be written; the message says which folder and why."""


class ExtraMissing(DrawError, ImportError):
    """A library that this work needs and that is not installed; the message names the extra that brings it."""


class FolderError(DrawError, OSError):
    """A folder or file of the user's that cannot be written, or that we do not overwrite unasked."""


class PushError(DrawError, ConnectionError):
    """An upload to the Hub that did not happen; the message says why and what to do."""


class ScoreError(DrawError, ValueError):
    """Predictions and references that cannot be scored together."""


class ProblemFieldsError(ScoreError):
    """Records without references that lack a question, its solution or an answer; says which fields they have."""


class AnnotationError(DrawError, ValueError):
    """A problem that cannot be annotated, or a decision that does not fit it; says where, expected and got."""


class StoreError(DrawError, OSError):
    """A store of annotations that cannot be opened, read or written; says which file, why, and what to do."""


class StaleWorkError(AnnotationError):
    """A decision about work that has changed since it was looked at, as in another window; look again."""


class ServeError(DrawError, OSError):
    """An address that a page cannot be served at; the message says why and what to do."""


class LedgerError(DrawError, OSError):
    """A ledger of crawled pages that cannot be opened, read or written; the message says which and what to do."""


class BodyDamaged(LedgerError):
    """A stored page that cannot be read any more; the others can."""

    _arguments = ("path", "question", "reason")

    def __init__(self, path: str, question: int, reason: str) -> None:
        super().__init__(f"{path}: question {question}: the stored body is damaged: {reason}")
        self.path, self.question, self.reason = path, question, reason


class ContactError(DrawError, ValueError):
    """A crawl without somebody whom the site can write to."""


class CrawlStopped(DrawError, ConnectionError):
    """A site that asks us, by its robots.txt or its answers, not to go on; the ledger keeps what there is."""


class IdListError(DrawError, ValueError):
    """A list of question ids that cannot be read, or that holds none."""


class ArchiveError(DrawError, OSError):
    """A WARC file that cannot be opened, read or written."""


class PipelineError(DrawError, RuntimeError):
    """A run in many processes that could not be finished, or whose folder is of another run; says how to go on."""


class TrainingError(DrawError, ValueError):
    """Problems that a solver cannot learn from."""


class ModelError(DrawError, ValueError):
    """A file that is no model of the solver, or one of another version; the message says which and what to do."""


class AskError(DrawError, RuntimeError):
    """A request to a model that got no whole response."""

    # No OSError: it is raised while a connection is read, where OSErrors come from the network.

    def __init__(
        self,
        message: str,
        *,
        transient: bool,
        wait: float | None = None,
        hopeless: bool = False,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.transient = transient  # asking again may help
        self.wait = wait  # the seconds that the server wants us to wait, if it says so
        self.hopeless = hopeless  # every request of ours would get this
        self.status = status  # the status of HTTP, if the server refused the request

    def with_message(self, message: str) -> AskError:
        """Return the same error with another message."""
        return AskError(message, transient=self.transient, wait=self.wait, hopeless=self.hopeless, status=self.status)

    def __reduce__(self) -> tuple[Any, ...]:
        made = partial(AskError, transient=self.transient, wait=self.wait, hopeless=self.hopeless, status=self.status)
        return made, (str(self),)


class JournalError(DrawError, ValueError):
    """A file of responses that cannot be resumed; the message says why and what to do."""
