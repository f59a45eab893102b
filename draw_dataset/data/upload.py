"""Upload to the Hub, and the evaluation files ``eval.yaml`` of a dataset and ``.eval_results`` of a model.

`plan` changes nothing; `push` creates the repository if necessary and sends the whole folder in one commit. It deletes
nothing there. If the repository should be private but is not, nothing is sent.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.data.catalog import DATASETS, DataRef
from draw_dataset.data.statistics import TITLES
from draw_dataset.errors import ChoiceError, FolderError, PushError
from draw_dataset.io.atomic import CHECKSUMS, folder_files
from draw_dataset.version import __version__

if TYPE_CHECKING:
    from huggingface_hub import HfApi


_NOTHING_SENT = "Nothing was uploaded."


@dataclass(frozen=True, slots=True)
class Upload:
    """A planned upload."""

    repo: str  # the repository, ``owner/name`` or a bare name for the namespace of whoever is logged in
    folder: Path
    files: dict[str, int]  # its files and their sizes in bytes
    private: bool  # whether the repository must be private

    def describe(self) -> str:
        """Return the upload for people: the repository, then each file with its size."""
        where = self.repo if "/" in self.repo else f"{self.repo} in the namespace of whoever is logged in"
        lines = [f"{'private' if self.private else 'public'} dataset repository {where}"]
        lines += [f"  {size:>9,}  {name}" for name, size in self.files.items()]
        return "\n".join([*lines, f"  {sum(self.files.values()):>9,}  bytes in {len(self.files)} files"])


def check_repo(repo: str) -> None:
    """Raise `ChoiceError` if a name is not one of a repository."""
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(repo)
    except HFValidationError as error:
        raise ChoiceError(f"expected a repository as in owner/name, but got {repo!r}: {error}") from error


def plan(folder: str | os.PathLike[str], repo: str, *, private: bool = False) -> Upload:
    """Return the files that pushing a folder would send; raises `FolderError` if it holds no built repository."""
    check_repo(repo)
    path = Path(folder)
    if not (path / CHECKSUMS).is_file():
        raise FolderError(f"{path} holds no repository that draw build wrote ({CHECKSUMS} is missing)")
    return Upload(repo, path, folder_files(path), private)


def push(upload: Upload, api: HfApi | None = None) -> str:
    """Send a folder to the Hub (by default that of HF_ENDPOINT) in one commit and return the repository's address."""
    from huggingface_hub import CommitOperationAdd, HfApi
    from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError, OfflineModeIsEnabled

    # The base of what its HTTP library raises, whichever library this version of huggingface_hub has.
    from huggingface_hub.errors import HTTPError as TransportError  # type: ignore[attr-defined]

    hub = api if api is not None else HfApi()
    try:
        url = hub.create_repo(upload.repo, repo_type="dataset", private=upload.private or None, exist_ok=True)
        repo = url.repo_id
        if upload.private and not hub.repo_info(repo, repo_type="dataset").private:
            raise PushError(f"{repo} exists and is public, but --private was asked for. {_NOTHING_SENT}")
        # Not upload_folder, which may make several commits: a reader must never see half of a build.
        hub.create_commit(
            repo,
            [CommitOperationAdd(name, str(upload.folder / name)) for name in upload.files],
            repo_type="dataset",
            commit_message=f"Upload the repository built by draw-dataset {__version__}",
        )
    except OfflineModeIsEnabled as error:
        raise PushError(f"HF_HUB_OFFLINE forbids the network; unset it to push. {_NOTHING_SENT}") from error
    except LocalTokenNotFoundError as error:
        raise PushError(f"nobody is logged in: run `hf auth login`, or set HF_TOKEN. {_NOTHING_SENT}") from error
    except HfHubHTTPError as error:
        raise PushError(_explain_refusal(upload.repo, error)) from error
    except (TransportError, OSError) as error:
        if isinstance(error, PushError):
            raise
        reason = f"{type(error).__name__}: {error}"
        raise PushError(
            f"the Hub ({hub.endpoint}) cannot be reached: {reason}. The same call may work later."
        ) from error
    except ValueError as error:
        raise PushError(f"the Hub ({hub.endpoint}) did not take the upload: {error}") from error
    return str(url)


def _explain_refusal(repo: str, error: OSError) -> str:
    """Return a message that explains an answer of the Hub."""
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    advice = {
        401: "nobody is logged in, or the token is not valid: run `hf auth login`, or set HF_TOKEN",
        403: "the token may not write there: make one with write access and run `hf auth login`, or name another owner",
        404: "there is no such owner, or the token does not see it: check the name, and `hf auth whoami`",
        429: "too many requests: wait a while",
    }.get(status or 0, "the same call may work later" if (status or 0) >= 500 else "see its message")
    return f"the Hub refused {repo} with status {status}: {advice}. It said: {str(error).strip()}"


# A dataset with ``eval.yaml`` in its root can become a benchmark of the Hub: every tested split gets two tasks. The
# field ``evaluation_framework`` is left out, because no name that the Hub accepts computes derivation accuracy. YAML is
# written as quoted texts and plain numbers, which every version of it reads alike.

FIGURES = ("derivation", "solution")
"""The accuracies that are tasks of their own."""


def task_id(dataset: str, split: str, figure: str) -> str:
    """Return the id of a task, such as ``draw1k_test_derivation``."""
    return f"{dataset}_{split}_{figure}"


def task_splits(dataset: str) -> list[str]:
    """Return the splits of a dataset that are tested: test, or every fold."""
    own = DATASETS[dataset]
    return ["test"] if "test" in own else [split for split in own if split.startswith("fold")]


def eval_yaml(datasets: Iterable[str]) -> str:
    """Return the text of ``eval.yaml`` for datasets.

    >>> print(eval_yaml(["sample"]))
    name: "Derivations of algebra word problems: sample"
    description: "Whether a model sets a word problem up as gold does: equations, and which number fills which slot."
    tasks:
      - id: "sample_test_derivation"
        config: "sample"
        split: "test"
      - id: "sample_test_solution"
        config: "sample"
        split: "test"
    <BLANKLINE>
    """
    chosen = list(datasets)
    titles = ", ".join(TITLES[name] for name in chosen)
    about = "Whether a model sets a word problem up as gold does: equations, and which number fills which slot."
    lines = [
        f"name: {_quote('Derivations of algebra word problems: ' + titles)}",
        f"description: {_quote(about)}",
        "tasks:",
    ]
    for dataset in chosen:
        for split in task_splits(dataset):
            for figure in FIGURES:
                lines += [
                    f"  - id: {_quote(task_id(dataset, split, figure))}",
                    f"    config: {_quote(dataset)}",
                    f"    split: {_quote(split)}",
                ]
    return "\n".join([*lines, ""])


def task_ids(source: DataRef) -> dict[str, str]:
    """Return the tasks of a tested split, by figure."""
    config, split = source.config, source.split
    if config is None or config.name != config.dataset or split not in task_splits(config.dataset):
        tasks = ", ".join(f"{name}/{part}" for name in DATASETS for part in task_splits(name))
        raise ChoiceError(f"--eval-results: expected one of {tasks}, but got {source.title}")
    return {figure: task_id(config.name, split, figure) for figure in FIGURES}


def eval_results(
    figures: Mapping[str, Any],
    source: DataRef,
    repo: str,
    *,
    revision: str | None = None,
    link: str | None = None,
    date: str | None = None,
) -> str:
    """Return the text of ``.eval_results/NAME.yaml`` for the figures of a score; `link` leads to its responses."""
    ids = task_ids(source)
    when = date or datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    lines: list[str] = []
    for figure, task in ids.items():
        value = round(100 * figures[f"{figure}_accuracy"], 4)
        lines += ["- dataset:", f"    id: {_quote(repo)}", f"    task_id: {_quote(task)}"]
        lines += [f"    revision: {_quote(revision)}"] if revision else []
        lines += [f"  value: {value}", f"  date: {_quote(when)}"]
        lines += ["  source:", f"    url: {_quote(link)}", '    name: "responses"'] if link else []
        lines += [f"  notes: {_quote(figures['signature'])}"]
    return "\n".join([*lines, ""])


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
