"""The datasets as a repository of the Hugging Face Hub: Parquet files, a card, and the upload."""

from draw_dataset.hub.repository import Build, build
from draw_dataset.hub.upload import Upload, check_repo, plan, push

__all__ = ["Build", "Upload", "build", "check_repo", "plan", "push"]
