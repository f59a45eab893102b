"""Upload to the Hub: what it would send, and what to do if it fails.

`plan` changes nothing; `push` creates the repository if necessary and sends the whole folder in one commit. It deletes
nothing there. If the repository should be private but is not, nothing is sent.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from draw_dataset.errors import ChoiceError, FolderError, PushError
from draw_dataset.files.atomic import folder_files
from draw_dataset.files.checksums import CHECKSUMS
from draw_dataset.version import __version__

if TYPE_CHECKING:
    from huggingface_hub import HfApi

_NOTHING_SENT = "Nothing was uploaded."


@dataclass(frozen=True, slots=True)
class Upload:
    """What is to be sent.

    Attributes:
        repo: the repository, ``owner/name`` or a bare name for the namespace of whoever is logged in.
        folder: the folder.
        files: its files and their sizes in bytes.
        private: whether the repository must be private.
    """

    repo: str
    folder: Path
    files: dict[str, int]
    private: bool

    def describe(self) -> str:
        """Return the upload for people: the repository, then each file with its size."""
        where = self.repo if "/" in self.repo else f"{self.repo} in the namespace of whoever is logged in"
        lines = [f"{'private' if self.private else 'public'} dataset repository {where}"]
        lines += [f"  {size:>9,}  {name}" for name, size in self.files.items()]
        return "\n".join([*lines, f"  {sum(self.files.values()):>9,}  bytes in {len(self.files)} files"])


def check_repo(repo: str) -> None:
    """Say at once if a name is not one of a repository.

    Raises:
        ChoiceError: why not.
    """
    from huggingface_hub.errors import HFValidationError
    from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

    try:
        validate_repo_id(repo)
    except HFValidationError as error:
        raise ChoiceError(f"expected a repository as in owner/name, but got {repo!r}: {error}") from error


def plan(folder: str | os.PathLike[str], repo: str, *, private: bool = False) -> Upload:
    """Return what pushing a folder would send.

    Raises:
        ChoiceError: the name is not one of a repository.
        FolderError: the folder holds no built repository.
    """
    check_repo(repo)
    path = Path(folder)
    if not (path / CHECKSUMS).is_file():
        raise FolderError(f"{path} holds no repository that draw build wrote ({CHECKSUMS} is missing)")
    return Upload(repo, path, folder_files(path), private)


def push(upload: Upload, api: HfApi | None = None) -> str:
    """Send a folder to the Hub in one commit and return the address of the repository.

    Args:
        upload: what to send.
        api: the Hub; by default the one of HF_ENDPOINT, with the token of ``hf auth login`` or HF_TOKEN.

    Raises:
        PushError: it did not happen; says why, and what to do.
    """
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
        raise PushError(_refused(upload.repo, error)) from error
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


def _refused(repo: str, error: OSError) -> str:
    """Return what an answer of the Hub means for the user."""
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None)
    advice = {
        401: "nobody is logged in, or the token is not valid: run `hf auth login`, or set HF_TOKEN",
        403: "the token may not write there: make one with write access and run `hf auth login`, or name another owner",
        404: "there is no such owner, or the token does not see it: check the name, and `hf auth whoami`",
        429: "too many requests: wait a while",
    }.get(status or 0, "the same call may work later" if (status or 0) >= 500 else "see its message")
    return f"the Hub refused {repo} with status {status}: {advice}. It said: {str(error).strip()}"
