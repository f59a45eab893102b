"""Reading and writing files: atomic files and folders, JSON lines, SQLite files, HTML and plots.

Every file that this package writes whole or reads line by line goes through here, so that one rule holds for all of
them.
"""

from __future__ import annotations

from draw_dataset.files.atomic import STANDARD, atomic_file, new_folder, write_atomically
from draw_dataset.files.html import escape
from draw_dataset.files.jsonl import JsonLine, decode_json, json_line, read_json_lines, read_text, write_json_lines

__all__ = [
    "STANDARD",
    "JsonLine",
    "atomic_file",
    "decode_json",
    "escape",
    "json_line",
    "new_folder",
    "read_json_lines",
    "read_text",
    "write_atomically",
    "write_json_lines",
]
