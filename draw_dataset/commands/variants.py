"""``draw variants``: new numbers and traps for any rows, and derivations from final answers."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.commands.options import (
    FIELDS,
    FORMAT,
    GRAMMAR,
    JSON,
    JSON_FORMAT,
    RELEASE,
    Arguments,
    argument,
    command,
    group,
    load_problems,
    option,
    say_note,
    say_written,
    sources,
    use_one_thread,
    whole_number,
)
from draw_dataset.errors import ChoiceError, RowError
from draw_dataset.io.atomic import STANDARD, atomic_file, check_writable
from draw_dataset.io.jsonl import DEEPEST_NESTING, display_name, json_line, read_json_lines, write_json_lines
from draw_dataset.io.records import open_records

if TYPE_CHECKING:
    from draw_dataset.data.catalog import DataRef
    from draw_dataset.derivation.problem import ProblemId
    from draw_dataset.variants.making import VariantSet
    from draw_dataset.variants.probing import Probe
    from draw_dataset.variants.rivals import RivalInventory

_BATCH = 50  # rows between two steps of the progress bar


@group(for_data="make")
def variants() -> None:
    """Make problem variants of 13 kinds, and find derivations from final answers.

    Examples:
      draw variants make draw1k/test --count 3 --seed 0 --out v.jsonl
      draw variants score answers.jsonl --variants v.jsonl
    """
    use_one_thread()


@command(
    sources(),
    option("--count N", "variants of each kind", type=whole_number(1, 100), default=3),
    option("--seed N", "the same seed gives the same file", type=whole_number(0, 10**9), default=0),
    option("--kind KIND", "kind to make, repeatable (default: numbers)", multiple=True),
    option("--kinds LIST", "kinds to make, each with a count if it has its own: numbers=3,twins=1"),
    option("--out FILE", "write rows there, one JSON object per line (default: -)"),
    option("--out-dataset DIR", "write a dataset of the datasets library, by split"),
    option("--with-originals", "write each original before its variants"),
    option("--refused FILE", "write the ids of rows without a variant, with the reason"),
    option("--inventory SOURCE", "problems whose templates are rivals of gold (default: all of SOURCE)"),
    *RELEASE,
    JSON,
    parent=variants,
)
def make(arguments: Arguments) -> int:
    """Make variants of problems: other numbers, other words, other questions, and numbers that do not belong.

    Kinds:
      numbers     new numbers, written as in the original; gold is computed again, exactly
      digits      the same with more digits, where the thing allows it
      decimals    the same with decimals, where something is measured
      traps       a sentence in front with a number that has nothing to do with the problem
      twins       traps in pairs: in one the added number equals a number of gold, in its twin it does not
      distractor  such a sentence in the middle, about a person or with a unit of the problem
      names       other people
      objects     other things and places
      order       sentences or phrases change places
      reversed    the answer is given, and a given number is asked for
      missing     something needed is left out: the right answer is that it cannot be decided
      added       one more operation on the answer
      units       one number in another unit

    A file may have plain records instead of rows (also CSV): a question with its equations or worked solution.

    A variant is an ordinary row with source_id and variant. Variants of one source stay in its split. New
    numbers are chosen so that wrong derivations no longer give the right answers, if possible. Rows with gold
    known to be wrong, or without a plausible variant, are refused: --refused says why.

    Exit status: 0 made, 1 no row gave a variant, 2 input refused

    Examples:
      draw variants make draw1k/test --count 3 --seed 0 --out v.jsonl
      draw variants make rows.jsonl --kinds numbers=3,reversed,names=1 --out v.jsonl --refused refused.jsonl
      draw variants make draw1k --out-dataset variants    then datasets.load_from_disk('variants')
      draw variants make mine.csv --out v.jsonl           questions with their equations or solutions
      draw variants make sample/test --with-originals | head
    """
    from draw_dataset.data.catalog import resolve

    for path in (arguments.out, arguments.refused):
        if path is not None:
            check_writable(path)
    source = resolve(arguments.source)
    splits = _rows(source, arguments)
    inventory = _find_inventory(arguments, source, splits)
    made = {split: _make(rows, arguments, inventory, split) for split, rows in splits.items()}
    out = arguments.out or (None if arguments.out_dataset else STANDARD)
    if out is not None:
        write_json_lines(out, _lines(splits, made, arguments.with_originals))
    if arguments.out_dataset:
        _write_dataset(arguments.out_dataset, splits, made, arguments.with_originals)
    if arguments.refused:
        refused = [(id_, why) for one in made.values() for id_, why in one.refused.items()]
        write_json_lines(arguments.refused, ({"id": id_, "reason": why} for id_, why in refused))
    _report(made, arguments.json, to_error=out == STANDARD)
    say_written(out, arguments.out_dataset, arguments.refused)
    return 0 if any(made.values()) else 1


def _rows(source: DataRef, arguments: Arguments) -> dict[str, list[Any]]:
    """Return the rows by split; rows of a file stay unchanged, because some may be variants themselves."""
    from draw_dataset.data.catalog import load_splits

    if source.file is not None and not arguments.corrected:
        return {"all": list(_rows_of_file(source.file))}
    return {split: list(rows) for split, rows in load_splits(source, arguments.data_dir, arguments.corrected).items()}


def _rows_of_file(path: str) -> Iterator[Any]:
    """Yield the rows of a file; a record with a question and its equations or solution gives a derived row."""
    from draw_dataset.deriving.grading import own_row

    left: list[str] = []
    made = 0
    for place, (where, entry) in enumerate(_records_of(path), 1):
        try:
            found = own_row(entry, place)
        except RowError as error:
            raise RowError(f"{where}: {error}") from error
        if found is None:
            yield entry
            continue
        row, missing = found
        if missing:
            left.append(f"{row['id']}: {missing}")
            continue
        made += 1
        yield row
    if made or left:
        say_note(f"{display_name(path)}: derived gold of {made} of {made + len(left)} questions from their solutions")
    if left:
        say_note(f"left out, without a derivation: {'; '.join(left[:3])}{'; …' * (len(left) > 3)}")


def _records_of(path: str) -> Iterator[tuple[str, Any]]:
    """Yield the records of a file with their places; tables are read, too."""
    if Path(path).suffix.lower() in (".csv", ".tsv", ".parquet"):
        with open_records(path, error=RowError, nesting=DEEPEST_NESTING) as records:
            yield from records.items
    else:
        yield from ((f"{display_name(path)}, line {line.number}", line.value) for line in read_json_lines(path))


def _find_inventory(arguments: Arguments, source: DataRef, splits: dict[str, list[Any]]) -> RivalInventory:
    from draw_dataset.data.catalog import DataRef, load_splits, resolve
    from draw_dataset.derivation.problem import Problem
    from draw_dataset.variants.making import inventory_of

    if arguments.inventory is not None:
        named: DataRef = resolve(arguments.inventory)
    elif source.config is not None:
        named = DataRef(source.config)
    else:
        return inventory_of([Problem.from_row(row) for rows in splits.values() for row in rows])
    found = load_splits(named, arguments.data_dir, arguments.corrected)
    return inventory_of([problem for problems in found.values() for problem in problems])


def _make(rows: list[Any], arguments: Arguments, inventory: RivalInventory, split: str) -> VariantSet:
    from tqdm import tqdm

    from draw_dataset.variants.making import VariantSet, make_variants

    kinds = _kinds(arguments)
    whole = VariantSet([], [], {})
    seen: set[Any] = set()
    with tqdm(total=len(rows), desc=split, unit=" rows", disable=not sys.stderr.isatty(), leave=False) as bar:
        for start in range(0, len(rows), _BATCH):
            some = [row for row in rows[start : start + _BATCH] if _id(row) not in seen]
            seen |= {_id(row) for row in some}
            found = make_variants(some, arguments.count, arguments.seed, kinds=kinds, inventory=inventory)
            whole.rows.extend(found.rows)
            whole.made.extend(found.made)
            whole.refused.update(found.refused)
            bar.update(min(_BATCH, len(rows) - start))
    return whole


def _kinds(arguments: Arguments) -> dict[str, int]:
    """Return how many variants of each kind are wanted."""
    from draw_dataset.variants.making import KINDS

    if arguments.kind and arguments.kinds:
        raise ChoiceError("expected --kind or --kinds, but got both")
    found = dict.fromkeys(arguments.kind or [], arguments.count)
    for part in (arguments.kinds or "").split(",") if arguments.kinds is not None else ():
        kind, equals, count = (piece.strip() for piece in part.partition("="))
        if equals and not (count.isascii() and count.isdecimal()):
            raise ChoiceError(f"--kinds: expected KIND or KIND=COUNT between commas, but got {part.strip()[:40]!r}")
        found[kind] = int(count[:9]) if equals else arguments.count
    for kind in found:
        if kind not in KINDS:
            raise ChoiceError(f"kinds: expected some of {', '.join(KINDS)}, but got {kind[:40]!r}")
    return found or {"numbers": arguments.count}


def _id(row: Any) -> Any:
    from draw_dataset.derivation.problem import Problem

    return row.id if isinstance(row, Problem) else row.get("id")


def _lines(splits: dict[str, list[Any]], made: dict[str, VariantSet], with_originals: bool) -> Iterator[dict[str, Any]]:
    """Yield the variants of all splits, each original before its variants if wanted."""
    from draw_dataset.derivation.problem import Problem

    for split, rows in splits.items():
        originals = {_id(row): row.to_row() if isinstance(row, Problem) else row for row in rows if with_originals}
        last: object = None
        for variant in made[split]:
            if with_originals and variant["source_id"] != last:
                yield originals[variant["source_id"]]
            last = variant["source_id"]
            yield variant


def _write_dataset(
    folder: str, splits: dict[str, list[Any]], made: dict[str, VariantSet], with_originals: bool
) -> None:
    """Write a dataset with a split for each split of the source; all ids become texts."""
    from datasets import DatasetDict, List, Value

    from draw_dataset.data.features import rows_dataset
    from draw_dataset.io.atomic import new_folder

    if with_originals:
        raise ChoiceError("--with-originals is for --out: the rows of a dataset have the same fields")
    change = {"index": "int32", "start": "int32", "before": "string", "after": "string", "value": "float64"}
    more = {
        "status": Value("string"),
        "reason": Value("string"),
        "source_id": Value("string"),
        "variant": {
            "kind": Value("string"),
            "number": Value("int32"),
            "seed": Value("int64"),
            "changes": List({name: Value(type_) for name, type_ in change.items()}),
            "topic": Value("string"),
            "role": Value("string"),
            "range": Value("string"),
            "difficulty": {"steps": Value("int32"), "digits": Value("int32")},
        },
    }
    found = {}
    for split in splits:
        # A row without gold is known by its status.
        rows = [{"status": "", "reason": "", **row, "source_id": str(row["source_id"])} for row in made[split]]
        if rows:
            found[split] = rows_dataset(rows, more)
    with new_folder(Path(folder)) as target:
        DatasetDict(found).save_to_disk(str(target))


def _report(made: dict[str, VariantSet], as_json: bool, to_error: bool) -> None:
    from draw_dataset.variants.making import VariantSet

    whole = VariantSet(
        [row for one in made.values() for row in one.rows],
        [one for each in made.values() for one in each.made],
        {id_: why for one in made.values() for id_, why in one.refused.items()},
    )
    summary = whole.summary()
    stream = sys.stderr if to_error else sys.stdout
    if as_json:
        print(json_line(summary), end="", file=stream)
        return
    rivals = summary["rivals"]
    kinds = ", ".join(f"{kind} {count}" for kind, count in summary["kinds"].items())
    each = f" ({kinds})" if len(summary["kinds"]) > 1 else ""
    print(f"{summary['variants']} variants of {summary['rows_with_variants']} rows{each}", file=stream)
    if rivals["answer_like_gold_on_the_original"]:
        print(
            f"{rivals['answer_like_gold_on_the_original']} wrong derivations give gold's answers on the originals; "
            f"{rivals['up_to_fixed_numbers']} of them differ in fixed numbers only, in "
            f"{rivals['rows_up_to_fixed_numbers']} rows, and {rivals['not_ruled_out']} others are not ruled out, in "
            f"{rivals['rows_not_ruled_out']} rows",
            file=stream,
        )
    if summary["inconsistent_numbers"]:
        print(f"{sum(summary['inconsistent_numbers'].values())} draws did not fit the text:", file=stream)
        for rule, count in summary["inconsistent_numbers"].items():
            print(f"  {count:5}  {rule}", file=stream)
    if summary["refused"]:
        print(f"{summary['refused']} row{'s' * (summary['refused'] > 1)} gave no variant:", file=stream)
        for why, count in summary["why_refused"].items():
            print(f"  {count:5}  {why}", file=stream)


@command(
    argument("files", "FILE...", "answers of a system; the others are compared with the first"),
    option("--variants FILE", "file that draw variants make wrote", required=True),
    *FIELDS,
    option("--inventory SOURCE", f"problems whose templates are rivals (default: the variants): {GRAMMAR}"),
    option(
        "--missing skip|abstain|error",
        "variants without an answer: leave them out and name them, count them as wrong, or refuse the file",
        default="skip",
    ),
    FORMAT,
    JSON_FORMAT,
    option("--verdicts FILE", "write the verdict on every problem, one JSON object a line", type=Path),
    option("--html FILE", "write a page with the derivations that explain the answers", type=Path),
    *RELEASE,
    parent=variants,
)
def score(arguments: Arguments) -> int:
    """Find derivations from the final answers to problems and their variants, and robustness by kind.

    Each line of a file is {"id": "7-n1", "answer": A}; the answer to the original has the id of the original,
    here 7. A is a number, a list of numbers, or a text whose results are read.
    Predictions with solutions, as draw solve predict writes them, work as well, and so do the formats of
    draw score. Several lines with the same id are samples: each is judged. Variants without an answer are left
    out and named; --missing abstain counts them as wrong. Where a statement is missing, "it cannot be determined"
    and null are right, and a number is counted as answered anyway.

    Exit status: 0 scored, 2 input refused

    Examples:
      draw variants make draw1k/test --count 3 --with-originals --out v.jsonl
      draw variants score answers.jsonl --variants v.jsonl
      draw variants score one.jsonl other.jsonl --variants v.jsonl --inventory draw1k --html report.html
      draw variants score answers.jsonl --variants v.jsonl --field completion --verdicts verdicts.jsonl
    """
    from draw_dataset.commands.score import format_table, systems_of
    from draw_dataset.derivation.problem import is_problem_id
    from draw_dataset.scoring.files import read_final_answers
    from draw_dataset.scoring.gold_rows import ListedIds
    from draw_dataset.variants.making import inventory_of
    from draw_dataset.variants.page import write_probe_page
    from draw_dataset.variants.probing import answers_by_id, cases_of, probe
    from draw_dataset.variants.report import compare_probes

    if arguments.html:
        check_writable(arguments.html)
    rows = [line.value for line in read_json_lines(arguments.variants)]
    variants = [row for row in rows if row.get("variant") is not None]
    if not variants:
        raise RowError(f"{arguments.variants}: expected variants, but got {len(rows)} rows without the field variant")
    inventory = inventory_of(load_problems(arguments.inventory, arguments)) if arguments.inventory is not None else None
    data = Path(arguments.variants).name
    known = ListedIds(row["id"] for row in rows if is_problem_id(row.get("id")))
    sources = {row.get("source_id") for row in variants}
    variants += [row for row in rows if row.get("variant") is None and row.get("id") in sources]
    probes, answers = {}, {}
    for name, path in systems_of(arguments.files).items():
        lines = read_final_answers(path, field=arguments.field, id_field=arguments.id_field, known=known, note=say_note)
        answers[name] = answers_by_id(lines)
        probes[name] = probe(answers[name], variants, inventory=inventory, data=data, missing=arguments.missing)
        _say_missing(name, probes[name])
    table = compare_probes(probes)
    if arguments.verdicts:
        with atomic_file(arguments.verdicts) as file:
            for name, one in probes.items():
                for problem in one.problems:
                    file.write(json_line({"system": name, **problem.to_dict()}))
    if arguments.html:
        title = f"Derivation from answers: {data}"
        write_probe_page(arguments.html, table, cases_of(variants), title=title, answers=answers)
    form = "json" if arguments.json else arguments.format
    print(format_table(table, form))
    say_written(arguments.verdicts, arguments.html)
    if form == "text" and sys.stdout.isatty():
        print("\n--verdicts FILE writes the verdict on every problem, --html FILE a page with the explanations.")
    return 0


_NAMED = 5  # how many rows without an answer are named


def _say_missing(name: str, found: Probe) -> None:
    """Name the variants and the originals that a system has not answered."""
    missing, originals = found.missing, found.missing_originals
    if missing:
        count = found.signature.variants + len(missing)
        say_note(
            f"{name}: {len(missing)} of {count} variants have no answer and are left out: "
            f"{_named(missing)} (--missing abstain counts them as wrong)"
        )
    if originals and len(originals) < len(found.problems):
        say_note(
            f"{name}: {len(originals)} of {len(found.problems)} originals have no answer: {_named(originals)}; "
            "gap and drop are those of the others"
        )


def _named(ids: Sequence[ProblemId]) -> str:
    from draw_dataset.derivation.problem import name_of

    more = f" and {len(ids) - _NAMED} more" if len(ids) > _NAMED else ""
    return f"{', '.join(map(name_of, ids[:_NAMED]))}{more}"
