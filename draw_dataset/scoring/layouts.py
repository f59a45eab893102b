"""Layouts of prediction files: which field is the id, which one the answer, and the text of an answer in it.

Our own layout has an ``id`` and a prediction, or its fields. Others are recognized by the first records of a file:
samples of lm-evaluation-harness and inspect-ai, results of batches, chats, completions, and fields with common names. A
file has one layout. A record that does not fit it is an error, not a wrong answer.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from draw_dataset.derivation.problem import ProblemId, is_problem_id
from draw_dataset.errors import ChoiceError, ScoreError, short_repr
from draw_dataset.io.jsonl import decode_json
from draw_dataset.io.records import Record
from draw_dataset.scoring.gold_rows import KnownIds
from draw_dataset.scoring.prediction import ANSWER_FIELDS, is_prose, text_field
from draw_dataset.scoring.prompted import find_style

OWN_FIELDS = ("template", "alignment", "derivation", "solutions", "answer")
"""Fields of a prediction that may stand next to the id."""

_OWN = ("prediction", *OWN_FIELDS, "steps")
_DERIVATIONS = ("prediction", "template", "derivation")

ID_FIELDS = (
    "custom_id", "id", "doc.id", "doc.problem_id", "doc.question_id", "doc.task_id", "problem_id", "question_id",
    "task_id", "example_id", "sample_id", "item_id", "row_id", "instance_id", "qid", "pid", "uid", "key", "ID", "Id",
    "_id", "metadata.id", "metadata.problem_id", "iIndex", "idx", "index", "doc_id",
)  # fmt: skip
"""Fields that commonly hold ids, the most likely first. In results of a batch ``id`` is that of the request."""

HEAD = 8  #: records that are looked at to recognize a layout

_LISTS = ("samples", "predictions", "responses", "answers", "results", "outputs", "data", "rows", "examples", "items")
"""Fields of a JSON object that may hold its records."""

STRUCTURED = {"choices", "candidates", "messages", "conversation", "conversations", "result", "message"}
"""Fields that are answers only if they have the structure of one: ``choices`` may be the options of a question."""

_ALIASED = (*(name for name in _OWN if name != "answer"), "sample", "prompt_style")
"""Our own fields that are renamed if a file writes them in another way; that of the answer may have any name."""

NOTHING = object()
_DEEPEST = 8


def answer_texts(value: Any, depth: int = _DEEPEST) -> list[str | None] | None:
    """Return the texts of a model answer, one for each sample; None if a value has none.

    >>> answer_texts({"choices": [{"message": {"role": "assistant", "content": "x = 3"}}]})
    ['x = 3']
    >>> answer_texts([{"role": "user", "content": "?"}, {"role": "assistant", "content": "x = 3"}])
    ['x = 3']
    >>> answer_texts([["x = 3", "x = 4"]]), answer_texts(7)
    (['x = 3', 'x = 4'], None)
    """
    if value is None or isinstance(value, str):
        return [value]
    if not depth or not isinstance(value, (dict, list)):
        return None
    if isinstance(value, dict):
        return _texts_of_object(value, depth - 1)
    if not value:
        return [None]
    if all(isinstance(item, dict) for item in value):
        if any("role" in item or "from" in item for item in value):
            return _last_reply(value, depth - 1)
        if all(isinstance(item.get("type"), str) for item in value) or all(set(item) == {"text"} for item in value):
            return _joined_parts(value, depth - 1)
    found = [answer_texts(item, depth - 1) for item in value]
    return None if any(texts is None for texts in found) else [text for texts in found for text in texts or ()]


def _texts_of_object(value: Mapping[str, Any], depth: int) -> list[str | None] | None:
    if value.get("error"):
        return [None]  # a request that failed
    for name in ("body", "response", "choices", "candidates", "message", "messages", "result"):
        if isinstance(value.get(name), (dict, list)) and value[name]:
            return answer_texts(value[name], depth)
    for name in ("output_text", "completion", "output", "outputs", "content", "parts", "generated_text", "text"):
        if value.get(name) is not None:
            return answer_texts(value[name], depth)
    # An empty reply: a tool was called, or the model said nothing.
    return [None] if any(name in value for name in ("content", "completion", "choices", "message")) else None


def _last_reply(messages: Sequence[Mapping[str, Any]], depth: int) -> list[str | None] | None:
    """Return the last message if a model wrote it."""
    none: Mapping[str, Any] = {}
    last = next((message for message in reversed(messages) if "role" in message or "from" in message), none)
    if last.get("role", last.get("from")) not in ("assistant", "model", "gpt", "ai", "bot", "chatgpt"):
        return None
    return answer_texts(last.get("content", last.get("value", last.get("parts"))), depth)


def _joined_parts(parts: Sequence[Mapping[str, Any]], depth: int) -> list[str | None] | None:
    """Return the text parts of a message as one; thoughts, pictures and calls of tools are none."""
    replies = [part for part in parts if part.get("type") == "message"]
    if replies:
        return answer_texts(replies[-1].get("content"), depth)
    texts = [part.get("text") for part in parts if part.get("type", "text") in ("text", "output_text")]
    if not texts:
        return [None]
    return ["".join(text for text in texts if isinstance(text, str))]


def value_at(entry: Mapping[str, Any], path: str) -> Any:
    """Return the value of a field, or of a field in a field (``doc.id``); `NOTHING` if it is not there."""
    if path in entry:
        return entry[path]
    value: Any = entry
    for name in path.split("."):
        if not isinstance(value, dict) or name not in value:
            return NOTHING
        value = value[name]
    return value


def _keys(entry: Mapping[str, Any]) -> str:
    return short_repr(sorted(map(str, entry))[:8])


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a record has its id and its answer."""

    id_field: str = "id"
    answer: str | None = None  # the field with the answer; None if a record is a prediction, or has one
    lm_filter: str | None = None  # the filter of lm-eval whose records count; the others repeat the same answers
    is_table: bool = False
    renamed: tuple[tuple[str, str], ...] = ()  # fields that are written in another way than ours, as in Prediction
    note: str = ""  # which fields are used, if it is not our own layout

    @property
    def is_own(self) -> bool:
        """Whether this is our own layout."""
        return self.answer is None and self.id_field == "id" and not self.renamed

    def final_answer(self, entry: Any, where: str) -> dict[str, Any] | None:
        """Return the id and the answer of a record whose answer is numbers; None if it is something else."""
        value = value_at(entry, self.answer) if self.answer is not None and isinstance(entry, dict) else None
        numbers = value if isinstance(value, list) else [value]
        if not numbers or not all(isinstance(each, (int, float)) for each in numbers):
            return None
        return {"id": self._id(entry, where), "answer": value}

    def read(self, entry: Any, where: str, sample: int | None = None) -> Iterator[tuple[ProblemId, Any, Any]]:
        """Yield id, prediction and number of each sample of a record, or of one sample; raises `ScoreError`.

        The number is None if the record does not say it.
        """
        if not isinstance(entry, dict):
            raise ScoreError(f"{where}: expected an object with an id, but got {short_repr(entry)}")
        if self.is_table:
            entry = _read_cells(_rename(entry, self.renamed), where, is_own=self.answer is None)
        else:
            entry = _rename(entry, self.renamed)
        if self.answer is None:
            if sample is None or _sample_number(entry) == sample:
                yield *self._read_own(entry, where), entry.get("sample")
            return
        if self.lm_filter is not None and entry.get("filter") != self.lm_filter:
            return
        if sample is not None and entry.get("sample") is not None and entry["sample"] != sample:
            return
        given = value_at(entry, self.answer)
        texts = None if given is NOTHING else answer_texts(given)
        if texts is None:
            raise ScoreError(f"{where}: {_without_field(entry, self.answer, given)}")
        epoch = entry.get("epoch")
        several = not (given is None or isinstance(given, str))
        for number, text in enumerate(texts):
            kept = _kept(entry, self.answer)
            if type(epoch) is int and isinstance(entry.get("output"), dict):
                kept["sample"] = epoch - 1  # inspect-ai repeats samples in epochs, counted from 1
            elif several and "sample" not in kept and (len(texts) > 1 or sample is not None):
                kept["sample"] = number
            if sample is None or _sample_number(kept) == sample:
                yield self._id(entry, where), {"answer": _attached(text, entry, where), **kept}, kept.get("sample")

    def _id(self, entry: Mapping[str, Any], where: str) -> ProblemId:
        id_ = value_at(entry, self.id_field)
        if id_ is NOTHING:
            what = "an id" if self.id_field == "id" else f"the field {self.id_field} with the id"
            raise ScoreError(f"{where}: expected {what}, but got the keys {_keys(entry)}{_meant_id(entry)}")
        if self.is_table:
            id_ = id_of_cell(id_)
        if type(id_) is not int and type(id_) is not str:
            raise ScoreError(f"{where}: expected a whole number or a string as the id, but got {short_repr(id_)}")
        return id_

    def _read_own(self, entry: dict[str, Any], where: str) -> tuple[ProblemId, Any]:
        id_ = self._id(entry, where)
        if "prediction" not in entry:
            return id_, entry
        fields = [name for name in OWN_FIELDS if name in entry]
        if fields:
            raise ScoreError(f"{where}: expected a prediction or its fields next to the id, but got both ({fields[0]})")
        return id_, entry["prediction"]


def _sample_number(entry: Mapping[str, Any]) -> Any:
    """Return the number of a record's sample: 0 if it does not say one."""
    given = entry.get("sample")
    return 0 if given is None else given


def _without_field(entry: Mapping[str, Any], field: str, given: Any) -> str:
    """Return the complaint about a record without the field of the answer, with the field that may be meant."""
    if given is not NOTHING:
        return f"expected a string as {field}, or null to abstain, but got {short_repr(given)}"
    other = text_field(entry)
    hint = _advice(field=other)
    return f"expected the field {field}, but got the keys {_keys(entry)}{hint}"


def _kept(entry: Mapping[str, Any], answer: str) -> dict[str, Any]:
    """Return what a prediction keeps of a record besides the answer: the number of the sample, the prompt style."""
    kept = {"sample": entry["sample"]} if "sample" in entry and not isinstance(entry["sample"], (dict, list)) else {}
    if answer == "answer":  # naming our own field changes nothing
        return {**({"prompt_style": entry["prompt_style"]} if "prompt_style" in entry else {}), **kept}
    for box in (entry.get("doc"), entry.get("metadata")):  # as our tasks for lm-eval and inspect-ai log it
        style = box.get("prompt_style") if isinstance(box, dict) else None
        if isinstance(style, str) and _is_style(style):
            kept["prompt_style"] = style
    return kept


def row_text(entry: Any) -> str | None:
    """Return the row, as JSON text, that a record of our tasks for lm-eval or inspect-ai carries."""
    boxes = (entry.get("doc"), entry.get("metadata")) if isinstance(entry, dict) else ()
    rows = (box.get("row") for box in boxes if isinstance(box, dict))
    return next((row for row in rows if isinstance(row, str)), None)


def _is_style(text: str) -> bool:
    try:
        find_style(text)
    except ChoiceError:
        return False
    return True


_ATTACHMENT = "attachment://"


def _attached(text: str | None, entry: Mapping[str, Any], where: str) -> str | None:
    """Return the text that inspect-ai stores apart from the message, if it does."""
    if text is None or not text.startswith(_ATTACHMENT) or "epoch" not in entry:
        return text
    attachments = entry.get("attachments")
    found = attachments.get(text.removeprefix(_ATTACHMENT)) if isinstance(attachments, dict) else None
    if not isinstance(found, str):
        raise ScoreError(
            f"{where}: expected the text of the answer, but it is stored apart; write the log as JSON: inspect log dump"
        )
    return found


# Tables


_WHOLE = re.compile(r"\s*(-?[0-9]{1,18})(?:\.0+)?\s*")


def id_of_cell(value: Any) -> Any:
    """Return an id of a table, where a column of numbers may have become one of floats."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    match = _WHOLE.fullmatch(value) if isinstance(value, str) else None
    return match[1] if match else value


def _read_cells(row: dict[str, Any], where: str, *, is_own: bool) -> dict[str, Any]:
    """Return a row of a table with null for cells without a value; cells of predictions may be JSON."""
    read = {name: None if _is_nan(value) else value for name, value in row.items()}
    if read.get("sample") is not None:
        read["sample"] = sample_of_cell(read["sample"])
    else:
        read.pop("sample", None)
    if not is_own:
        return read
    for name in _OWN:
        value = read.get(name)
        if name != "answer" and isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            read[name] = decode_json(value, f"{where}, column {name}", ScoreError)
    # A row has all columns of its table: those without a value are not there.
    there = {name for name in _OWN if name in read}
    empty = {name for name in there if read[name] is None}
    if there == empty:
        return {name: value for name, value in read.items() if name not in there} | {"prediction": None}
    return {name: value for name, value in read.items() if name not in empty}


def sample_of_cell(value: Any) -> Any:
    """Return the number of a sample in a table, where a column of numbers may have become one of floats."""
    number = id_of_cell(value)
    return int(number) if isinstance(number, str) and number.isascii() and number.isdecimal() else number


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and value != value


# Recognizing a layout


def find_layout(
    head: Sequence[Record],
    *,
    field: str | None = None,
    id_field: str | None = None,
    known: KnownIds | None = None,
    is_table: bool = False,
) -> Layout:
    """Return the layout of a file by its first records; raises `ScoreError` with the fields if it is unknown."""
    given = [record.value for record in head if isinstance(record.value, dict)]
    renamed = _renamed(given, ("sample", "prompt_style") if field else _ALIASED, {field, id_field})
    entries = [_rename(entry, renamed) for entry in given]
    if not entries:
        return Layout(id_field or "id", field, is_table=is_table)
    id_name, notes = id_field or "id", [f'"{written}" as the {name}' for written, name in renamed]
    if id_field is None:
        found = _find_id(entries, known, is_own=field is None and any(map(is_own, entries)))
        if found is None and field is None:
            raise ScoreError(_without_id(head[0], entries, known))
        id_name = found or "id"
    answer = field
    if field is None:
        answer = _find_answer(entries, id_name, head[0])
        others = [other for other in ANSWER_FIELDS if other != answer and _is_answer(entries, other)]
        own = [one for one in _OWN if any(one in entry for entry in entries)]
        if answer is not None:
            unused = ' (not "answer"; field=answer takes that)' if "answer" in own else ""
            notes.append(f'"{answer}" as the answer{unused}')
        elif others and others[0] not in ("text", "content") and own:
            notes.append(f'"{own[0]}" as the prediction (not "{others[0]}"; field={others[0]} takes that)')
    if id_name != "id" and id_field is None:
        notes.append(f'"{id_name}" as the id')
    lm_filter = None
    if answer in ("resps", "filtered_resps") and isinstance(entries[0].get("filter"), str):
        lm_filter = entries[0]["filter"]
        if lm_filter != "none":
            notes.append(
                f"and only records of filter {short_repr(lm_filter)}, because other filters repeat the answers"
            )
    said = f"using {', '.join(notes)}" if notes else ""
    return Layout(id_name, answer, lm_filter, is_table, renamed, said)


def is_own(entry: Mapping[str, Any]) -> bool:
    """Decide whether a record is in our own layout."""
    return "id" in entry and any(name in entry for name in _OWN)


def _fold(name: str) -> str:
    """Return a name without case, spaces, underscores and hyphens.

    >>> _fold("Problem ID") == _fold("problem_id")
    True
    """
    return re.sub(r"[\s_-]+", "", name).casefold()


def _variants(entries: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, list[str]]:
    """Return the keys that are one of the names but for case, spaces, underscores and hyphens, by the name."""
    keys = dict.fromkeys(key for entry in entries for key in entry if isinstance(key, str))
    folded = {_fold(name): name for name in reversed(names)}
    found: dict[str, list[str]] = {}
    for key in keys:
        name = folded.get(_fold(key))
        if name is not None and key not in names and name not in keys:
            found.setdefault(name, []).append(key)
    return found


def as_written(entries: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[str]:
    """Return the names, each followed by the ways in which it is written here."""
    variants = _variants(entries, names)
    return [written for name in names for written in (name, *variants.get(name, ()))]


def find_field(entries: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str | None:
    """Return the first field with one of some common names, in any spelling; one that all records have goes first.

    >>> find_field([{"Problem Text": "…", "no": 1}], ("question", "problem_text"))
    'Problem Text'
    """
    written = as_written(entries, names)
    there = [name for name in written if all(name in entry for entry in entries)]
    there += [name for name in written if any(name in entry for entry in entries)]
    return there[0] if there else None


def _renamed(
    entries: Sequence[Mapping[str, Any]], names: Sequence[str], chosen: set[str | None]
) -> tuple[tuple[str, str], ...]:
    """Return the keys that are meant as our own fields, each with that field; not those that the caller chose."""
    found = ((next(key for key in keys), name) for name, keys in _variants(entries, names).items())
    return tuple((key, name) for key, name in found if key not in chosen)


def _rename(entry: dict[str, Any], renamed: Sequence[tuple[str, str]]) -> dict[str, Any]:
    if not renamed:
        return entry
    names = dict(renamed)
    return {names.get(key, key): value for key, value in entry.items()}


def _find_id(entries: Sequence[dict[str, Any]], known: KnownIds | None, *, is_own: bool) -> str | None:
    names = as_written(entries, ID_FIELDS)
    there = [name for name in names if all(_may_be_id(value_at(entry, name)) for entry in entries)]
    there = there or [name for name in names if _may_be_id(value_at(entries[0], name))]
    if is_own:
        there = ["id", *(name for name in there if name != "id")]
    if known is not None:
        for name in there:
            if all(_is_known(value_at(entry, name), known) for entry in entries):
                return name
    return there[0] if there else None


def _may_be_id(value: Any) -> bool:
    return is_problem_id(value) or (isinstance(value, float) and value.is_integer())


def _is_known(value: Any, known: KnownIds) -> bool:
    value = id_of_cell(value) if isinstance(value, (str, float)) else value
    return is_problem_id(value) and (len(known.positions(value)) > 0 or known.is_refused(value))


def _find_answer(entries: Sequence[dict[str, Any]], id_name: str, first: Record) -> str | None:
    """Return the field with the answer; None if the records are predictions or have them."""
    own = {one for one in _OWN if any(one in entry for entry in entries)}
    if all("resps" in entry and "doc" in entry for entry in entries):
        own = set()  # lm-eval logs figures beside the answer, and ours is called derivation
    if own and (id_name == "id" or own & set(_DERIVATIONS)):
        return None
    found = _common_answer(entries)
    if found is not None or own:
        return found
    keys = {key for entry in entries for key in entry}
    if keys <= {id_name, "sample", "prompt_style"} and _fold(id_name) == "id":
        return None  # lines without a prediction
    hint = _advice(field=likely_answer(entries, id_name))
    listed = fields_of(entries)
    raise ScoreError(f"{first.where}: expected a field with the prediction or the answer, but got {listed}{hint}")


def fields_of(entries: Sequence[Mapping[str, Any]]) -> str:
    """Return the fields of records as a message lists them."""
    keys = sorted({str(key) for entry in entries for key in entry})
    return ", ".join(map(short_repr, keys[:12])) + ", …" * (len(keys) > 12)


def _common_answer(entries: Sequence[Mapping[str, Any]]) -> str | None:
    """Return the first field with a common name that holds answers."""
    names = as_written(entries, (*ANSWER_FIELDS[:-2], "answer", *ANSWER_FIELDS[-2:]))  # a text may be the question
    return next((name for name in names if name != "answer" and _is_answer(entries, name)), None)


def _is_answer(entries: Sequence[Mapping[str, Any]], field: str) -> bool:
    """Decide whether a field holds answers: texts, or structures with texts, but not only nulls."""
    given = [entry[field] for entry in entries if field in entry]
    some = [value for value in given if value is not None]
    if not given or (not some and field in STRUCTURED):
        return False
    if field in STRUCTURED and not all(is_structure(value) for value in some):
        return False
    return all(answer_texts(value) is not None for value in some)


def is_structure(value: Any) -> bool:
    """Decide whether a value is an object or a list of objects."""
    return isinstance(value, dict) or (isinstance(value, list) and all(isinstance(item, dict) for item in value))


def likely_answer(entries: Sequence[Mapping[str, Any]], id_name: str) -> str:
    """Return the field with the longest texts, leaving out names of questions and of gold."""
    lengths: dict[str, int] = {}
    for entry in entries:
        for key, value in entry.items():
            if isinstance(value, str) and key != id_name and _is_name(key) and not _NO_ANSWER.search(key):
                lengths[key] = lengths.get(key, 0) + len(value)
    return max(lengths, key=lambda key: lengths[key], default="")


def _is_name(key: object) -> bool:
    """Decide whether a key can be given as an option."""
    return isinstance(key, str) and 0 < len(key) <= 60 and key.isprintable()


_NO_ANSWER = re.compile(r"(?i)question|prompt|problem|instruction|input|target|gold|label|reference|truth|id$")


def _without_id(first: Record, entries: Sequence[Mapping[str, Any]], known: KnownIds | None) -> str:
    """Return the complaint about records without an id, and without an answer if no field has a common name."""
    id_name = _likely_id(entries[0], known)
    if any(name in entry for name in _OWN for entry in entries) or _common_answer(entries) is not None:
        return f"{first.where}: expected an id, but got the keys {_keys(first.value)}{_advice(id_field=id_name)}"
    advice = _advice(id_field=id_name, field=likely_answer(entries, id_name))
    return (
        f"{first.where}: expected an id, and a field with the prediction or the answer, but got the keys "
        f"{_keys(first.value)}{advice}"
    )


def _advice(*, id_field: str = "", field: str = "") -> str:
    """Return the hint with the options that may be meant, as a shell takes them; empty if there are none.

    >>> _advice(id_field="Problem nr", field="said")
    ": did you mean id_field='Problem nr' and field=said?"
    """
    if id_field and field:
        return f": did you mean id_field={shlex.quote(id_field)} and field={shlex.quote(field)}?"
    if id_field:
        return f": did you mean id_field={shlex.quote(id_field)}?"
    return f": did you mean field={shlex.quote(field)}?" if field else ""


def _meant_id(entry: Mapping[str, Any]) -> str:
    """Return the hint with the field that may be the id; empty if there is none."""
    return _advice(id_field=_likely_id(entry))


def _likely_id(entry: Mapping[str, Any], known: KnownIds | None = None) -> str:
    """Return the field that may be the id; empty if there is none."""
    there = [key for key, value in entry.items() if _is_name(key) and _may_be_id(value)]
    sure = [key for key in there if known is not None and _is_known(entry[key], known)]
    named = [key for key in there if re.search(r"(?i)id$|^id|nr$|num|index|key", key)]
    likely = [*sure, *named]
    return likely[0] if likely else ""


# Texts without ids, and JSON documents


def texts_are_derivations(texts: Sequence[Any]) -> bool:
    """Decide whether texts are predictions in q-notation, and not answers of a model.

    >>> texts_are_derivations(["m = q1 + q2", None]), texts_are_derivations(["The answer is 7."])
    (True, False)
    """
    given = [text for text in texts if isinstance(text, str) and text.strip()]
    # Gold of a problem without numbers has no q1, and a prediction may be broken.
    written = sum("=" in text and not is_prose(text) for text in given)
    return 2 * written > len(given) and any(_RANK.search(text) for text in given)


_RANK = re.compile(r"\bq[1-9]")


def records_of_document(document: dict[str, Any], where: str, known: KnownIds | None) -> list[Record]:
    """Return the records of a JSON object that is a whole file: itself, a list in a field, or a record for each id."""
    if is_own(document):
        return [Record(where, document)]
    ids = [value_at(document, name) for name in ID_FIELDS]
    if any(_may_be_id(id_) and (known is None or _is_known(id_, known)) for id_ in ids):
        return [Record(where, document)]
    lists = [
        name
        for name in _LISTS
        if isinstance(document.get(name), list) and document[name] and isinstance(document[name][0], dict)
    ]
    if lists and (len(lists) == 1 or "samples" in lists):
        return [Record(f"{where}, {lists[0]} {at}", item) for at, item in enumerate(document[lists[0]], 1)]
    if not any(map(_may_be_id, ids)) and (known is None or any(_is_known(key, known) for key in document)):
        return _by_id(document, where)
    return [Record(where, document)]


def _by_id(document: dict[str, Any], where: str) -> list[Record]:
    values = [value for value in document.values() if value is not None]
    pattern = next((value for value in values if isinstance(value, dict)), None)
    if any(isinstance(value, list) for value in values):
        name = "response"
    else:
        name = "prediction" if texts_are_derivations(values[:HEAD]) or pattern is not None else "answer"
    records = []
    for key, value in document.items():
        fields = {name: value}
        if isinstance(value, dict):
            fields = value
        elif value is None and pattern is not None:
            fields = dict.fromkeys(pattern)
        records.append(Record(f"{where}, key {short_repr(key)}", {**fields, "id": key}))
    return records
