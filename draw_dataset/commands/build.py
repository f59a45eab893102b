"""``draw build``: the datasets as a repository of Parquet files with a card, for the Hub or for a folder."""

from __future__ import annotations

import argparse

from draw_dataset.catalog import DATASETS
from draw_dataset.commands.options import add_release
from draw_dataset.errors import ChoiceError

HELP = "write the datasets as a repository of the Hugging Face Hub (Parquet files and a card), and push it"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.epilog = (
        "examples:\n"
        "  draw build --out hub                         all datasets; then load_dataset('./hub', 'alg514_cv0')\n"
        "  draw build --out hub --only sample           needs no file of the release\n"
        "  draw build --out hub --push-to-hub me/draw --private          says what it would upload\n"
        "  draw build --out hub --push-to-hub me/draw --private --yes --force   builds again and uploads\n\n"
        "The word problems of the release belong to their authors: make sure that you may publish what you push."
    )
    parser.add_argument("--out", required=True, metavar="DIR", help="the folder to write")
    parser.add_argument(
        "--only",
        action="append",
        metavar="NAME",
        help=f"write only this dataset ({', '.join(DATASETS)}); may be repeated",
    )
    add_release(parser, corrected=False)
    parser.add_argument("--force", action="store_true", help="replace the folder if it is not empty")
    parser.add_argument("--push-to-hub", metavar="REPO", help="show what would be uploaded to this repository")
    parser.add_argument("--private", action="store_true", help="with --push-to-hub: the repository must be private")
    parser.add_argument("--yes", action="store_true", help="with --push-to-hub: upload it, instead of showing it")


def run(arguments: argparse.Namespace) -> int:
    """Write the folder; show or make the upload."""
    # Here, as importing datasets takes seconds and the other subcommands do not need it.
    from draw_dataset.hub import build, check_repo, plan, push

    if arguments.push_to_hub is not None:
        check_repo(arguments.push_to_hub)
    elif arguments.yes or arguments.private:
        raise ChoiceError("--yes and --private are only for --push-to-hub REPO, which is missing")
    built = build(arguments.out, _names(arguments.only), arguments.data_dir, force=arguments.force)
    print(f"{built.folder}: {built.rows:,} rows in {len(built.files)} files, {sum(built.files.values()):,} bytes")
    if arguments.push_to_hub is None:
        return 0
    upload = plan(built.folder, arguments.push_to_hub, private=arguments.private)
    if not arguments.yes:
        print(f"would upload to the {upload.describe()}\nadd --yes to upload it (and --force to build it again)")
        return 0
    print(f"uploading to the {upload.describe()}")
    print(f"uploaded: {push(upload)}")
    return 0


def _names(only: list[str] | None) -> list[str] | None:
    return None if only is None else [name.strip() for text in only for name in text.split(",") if name.strip()]
