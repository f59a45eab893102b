"""What an error of the package is called on the command line: options instead of arguments of functions.

The same errors are raised to callers in Python, where ``data_dir=`` is right. Here each phrase that names an argument
has its option. A test makes sure that the package still uses every phrase.
"""

from __future__ import annotations

PHRASES = {
    'the argument data_dir=FOLDER, as in load_dataset("draw1k", data_dir=FOLDER);': "the option --data-dir FOLDER;",
    'load_dataset("draw1k", "sample")': "sample, as in --config sample",
    "data_dir=": "--data-dir ",
    "the folder named by data_dir": "the folder named by --data-dir",
    "corrected must be True or False, or one of": "--corrections: expected one of",
    "did you mean field=": "did you mean --field ",
    "of several samples, sample=0 scores": "of several samples, --answer-sample 0 scores",
    "or a name given with unknowns=": "or, in draw equiv, a name given with --unknowns",
    "missing='abstain' counts them as abstentions": "--missing abstain counts them as abstentions",
}
"""Phrases of errors, each with what a user of the command line types."""


def in_own_terms(message: str) -> str:
    """Return an error message in the terms of the command line.

    >>> in_own_terms("data_dir=/data lacks a file of the release: draw.json")
    '--data-dir /data lacks a file of the release: draw.json'
    """
    for phrase, own in PHRASES.items():
        message = message.replace(phrase, own)
    return message
