"""``draw annotate``: derivations for new problems, automatic if the text decides them, else by people."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from draw_dataset.commands.options import (
    DATA_DIR,
    GRAMMAR,
    JSON,
    JSON_LINES,
    Arguments,
    argument,
    command,
    group,
    load_problems,
    option,
    require_extra,
    say_written,
    sources,
    whole_number,
)
from draw_dataset.errors import AnnotationError, ChoiceError, FolderError, LimitError, RowError, short_repr
from draw_dataset.io.atomic import STANDARD
from draw_dataset.io.jsonl import write_json_lines

if TYPE_CHECKING:
    from draw_dataset.annotate.decisions import AnnotationState, StoredProblem
    from draw_dataset.annotate.evaluation import ProposalEvaluation
    from draw_dataset.annotate.intake import Intake, ReadingIntake
    from draw_dataset.annotate.outcome import Agreement, Disagreement, Exported, Overview
    from draw_dataset.annotate.page.server import Served
    from draw_dataset.annotate.proposal import Proposal
    from draw_dataset.annotate.store import Store
    from draw_dataset.derivation.derivation import TextNumber
    from draw_dataset.derivation.problem import ProblemId
    from draw_dataset.io.records import Broken

LARGEST = 2**31 - 1
HOST, PORT = "127.0.0.1", 7860
TOKEN_VARIABLE = "DRAW_ANNOTATE_TOKEN"
LEAD_TOKEN_VARIABLE = "DRAW_ANNOTATE_LEAD_TOKEN"
PAPER_NEEDING = {"draw1k": 21, "alg514": 23, "dolphin_l": 35}  # ambiguous alignments in per cent, the paper's Table 2
STORE = option("--store FILE", "file of annotations", type=Path, default=Path("work.db"))


@group()
def annotate() -> None:
    """Annotate derivations: the program decides what is certain, people decide the rest.

    Examples:
      draw annotate import problems.jsonl --store work.db
      draw annotate status --store work.db
      draw annotate serve --store work.db
      draw annotate agreement --store work.db
      draw annotate export --store work.db --out rows.jsonl
      draw annotate import --help
    """


def count_text(counts: Mapping[str, int]) -> str:
    """Return counts as a text.

    >>> count_text({"automatic": 3, "open": 0, "refused": 1})
    '3 automatic, 1 refused'
    """
    return ", ".join(f"{count} {name}" for name, count in counts.items() if count) or "none"


@command(
    argument("files", "FILE...", "JSONL, CSV or TSV file of problems; or sample, draw1k, alg514 …", reads="source"),
    STORE,
    option("--update", "changed problems become new revisions; all work is kept"),
    option("--strict", "import nothing if a line of a file is no problem"),
    option("--annotators-per-problem N", "annotators per problem (default: 2)", type=whole_number(1, LARGEST)),
    option("--seed N", "seed of each annotator's problem order (default: 0)", type=whole_number(0, LARGEST)),
    option("--ask-roles", "work is submitted only with what each unknown is and what the question asks for"),
    option("--readings FILE", "readings of these problems: lines with id, d, asked, roles", reads="file"),
    option("--as NAME", "annotator whose work the readings are", dest="annotator"),
    JSON,
    parent=annotate,
    name="import",
)
def import_problems(arguments: Arguments) -> int:
    """Import problems into a store; a missing store is made.

    Each line of a file is a JSON object with "id", "question" and "equations"; other fields are kept and
    exported again. A CSV or TSV file has these columns; several equations of a cell are separated by ";" or
    line ends. Other common names, such as Problem, Text, Formula and Solution, are recognized in any spelling,
    and the lines of a file without ids are numbered. In equations, 25% is read as (0.01*25). Gold of rows is
    not used. A line that is no problem is left out and named, unless --strict is given. A problem that cannot be
    annotated as it is stays in the store as refused, because its text can be edited and its derivation written
    by people. Other mistakes, such as another problem under an id of the store, import nothing. A repeated
    import changes nothing.

    A reading is a whole annotation in one line: {"id": 7, "d": "m + n = q2; m = q1*n", "asked": ["m"], "roles":
    {"m": "Ann's", "n": "Bob's"}}, if needed with "same" (groups of numbers: [[3, 5]]), "alt" (other derivations)
    and "status": "excluded" with "why". Its q1, q2 … are the numbers of the row. Readings are submitted as the
    work of --as NAME, an excluded problem is flagged; --update replaces earlier work.

    Exit status: 0 every line is imported, 1 imported, but some lines are left out, or some new problems
    are refused and have no reading, 2 nothing imported

    Examples:
      draw annotate import problems.jsonl --store work.db
      draw annotate import problems.csv --store work.db --strict
      draw annotate import sample --store work.db --annotators-per-problem 3 --seed 7
      draw annotate import corrected.jsonl --store work.db --update
      draw annotate import draw1k/test --readings R1.jsonl --as "reader 1" --store census.db
    """
    from draw_dataset.annotate.decisions import normal_name
    from draw_dataset.annotate.intake import check_new_problems, read_readings
    from draw_dataset.annotate.store import Store

    if (arguments.readings is None) != (arguments.annotator is None):
        raise ChoiceError("expected --readings FILE with --as NAME, or neither, but got one of them")
    # Everything is read before a store is made.
    numbers: dict[ProblemId, tuple[TextNumber, ...] | None] = {}
    broken: list[str] = []
    notes: list[str] = []
    given = _read_files(arguments.files, broken, notes, None if arguments.readings is None else numbers)
    problems = check_new_problems(given)
    if broken and (arguments.strict or not problems):
        raise RowError(f"{_broken_text(broken)}. Nothing was imported")
    readings = [] if arguments.readings is None else read_readings(Path(arguments.readings))
    name = None if arguments.annotator is None else normal_name(arguments.annotator)
    with Store.open(arguments.store, create=True) as store:
        intake = store.add_problems(problems, arguments.update, progress=sys.stderr.isatty())
        ask_roles = True if arguments.ask_roles else None
        store.configure(arguments.annotators_per_problem, arguments.seed, ask_roles=ask_roles)
        read = None if name is None else store.add_readings(name, readings, numbers, arguments.update)
    if arguments.json:
        data = asdict(intake) | {"lines_left_out": broken, "notes": notes}
        print(json.dumps(data | ({} if read is None else {"readings": asdict(read)})))
    else:
        lines = [*notes, _intake_text(intake, arguments.store), *([] if read is None else [_readings_text(read)])]
        print("\n".join(lines))
        if broken:
            print("\n".join([f"lines left out: {len(broken)}", *(f"  {message}" for message in broken)]))
    settled = () if read is None else (*read.recorded, *read.unchanged)
    return 1 if broken or set(intake.refused) - set(settled) else 0


def _broken_text(broken: Sequence[str]) -> str:
    more = f"; {len(broken) - 1} more lines are no problems, either" if len(broken) > 1 else ""
    return f"{broken[0]}{more}"


def _read_files(
    files: Sequence[str],
    broken: list[str],
    notes: list[str],
    numbers: dict[ProblemId, tuple[TextNumber, ...] | None] | None = None,
) -> Iterator[StoredProblem]:
    """Yield the problems of files and datasets.

    `broken` gets lines that are none, `notes` what other names of fields were taken for, `numbers` the numbers of rows.
    """
    from draw_dataset.annotate.decisions import StoredProblem
    from draw_dataset.annotate.intake import read_each_problem, read_numbers
    from draw_dataset.data.catalog import load, resolve
    from draw_dataset.io.records import Broken

    for source in map(resolve, files):
        if source.file is not None:
            for read in read_each_problem(Path(source.file), notes):
                if isinstance(read, Broken):
                    broken.append(read.message)
                    continue
                if numbers is not None:
                    numbers[read.problem.id] = read_numbers(read.numbers, read.where)
                yield read.problem
        else:
            for problem in load(source):
                if numbers is not None:
                    numbers[problem.id] = problem.numbers
                yield StoredProblem(problem.id, problem.question, problem.equations)


def _intake_text(intake: Intake, store: Path) -> str:
    from draw_dataset.annotate.intake import REMEDY, constants_text

    changed = {"added": len(intake.added), "updated": len(intake.updated), "already there": len(intake.unchanged)}
    lines = [f"{store}: {count_text(changed)}"]
    if intake.added or intake.updated:
        lines.append(f"of those added or updated: {count_text(intake.counts)}")
    if intake.constants:
        lines.append(constants_text(intake.constants))
    lines += [f"  refused {id_}: {message}" for id_, message in intake.refused.items()]
    if intake.refused:
        lines.append(f"for refused problems: {REMEDY}")
    return "\n".join(lines)


def _readings_text(read: ReadingIntake) -> str:
    counts = {"recorded": len(read.recorded), "already there": len(read.unchanged), "left out": len(read.refused)}
    lines = [f"readings of {read.annotator}: {count_text(counts)}"]
    if read.flagged:
        lines.append(f"of those recorded or already there: {len(read.flagged)} flagged")
    if read.other:
        lines.append(f"readings of other problems: {len(read.other)}")
    lines += [f"  left out {id_}: {message}" for id_, message in read.refused.items()]
    lines += [f"  {id_}: left out a part: {note}" for id_, notes in read.notes.items() for note in notes]
    return "\n".join(lines)


@command(STORE, JSON, parent=annotate)
def status(arguments: Arguments) -> int:
    """Show the annotation progress.

    Examples:
      draw annotate status --store work.db
      draw annotate status --store work.db --json
    """
    from draw_dataset.annotate.outcome import survey
    from draw_dataset.annotate.store import Store

    with Store.open(arguments.store) as store:
        overview = survey(store)
    print(json.dumps(overview.as_data()) if arguments.json else _overview_text(overview))
    return 0


def _overview_text(overview: Overview) -> str:
    from draw_dataset.annotate.intake import REMEDY
    from draw_dataset.annotate.outcome import TOO_FEW

    lines = [
        f"problems: {sum(overview.problems.values())} ({count_text(overview.problems)})",
        f"annotators per problem: {overview.annotators_per_problem}",
        f"settled: {sum(overview.settled.values())} ({count_text(overview.settled)})",
        f"open: {sum(overview.unsettled.values())} ({count_text(overview.unsettled)})",
    ]
    if few := overview.unsettled.get(TOO_FEW):
        lines.append(
            f"{TOO_FEW}: {few}; fewer than {overview.annotators_per_problem} have submitted them: "
            "draw annotate export leaves them out, with --least 1 it exports them"
        )
    if overview.annotators:
        width = max(9, *map(len, overview.annotators))
        lines += ["", f"{'annotator':{width}} submitted  flagged  skipped     left  minutes  median seconds"]
    for name, progress in overview.annotators.items():
        # Imported readings took no time that anybody measured.
        median = f"{progress.median_seconds:.1f}" if progress.median_seconds else "-"
        minutes = f"{progress.seconds / 60:.1f}" if progress.seconds else "-"
        counts = f"{progress.submitted:9} {progress.flagged:8} {progress.skipped:8} {progress.left:8}"
        lines.append(f"{name:{width}} {counts} {minutes:>8} {median:>15}")
    sections = {
        f"cannot be annotated as they are; {REMEDY}": overview.refused.items(),
        "flagged": [
            (id_, "; ".join(f"{name}: {why or 'no reason given'}" for name, why in by.items()))
            for id_, by in overview.flagged.items()
        ],
        "for an adjudicator": [(id_, "annotators disagree") for id_ in overview.disagreements],
    }
    for title, listed in sections.items():
        if listed:
            lines += ["", f"{title}:", *(f"  {id_}: {message}" for id_, message in listed)]
    return "\n".join(lines)


@command(
    argument(
        "what",
        "SOURCE|EQUATION...",
        f"problems with id, question and equations: {GRAMMAR}; with --question, the equations",
    ),
    option("--question TEXT", "text of one problem"),
    option("--limit N", "candidates to list for each problem", type=int, default=10),
    JSON_LINES,
    parent=annotate,
)
def propose(arguments: Arguments) -> int:
    """List the derivations that fit a question and its equations.

    Files are read as draw annotate import reads them: a line that is no problem is left out and named.

    Exit status: 0 every line is a problem with candidates, 1 some lines are left out or some problems are refused,
    2 input refused

    Examples:
      draw annotate propose --question "Two numbers add up to 9 . One is 2 more ." "x + y = 9" "x = y + 2"
      draw annotate propose problems.jsonl --json    # lines with id, question and equations
    """
    from draw_dataset.annotate.intake import expand_percentages
    from draw_dataset.annotate.proposal import propose
    from draw_dataset.io.records import Broken

    problems: Iterable[tuple[ProblemId | None, str, Sequence[str]] | Broken]
    if arguments.question is not None:
        problems = [(None, arguments.question, [expand_percentages(equation) for equation in arguments.what])]
    elif len(arguments.what) == 1:
        problems = _read_source(arguments.what[0])
    else:
        raise ChoiceError("expected one source, or --question and the equations, but got several sources")
    read = refused = 0
    broken: list[str] = []
    for given in problems:
        if isinstance(given, Broken):
            broken.append(given.message)
            continue
        read += 1
        id_, question, equations = given
        try:
            proposal = propose(question, equations)
        except (AnnotationError, LimitError) as error:
            refused += 1
            if arguments.json:
                print(json.dumps({"id": id_, "refused": str(error)}))
            else:
                print(f"{'' if id_ is None else f'{id_}: '}refused: {error}")
            continue
        if arguments.json:
            print(json.dumps(_proposal_data(id_, proposal, arguments.limit), ensure_ascii=False))
        else:
            _print_proposal(id_, proposal, arguments.limit)
    if broken and not read:
        raise RowError(_broken_text(broken))
    for message in broken:
        print(json.dumps({"left_out": message}) if arguments.json else f"left out: {message}")
    return 1 if refused or broken else 0


def _read_source(name: str) -> Iterator[tuple[ProblemId, str, Sequence[str]] | Broken]:
    from draw_dataset.annotate.intake import read_each_problem
    from draw_dataset.data.catalog import load, resolve
    from draw_dataset.io.records import Broken

    if "=" in name and not os.path.exists(name):
        raise ChoiceError(f"expected --question TEXT with the equation {short_repr(name)}, but got none")
    source = resolve(name)
    if source.file is None:
        yield from ((problem.id, problem.question, problem.equations) for problem in load(source))
        return
    for read in read_each_problem(Path(source.file)):
        if isinstance(read, Broken):
            yield read
        else:
            yield read.problem.id, read.problem.question, read.problem.equations


def _proposal_data(id_: ProblemId | None, proposal: Proposal, limit: int) -> dict[str, object]:
    return {
        "id": id_,
        "numbers": [{"index": n.index, "text": n.text, "value": str(n.value)} for n in proposal.numbers],
        "equations": proposal.equations,
        "count": proposal.count,
        "questions": [
            {
                "start": literal.start,
                "end": literal.end,
                "literal": literal.text,
                "from": [o.number.index if o.number is not None else None for o in literal.origins],
            }
            for literal in (proposal.literals[i] for i in proposal.questions)
        ],
        "candidates": [derivation.q_notation() for derivation in islice(proposal, limit)],
    }


def _print_proposal(id_: ProblemId | None, proposal: Proposal, limit: int) -> None:
    head = "" if id_ is None else f"{id_}: "
    print(f"{head}{proposal.equations}")
    print("  numbers: " + ", ".join(f'q{n.index} "{n.text}"' for n in proposal.numbers))
    for literal in (proposal.literals[i] for i in proposal.questions):
        if literal.is_unexplained:
            print(f"  {literal.text} at column {literal.start + 1} is no number of the text; it may be a constant")
            continue
        places = [f"q{o.number.index}" if o.number is not None else "a constant" for o in literal.origins]
        print(f"  {literal.text} at column {literal.start + 1} may come from {', '.join(places)}")
    print(f"  {proposal.count} candidate{'' if proposal.count == 1 else 's'}:")
    for derivation in islice(proposal, limit):
        print(f"    {derivation.q_notation()}")
    if proposal.count > limit:
        print(f"    … and {proposal.count - limit} more")


@command(
    STORE,
    option("--host HOST", "address to listen on", default=HOST),
    option("--port PORT", "port; 0 for any free one", type=int, default=PORT),
    option("--token TOKEN", "token that annotators enter with their names"),
    option("--lead-token TOKEN", "token for import and export on the page"),
    option("--trusted-proxy ADDRESS", "proxy whose X-Forwarded-For is believed; repeatable", multiple=True),
    JSON,
    parent=annotate,
)
def serve(arguments: Arguments) -> int:
    """Serve the page on which people annotate and adjudicate.

    On this machine a name is enough to enter. From other machines a token is needed; it is printed if you give
    none. With a token of your own (--token, or DRAW_ANNOTATE_TOKEN, which other users of the machine cannot
    see) nobody has to log in again after a restart. The page speaks plain HTTP: where others can listen on the
    network, put a proxy with TLS in front of it, and name it with --trusted-proxy, so that a wrong token makes
    only its sender wait.

    On the page /data a lead imports problems and downloads annotated rows. Where annotators need a token, it asks
    for another one, the lead's (--lead-token, or DRAW_ANNOTATE_LEAD_TOKEN, else a new one is printed).

    Examples:
      draw annotate serve --store work.db
      draw annotate serve --store work.db --host 0.0.0.0 --port 8080
    """
    require_extra("annotate", "gradio", "fastapi", "itsdangerous", "uvicorn")
    from draw_dataset.annotate.page.server import serve

    def ready(served: Served) -> None:
        data = {"url": served.url, "adjudicate": f"{served.url}adjudicate", "token": served.token}
        data |= {"data": f"{served.url}data", "lead_token": served.lead_token}
        print(json.dumps(data) if arguments.json else _address_text(served), flush=True)

    token = arguments.token or os.environ.get(TOKEN_VARIABLE) or None
    lead = arguments.lead_token or os.environ.get(LEAD_TOKEN_VARIABLE) or None
    serve(arguments.store, arguments.host, arguments.port, token, ready, arguments.trusted_proxy, lead)
    return 0


def _address_text(served: Served) -> str:
    lines = [f"annotate:   {served.url}", f"adjudicate: {served.url}adjudicate", f"data:       {served.url}data"]
    if served.token is not None:
        lines += [f"token:      {served.token}", "send annotators the first address and the token"]
    if served.lead_token is not None:
        lines.append(f"lead token: {served.lead_token} (for import and export on the page data)")
    return "\n".join([*lines, "stop it with Ctrl-C; every decision is saved at once"])


@command(STORE, JSON, parent=annotate)
def agreement(arguments: Arguments) -> int:
    """Measure the agreement of annotators, and list their disagreements.

    raw %: share of agreeing pairs among all pairs of annotators who both submitted a problem. alpha:
    Krippendorff's, nominal; over questions for the alignment, pairs of equal numbers for EquivTNum, problems
    for the template, unknowns and other expressions for what is asked, unknowns for roles. annotation is
    derivation and EquivTNum together. asked and roles are compared where both have said them; roles count
    unknowns, and agree if they share a word. Pairs that differ in roles only are no disagreements.

    Examples:
      draw annotate agreement --store work.db
      draw annotate agreement --store work.db --json
    """
    from draw_dataset.annotate.outcome import measure_agreement
    from draw_dataset.annotate.store import Store

    with Store.open(arguments.store) as store:
        agreement = measure_agreement(store.works())
    print(json.dumps(agreement.as_data()) if arguments.json else _agreement_text(agreement))
    return 0


def _agreement_text(agreement: Agreement) -> str:
    lines = [f"problems submitted by at least two annotators: {agreement.problems}", ""]
    lines.append("field       agreeing      raw %   alpha   units")
    for name, field in agreement.fields.items():
        percent = "-" if field.percent is None else f"{field.percent:.1f}"
        alpha = "-" if field.alpha is None else f"{float(field.alpha):.3f}"
        units = "-" if field.units is None else str(field.units)
        pairs = f"{field.agreeing}/{field.compared}"
        lines.append(f"{name:10} {pairs:>9} {percent:>10} {alpha:>7} {units:>7}")
    if agreement.median_seconds is not None and any(agreement.seconds_by_annotator.values()):
        each = ", ".join(f"{name} {seconds:.1f}" for name, seconds in agreement.seconds_by_annotator.items() if seconds)
        lines += ["", f"median seconds a problem: {agreement.median_seconds:.1f} ({each})"]
    if agreement.disagreements:
        lines += ["", "disagreements:"]
    lines += _difference_lines(agreement.disagreements)
    if agreement.wordings:
        lines += ["", "only roles in other words:", *_difference_lines(agreement.wordings)]
    return "\n".join(lines)


def _difference_lines(listed: Sequence[Disagreement]) -> list[str]:
    lines = []
    for found in listed:
        lines.append(f"  {found.problem_id}: {' and '.join(found.annotators)}: {', '.join(found.comparison.differing)}")
        lines += [f"    {detail}" for detail in found.comparison.details]
    return lines


@command(
    argument("id", "[ID]", "problem to settle"),
    STORE,
    option("--as NAME", "name of the adjudicator", dest="adjudicator"),
    option("--take ANNOTATOR", "take this annotator's work as it is now"),
    option("--choose N=qM", "value N of the equations is number M of the text; or N=constant", multiple=True),
    option("--equivalent qM,qN", "these numbers mean the same; repeatable", multiple=True),
    option("--derivation EQUATIONS", "own equations in q-notation, instead of those of the problem"),
    option("--asked EXPRESSION", "the question asks for this, as m or 10*m + n; repeatable", multiple=True),
    option("--role UNKNOWN=WORDS", "what an unknown is, in words of the text; repeatable", multiple=True),
    option("--flag WHY", "reason why the problem cannot be annotated"),
    JSON,
    parent=annotate,
)
def adjudicate(arguments: Arguments) -> int:
    """List the open disagreements, or settle a problem.

    Without an ID the open disagreements are listed. The values of the equations are counted 1, 2 …, the numbers
    of the text are q1, q2 …, as on the page. A problem may be settled again; all decisions are kept.

    Examples:
      draw annotate adjudicate --store work.db
      draw annotate adjudicate 17 --as Carol --take Ann --store work.db
      draw annotate adjudicate 17 --as Carol --take Ann --equivalent q1,q3 --store work.db
      draw annotate adjudicate 17 --as Carol --choose 2=q4 --choose 3=constant --store work.db
      draw annotate adjudicate 17 --as Carol --take Ann --asked m --role "m=hours of jogging" --store work.db
      draw annotate adjudicate 17 --as Carol --derivation "m + n = q4; q1*m = q2*n" --store work.db
      draw annotate adjudicate 17 --as Carol --flag "the equations are those of another text" --store work.db
    """
    from draw_dataset.annotate.outcome import open_disagreements
    from draw_dataset.annotate.store import Store

    own = arguments.choose, arguments.equivalent, arguments.derivation, arguments.asked, arguments.role
    deciding = arguments.take is not None or any(own) or arguments.flag is not None
    given = (arguments.id is not None, arguments.adjudicator is not None, bool(deciding))
    if any(given) and not all(given):
        raise ChoiceError(
            "expected an ID, --as NAME and what to decide (--take, --choose, --equivalent, --derivation, --asked, "
            "--role or --flag) to settle a problem, or none of them to list the open ones"
        )
    with Store.open(arguments.store) as store:
        if arguments.id is None:
            listed = open_disagreements(store)
            data: Any = [_disagreement_data(works) for works in listed] if arguments.json else None
            text = "" if arguments.json else _disagreements_text(listed)
        else:
            work = _settle(store, store.find(arguments.id), arguments)
            data = {"id": work.problem_id, "adjudicator": work.annotator, "took": work.taken, **_work_data(work)}
            text = _settlement_text(work)
    print(json.dumps(data) if arguments.json else text)
    return 0


def _settle(store: Store, id_: ProblemId, arguments: Arguments) -> AnnotationState:
    from draw_dataset.annotate.decisions import fresh_work, normal_name, rename_equations, same_name

    name = normal_name(arguments.adjudicator)
    # Numbers are counted in the text of the work taken, else in the adjudicator's own.
    if arguments.take is not None:
        seen = store.work(id_, arguments.take)
    elif same_name(name, store.annotators()) is not None:
        seen = store.work(id_, name, "adjudicator")
    else:
        seen = fresh_work(store.problem(id_).stored, name)
    decisions: list[tuple[str, dict[str, Any]]] = []
    if arguments.derivation is not None:
        decisions.append(("derivation", {"derivation": rename_equations(arguments.derivation, seen)}))
    for text in arguments.choose:
        literal, _, number = text.partition("=")
        if not literal.isdecimal() or int(literal) == 0:
            raise ChoiceError(f"--choose: expected a value and its number, as 2=q4, but got {text!r}")
        if seen.proposal is not None and int(literal) > (count := len(seen.proposal.literals)):
            known = f"a value from 1 to {count}" if count else "equations with values"
            raise ChoiceError(f"--choose: expected {known}, but got {literal}; draw annotate adjudicate lists them")
        decisions.append(("choose", {"literal": int(literal) - 1, "place": _place(seen, number)}))
    decisions += [
        ("equivalent", {"places": [_place(seen, number) for number in text.split(",")]})
        for text in arguments.equivalent
    ]
    if arguments.asked:
        decisions.append(("asked", {"asked": arguments.asked}))
    for text in arguments.role:
        unknown, sign, words = text.partition("=")
        if not sign:
            raise ChoiceError(f"--role: expected an unknown and its role, as m=hours of jogging, but got {text!r}")
        decisions.append(("role", {"unknown": unknown.strip(), "role": words}))
    if arguments.flag is not None:
        decisions.append(("flag", {"why": arguments.flag}))
    return store.adjudicate(id_, name, arguments.take, decisions)


def _place(work: AnnotationState, text: str) -> list[int | None] | None:
    if text == "constant":
        return None
    rank = re.fullmatch(r"\s*q([1-9][0-9]{0,3})\s*", text)
    if rank is None or int(rank.group(1)) > len(work.numbers):
        raise ChoiceError(f"expected q1 to q{len(work.numbers)}, or constant, but got {text!r}")
    return list(work.numbers[int(rank.group(1)) - 1].place)


def _disagreement_data(works: Sequence[AnnotationState]) -> dict[str, Any]:
    return {
        "id": works[0].problem_id,
        "question": works[0].original,
        "equations": list(works[0].stored.equations),
        "works": [_work_data(work) for work in works],
        "differences": _differences(works),
    }


def _work_data(work: AnnotationState) -> dict[str, Any]:
    if work.flagged is not None:
        return {"annotator": work.annotator, "flagged": work.flagged}
    row = work.problem().to_row()
    return {
        "annotator": work.annotator,
        "question": work.question,
        **{name: row[name] for name in ("derivation", "equiv_tnum", "alternatives", "asked", "roles")},
    }


def _differences(works: Sequence[AnnotationState]) -> list[str]:
    from draw_dataset.annotate.outcome import compare

    submitted = [work for work in works if work.submitted]
    found = [detail for one, other in combinations(submitted, 2) for detail in compare(one, other).details]
    return found + [
        f"flagged by {work.annotator}: {work.flagged or 'no reason given'}" for work in works if not work.submitted
    ]


def _disagreements_text(listed: Sequence[Sequence[AnnotationState]]) -> str:
    lines = [f"{len(listed) or 'no'} open disagreement{'' if len(listed) == 1 else 's'}"]
    for works in listed:
        lines += ["", f"{works[0].problem_id}: {works[0].question}"]
        numbers = ", ".join(f"q{i} {number.text}" for i, number in enumerate(works[0].numbers, 1))
        lines += [f"  equations: {'; '.join(works[0].stored.equations)}", f"  numbers: {numbers}"]
        proposal = works[0].proposal
        literals = () if proposal is None else proposal.literals
        lines.append(f"  values: {', '.join(f'{i}: {literal.text}' for i, literal in enumerate(literals, 1))}")
        for work in works:
            lines.append(f"  {work.annotator}: {'flagged' if work.flagged is not None else _said_text(work)}")
        lines += [f"    {difference}" for difference in _differences(works)]
    return "\n".join(lines)


def _said_text(work: AnnotationState) -> str:
    problem = work.problem()
    parts = [f"asks for {', '.join(problem.asked) or 'nothing'}"] if work.asked is not None else []
    parts += [f"{unknown} is {role}" for unknown, role in problem.roles]
    return problem.derivation.q_notation() + (f" ({', '.join(parts)})" if parts else "")


def _settlement_text(work: AnnotationState) -> str:
    said = f"flagged: {work.flagged}" if work.flagged is not None else _said_text(work)
    took = f" (the work of {work.taken})" if work.taken else ""
    return f"{work.problem_id}: settled by {work.annotator}{took}: {said}"


@command(
    STORE,
    option("--out FILE", "write a JSONL file of rows; - is standard output", type=Path),
    option("--out-dataset DIR", "write a folder for datasets.load_from_disk", type=Path),
    option("--policy adjudicated|majority|annotator", "work that counts (default: adjudicated)"),
    option("--annotator NAME", "person, for the policy annotator"),
    option(
        "--least N",
        "annotators who must have submitted or flagged a problem (default: the --annotators-per-problem of import)",
        type=int,
    ),
    option("--force", "replace the folder if it exists"),
    JSON,
    parent=annotate,
)
def export(arguments: Arguments) -> int:
    """Export the annotated problems as rows or as a dataset.

    Policies: adjudicated: what all annotators of a problem agree on, or an adjudicator decided;
    majority: also what more than half of them agree on; annotator: the work of one person (--annotator).
    Problems that need no person are in all of them. A problem that fewer people have submitted than the store gives
    it to is left out, unless --least is smaller. Files and folders are written whole or not at all.

    Examples:
      draw annotate export --store work.db --out rows.jsonl
      draw annotate export --store work.db --out-dataset annotated --policy majority
      draw annotate export --store work.db --out ann.jsonl --annotator Ann
      draw annotate export --store work.db --out rows.jsonl --least 1
      then: draw score mine.jsonl --references rows.jsonl, or datasets.load_from_disk("annotated")
    """
    from draw_dataset.annotate.outcome import Policy, export_rows, settle
    from draw_dataset.annotate.store import Store

    if arguments.out is None and arguments.out_dataset is None:
        raise ChoiceError("expected where to write: --out FILE, --out-dataset DIR or both")
    policy: Policy = arguments.policy or ("annotator" if arguments.annotator is not None else "adjudicated")
    with Store.open(arguments.store) as store:
        exported = export_rows(settle(store, policy, arguments.annotator, arguments.least))
        least = store.annotators_per_problem if arguments.least is None else arguments.least
    texts = False
    if arguments.out_dataset is not None:
        texts = write_dataset(exported.rows, arguments.out_dataset, arguments.force)
    if arguments.out is not None:
        write_json_lines(arguments.out, exported.rows)
    left_out = {why: list(ids) for why, ids in exported.left_out.items()}
    data = {"policy": policy, "rows": len(exported.rows), "counts": dict(exported.counts), "left_out": left_out}
    data |= {"ids_as_strings": True} if texts else {}
    text = json.dumps(data) if arguments.json else _export_text(exported, least)
    if texts and not arguments.json:
        text += f"\n{arguments.out_dataset}: ids are strings there, 7 as '7', because only some are whole numbers"
    # Rows on standard output are not mixed with this text.
    print(text, file=sys.stderr if str(arguments.out) == STANDARD else sys.stdout)
    say_written(arguments.out, arguments.out_dataset)
    return 0


def write_dataset(rows: Sequence[dict[str, Any]], folder: Path, force: bool = False) -> bool:
    """Write exported rows to a folder for `datasets.load_from_disk`, whole or not at all.

    A column has one type: if some ids are strings, whole numbers become strings as well. Returns whether some did.
    """
    from datasets import Dataset, Features, List, Value

    from draw_dataset.annotate.outcome import as_columns
    from draw_dataset.data.features import row_features
    from draw_dataset.io.atomic import new_folder

    more = {"annotated": Value("string"), "annotators": List(Value("string")), "extra": Value("string")}
    texts = [row["id"] for row in rows if isinstance(row["id"], str)]
    is_mixed = 0 < len(texts) < len(rows)
    if is_mixed:
        rows = [{**row, "id": str(row["id"])} for row in rows]
        twice = next((id_ for id_, count in Counter(row["id"] for row in rows).items() if count > 1), None)
        if twice is not None:
            raise ChoiceError(
                f"--out-dataset: expected different ids as texts, but got {twice} as a whole number and as a string; "
                "write them with --out"
            )
    fields = {**row_features(), **({"id": Value("string")} if texts else {}), **more}
    with new_folder(folder, force) as work:
        dataset = Dataset.from_list([as_columns(row) for row in rows], features=Features(fields))
        dataset.save_to_disk(str(work))
    return is_mixed


def _export_text(exported: Exported, least: int) -> str:
    from draw_dataset.annotate.outcome import TOO_FEW

    lines = [f"{len(exported.rows)} rows ({count_text(exported.counts)})"]
    for why, ids in exported.left_out.items():
        named = ", ".join(map(str, ids[:20])) + (" …" if len(ids) > 20 else "")
        more = f"; fewer than {least} have submitted them: --least 1 exports them" if why == TOO_FEW else ""
        lines.append(f"left out, {why}: {len(ids)} ({named}){more}")
    return "\n".join(lines)


@command(
    sources("SOURCE..."),
    option("--out DIR", "write the rows with reconciled templates here", type=Path),
    option("--force", "overwrite existing files"),
    DATA_DIR,
    JSON,
    parent=annotate,
)
def reconcile(arguments: Arguments) -> int:
    """Reconcile equivalent templates: count them before and after, and write rows.

    Examples:
      draw annotate reconcile draw1k dolphin_l
      draw annotate reconcile mine.jsonl theirs.jsonl --out reconciled    # writes reconciled/mine.jsonl, …
      draw annotate reconcile sample --json
    """
    from draw_dataset.annotate.normal import reconcile_problems
    from draw_dataset.derivation.problem import write_rows

    sources = list(dict.fromkeys(arguments.sources))
    targets = {name: arguments.out / f"{Path(name).stem}.jsonl" for name in sources} if arguments.out else {}
    if len(set(targets.values())) < len(targets):
        raise ChoiceError("expected files of different names, as the rows are written under the same names in --out")
    for target in targets.values():
        if target.exists() and not arguments.force:
            raise FolderError(f"{target} exists already; --force overwrites it")
    found = reconcile_problems({name: load_problems(name, arguments) for name in sources})
    for name, target in targets.items():
        write_rows(target, found.problems[name])
    counts = {**found.counts, "together": found.together} if len(sources) > 1 else dict(found.counts)
    if arguments.json:
        data: dict[str, object] = {
            name: {"problems": c.problems, "before": c.before, "after": c.after} for name, c in counts.items()
        }
        print(json.dumps({"templates": data, "shared": found.shared, "written": [str(t) for t in targets.values()]}))
        return 0
    width = max(map(len, [*counts, "templates"]))
    print(f"{'templates':{width}}  problems  before  after")
    for name, c in counts.items():
        print(f"{name:{width}}  {c.problems:8}  {c.before:6}  {c.after:5}")
    if len(sources) > 1:
        print(f"templates in several sources: {found.shared}")
    for target in targets.values():
        print(f"wrote {target}")
    return 0


@command(sources("[SOURCE]...", "the three datasets of the release"), DATA_DIR, JSON, parent=annotate)
def evaluate(arguments: Arguments) -> int:
    """Propose derivations for problems with known gold, and compare.

    Only the question and the equations of a problem are used; gold is compared afterwards.

    Examples:
      draw annotate evaluate                   the three datasets of the release
      draw annotate evaluate sample --json
      draw annotate evaluate rows.jsonl
    """
    from tqdm import tqdm

    from draw_dataset.annotate.evaluation import evaluate_proposals
    from draw_dataset.data.release import DATASETS

    found: dict[str, ProposalEvaluation] = {}
    for name in arguments.sources or DATASETS:
        problems = load_problems(name, arguments)
        found[name] = evaluate_proposals(tqdm(problems, desc=name, unit="problem", disable=not sys.stderr.isatty()))
    if arguments.json:
        print(json.dumps({name: evaluation.as_data() for name, evaluation in found.items()}))
        return 0
    rows: list[tuple[str, Callable[[str, ProposalEvaluation], str]]] = [
        ("problems", lambda _, e: str(e.every.problems)),
        ("needing a person, % (paper)", _needing_text),
        ("questions a problem, mean / p95", lambda _, e: f"{e.mean_questions:.2f} / {e.p95_questions}"),
        ("most candidates of a problem", lambda _, e: str(e.candidates)),
        ("templates before / after reconciling", lambda _, e: f"{e.templates} / {e.classes}"),
        ("without findings: problems", lambda _, e: str(e.clean.problems)),
        ("  gold among the candidates, %", lambda _, e: _share(e.clean.among, e.clean.problems)),
        ("  automatic ones that are gold, %", lambda _, e: _share(e.clean.automatic_right, e.clean.automatic)),
        ("all: gold among the candidates, %", lambda _, e: _share(e.every.among, e.every.problems)),
        ("  automatic ones that are gold, %", lambda _, e: _share(e.every.automatic_right, e.every.automatic)),
    ]
    width = max(len(label) for label, _ in rows)
    columns = max(15, *(len(name) + 2 for name in found))
    print(" " * width + "".join(name.rjust(columns) for name in found))
    for label, cell in rows:
        print(label.ljust(width) + "".join(cell(name, e).rjust(columns) for name, e in found.items()))
    for name, evaluation in found.items():
        for cause, ids in evaluation.missed.items():
            print(f"{name}, without findings, {cause}: {', '.join(map(str, ids))}")
    return 0


def _needing_text(name: str, evaluation: ProposalEvaluation) -> str:
    share = _share(evaluation.needing, evaluation.every.problems)
    return f"{share} ({PAPER_NEEDING[name]})" if name in PAPER_NEEDING else share


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"
