"""Grade the answers of language models in a folder, and say how well the grader agrees with labels made by reading.

The folder holds files of answers: ``{"id", "answer"}``, with or without ``"sample"``, to Draw-1k (``*draw1k*.jsonl``) or
Alg-514 (``*alg514*.jsonl``), and ``gsm8k_models.jsonl`` with worked solutions and the answers of several models.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tqdm import tqdm

from draw_dataset.answers.worked import WorkedGold, worked_golds
from draw_dataset.catalog import load_problems_of
from draw_dataset.errors import DrawError, ReadError
from draw_dataset.files import read_json_lines, whole_file
from draw_dataset.scoring.answers import Asked, Judged, judge_answer, values_of
from draw_dataset.scoring.comparison import bootstrap_interval
from draw_dataset.scoring.reference import Reference

ANSWERS = Path(os.environ.get("DRAW_ANSWERS_DIR", "../shared/llm_answers"))
