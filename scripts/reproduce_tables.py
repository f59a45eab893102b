"""Reproduces Tables 2 to 5 of the paper: trains and scores the solver, and puts our figures next to the paper's.

Each model (training data, setting, features, k, seed, fold) is a job whose figures are stored as a file of their own.
A rerun computes only what is missing, so a run may be interrupted at any time, even by kill -9. Figures of another
behaviour of a solver count as missing (see reproduction/store.py). The sentences of the release appear in no output.

    python scripts/reproduce_tables.py --quick                       a smoke run on the embedded sample, seconds
    python scripts/reproduce_tables.py --jobs 2                      everything with one seed, two processes
    python scripts/reproduce_tables.py --seeds 5 --adopt docs/results/jobs.jsonl --out docs/results --update-page
                                                                     the final run, from what is kept already
    python scripts/reproduce_tables.py --only table3 --features extended --k 10
    python scripts/reproduce_tables.py --no-run                      the tables of what is stored
    python scripts/reproduce_tables.py --from docs/results/jobs.jsonl --format markdown
    python scripts/reproduce_tables.py --only table5 --systems similarity,zdc
    python scripts/reproduce_tables.py --recompute 6 --adopt docs/results/jobs.jsonl      are stored figures still true?
    python scripts/reproduce_tables.py --restamp docs/results/jobs.jsonl       keys anew, where figures are equal
    python scripts/reproduce_tables.py --only table5 --system mine=predictions.jsonl --system theirs=reported.toml

Exit status: 0 the tables are whole, 1 figures are missing, 2 something is refused, 130 interrupted.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from reproduction import one_thread
from reproduction.figures import figures_of, splits_of
from reproduction.jobs import SOLVERS, SYSTEMS, TABLES, VARIANTS, Job, Plan, SolverJob
from reproduction.output import as_data, as_markdown, as_text, prepare_folder, update_page, write_folder
from reproduction.store import Store, clear_parts, code_hashes, differences, read_records, restamp, write_records
from reproduction.tables import Variant, read_system
from reproduction.workers import run_jobs

from draw_dataset.errors import ChoiceError, DrawError

# The pages that have tables of ours
ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "docs" / "paper.md", ROOT / "docs" / "systems.md")

STORE = ROOT / ".reproduction"  # not in build/, which `make clean` removes: it may hold hours of work

QUICK_EPOCHS = 1
QUICK_VARIANTS: tuple[tuple[str, int | None], ...] = (("paper", 3),)
QUICK_SYSTEMS = ("similarity",)


def _count(text: str) -> int:
    """Read a whole number from 1 to 1000."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= 1000):
        raise argparse.ArgumentTypeError(f"expected a whole number from 1 to 1000, but got {text[:40]!r}")
    return int(text)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_argument_group("what is reproduced")
    what.add_argument("--quick", action="store_true", help="a smoke run: the sample stands in for the release")
    what.add_argument("--only", default=",".join(TABLES), metavar="A,B", help=f"some of {', '.join(TABLES)}")
    what.add_argument(
        "--features", metavar="A,B", help="feature sets of the template-first solver: extended, inferred, paper"
    )
    what.add_argument(
        "--k", metavar="A,B", help="templates tried: numbers or all (default extended with all, the others with 10)"
    )
    what.add_argument("--systems", metavar="A,B", help=f"the other systems of Table 5: {', '.join(SYSTEMS)}, or none")
    what.add_argument("--seeds", type=_count, metavar="N", help="seeds 0 to N-1 (default 1)")
    what.add_argument(
        "--choice", default="first", choices=["first", "latent"], help="the derivation that TE takes (default first)"
    )
    what.add_argument(
        "--epochs", type=_count, metavar="N", help="of training (default the solver's own; 1 with --quick)"
    )
    what.add_argument(
        "--system", action="append", default=[], metavar="NAME=FILE", help="a system to add to Table 5; see tables.py"
    )
    how = parser.add_argument_group("how it runs")
    how.add_argument("--jobs", type=_count, default=1, metavar="N", help="processes (default 1)")
    how.add_argument("--store", type=Path, metavar="DIR", help="where jobs are stored (default .reproduction)")
    how.add_argument("--adopt", type=Path, metavar="FILE", help="first take over what a jobs.jsonl has")
    how.add_argument(
        "--recompute", type=_count, metavar="N", help="compute N stored jobs again and compare every figure; no tables"
    )
    how.add_argument(
        "--restamp",
        type=Path,
        metavar="FILE",
        help="give a jobs.jsonl the keys of this code, once proved equal; no tables",
    )
    how.add_argument("--data-dir", metavar="DIR", help="the folder with the files of the release")
    stored = how.add_mutually_exclusive_group()
    stored.add_argument("--no-run", action="store_true", help="compute nothing, show what is stored")
    stored.add_argument("--from", dest="records", type=Path, metavar="FILE", help="the same, from a jobs.jsonl")
    output = parser.add_argument_group("what is written")
    output.add_argument("--format", choices=["text", "markdown", "json"], default="text", help="on standard output")
    output.add_argument("--out", type=Path, metavar="DIR", help="also write jobs.jsonl, tables.md and tables.svg there")
    output.add_argument("--no-plot", action="store_true", help="without tables.svg, which needs matplotlib")
    output.add_argument(
        "--update-page",
        nargs="?",
        type=lambda given: (Path(given),),
        const=PAGES,
        default=(),
        metavar="FILE",
        help="refresh the table of a page (default docs/paper.md and docs/systems.md)",
    )
    return parser


def _plan(arguments: argparse.Namespace, held: Sequence[Job] = ()) -> Plan:
    """Return what is asked for; what is not said is taken from the jobs that are held already, if there are any."""
    trained = [job for job in held if isinstance(job, SolverJob)]
    usual = QUICK_VARIANTS if arguments.quick else VARIANTS
    variants = _in_order({job.variant for job in trained if not SOLVERS[job.features].system}, usual) or usual
    if arguments.features is not None or arguments.k is not None:
        sets = [name for name, solver in SOLVERS.items() if not solver.system]
        names = _chosen("--features", arguments.features, sets) if arguments.features else [f for f, _ in variants]
        ks = None if arguments.k is None else _ks(arguments.k)
        usual_k = {**dict(VARIANTS), **dict(variants)}
        variants = tuple(dict.fromkeys((name, k) for name in names for k in (ks or (usual_k[name],))))
    known = QUICK_SYSTEMS if arguments.quick else SYSTEMS
    systems = tuple(name for name in known if not trained or any(job.features == name for job in trained))
    if arguments.systems is not None:
        systems = () if arguments.systems == "none" else _chosen("--systems", arguments.systems, SYSTEMS)
    epochs = next((job.epochs for job in trained), QUICK_EPOCHS if arguments.quick else None)
    return Plan(
        tables=_chosen("--only", arguments.only, TABLES),
        source=held[0].source if held else "sample" if arguments.quick else "release",
        variants=variants,
        systems=systems,
        seeds=arguments.seeds or 1 + max((job.seed for job in trained), default=0),
        choice=arguments.choice,
        epochs=arguments.epochs or epochs,
    )


def _in_order(found: set[Variant], usual: Sequence[Variant]) -> tuple[Variant, ...]:
    """Return solvers, the usual ones first."""
    others = sorted(found - set(usual), key=lambda variant: (variant[0], variant[1] is None, variant[1]))
    return (*(variant for variant in usual if variant in found), *others)


def _ks(given: str) -> tuple[int | None, ...]:
    ks: list[int | None] = []
    for text in given.split(","):
        if text != "all" and not (text.isdecimal() and int(text) > 0):
            raise ChoiceError(f"--k: expected numbers from 1 or all, but got {text!r}")
        ks.append(None if text == "all" else int(text))
    return tuple(dict.fromkeys(ks))


def _chosen(option: str, given: str, offered: Sequence[str]) -> tuple[str, ...]:
    chosen = tuple(dict.fromkeys(given.split(",")))
    unknown = [name for name in chosen if name not in offered]
    if unknown:
        raise ChoiceError(f"{option}: expected some of {', '.join(offered)}, but got {unknown[0]!r}")
    return chosen


def main(argv: Sequence[str] | None = None) -> int:
    """Run what is missing and print the tables."""
    arguments = _parser().parse_args(argv)
    one_thread()  # workers take this over from us
    try:
        status = _reproduce(arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader of the tables has gone, as `head` does; what was to be written is
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except DrawError as error:
        print(f"reproduce_tables.py: {error}", file=sys.stderr)
        return 2
    except BrokenProcessPool:
        print("a worker ended amid its job (killed, or out of memory?); the same command resumes it", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\ninterrupted; the same command resumes it", file=sys.stderr)
        return 130


def _reproduce(arguments: argparse.Namespace) -> int:
    if arguments.restamp is not None:
        return _restamp(arguments.restamp, arguments.data_dir)
    plan = _plan(arguments)
    plot = bool(arguments.out) and not arguments.no_plot and bool(plan.trained())
    if arguments.out is not None:
        prepare_folder(arguments.out, plot)  # before the work, not after it
    systems = [read_system(given, plan.source, arguments.data_dir) for given in arguments.system]
    if arguments.records is not None:
        known = read_records(arguments.records)
        plan = _plan(arguments, list(known))
        records = {job: known[job] for job in plan.jobs() if job in known}
    else:
        code = code_hashes()
        store = Store(arguments.store or (STORE / "quick" if arguments.quick else STORE), code)
        if arguments.adopt is not None:
            taken = store.adopt(read_records(arguments.adopt))
            print(f"took over {taken} jobs of {arguments.adopt}", file=sys.stderr)
        if arguments.recompute is not None:
            return _recompute(store, arguments)
        if arguments.no_run:
            plan = _plan(arguments, store.jobs())
        else:
            _run(plan.jobs(), store, code, arguments)
        records = store.read_all(plan.jobs())
    # Files before anything is printed: whoever reads that may be gone after a line.
    if arguments.out is not None:
        for path in write_folder(arguments.out, records, plan, systems, plot):
            print(f"wrote {path}", file=sys.stderr)
    for page in arguments.update_page:
        update_page(page, records, plan)
        print(f"refreshed {page}", file=sys.stderr)
    if arguments.format == "json":
        print(json.dumps(as_data(records, plan, systems), indent=1))
    elif arguments.format == "markdown":
        print(as_markdown(records, plan, systems, plot=False), end="")
    else:
        print(as_text(records, plan, systems))
    return 0 if len(records) == len(plan.jobs()) else 1


def _recompute(store: Store, arguments: argparse.Namespace) -> int:
    """Compute some of the stored jobs again and say which figures are others; return 1 if any is."""
    stored = [job for job in store.jobs() if isinstance(job, SolverJob)]
    status = 0
    for job in random.Random(0).sample(stored, min(arguments.recompute, len(stored))):
        was, now = store.read(job), figures_of(job, arguments.data_dir)
        found = {} if was is None else differences(was, now)
        print(f"{job.name}: {found or 'equal'}", flush=True)
        status |= bool(found)
    return status


def _restamp(path: Path, data_dir: str | None) -> int:
    """Give stored figures the key of the present code if it makes the same ones; return 1 if some are others."""
    records, status = read_records(path), 0
    for job, record in list(records.items()):
        stamped = restamp(job, record, code_hashes())
        if stamped != record:
            found = differences(record, figures_of(job, data_dir))
            print(f"{job.name}: {found or 'equal, restamped'}", flush=True)
            records[job] = record if found else stamped
            status |= bool(found)
    write_records(path, records)
    return status


def _run(jobs: Sequence[Job], store: Store, code: dict[str, str], arguments: argparse.Namespace) -> None:
    """Compute the jobs that are not stored, and say how long it took."""
    from filelock import FileLock, Timeout
    from tqdm import tqdm

    try:
        held = FileLock(store.folder / ".lock").acquire(timeout=0)
    except Timeout as error:
        raise ChoiceError(f"{store.folder}: another run is at work there; name another --store, or wait") from error
    with held:
        clear_parts(store.folder)
        missing = [job for job in jobs if store.read(job) is None]
        print(f"{len(jobs)} jobs, {len(jobs) - len(missing)} of them stored in {store.folder}", file=sys.stderr)
        if not missing:
            return
        # Files that are lacking are missed at once, and not by a worker.
        splits_of(missing[0].source, missing[0].data.partition("+")[0], arguments.data_dir)
        started = time.perf_counter()
        worked = 0.0
        terminal = sys.stderr.isatty()
        with tqdm(total=len(missing), unit="job", disable=not terminal) as bar:
            for count, done in enumerate(run_jobs(missing, store, code, arguments.jobs, arguments.data_dir), 1):
                worked += done.work
                bar.set_postfix_str(done.job.name)
                bar.update()
                if not terminal:
                    left = (time.perf_counter() - started) / count * (len(missing) - count)
                    said = f"{done.job.name}{_brief(done.job, store)}, {done.seconds:.1f} s, {left / 60:.0f} min left"
                    print(f"{count}/{len(missing)} {said}", file=sys.stderr, flush=True)
        minutes = (time.perf_counter() - started) / 60
        said = f"{minutes:.1f} min with --jobs {arguments.jobs}, {worked / 60:.1f} min of processor time"
        print(f"{len(missing)} jobs: {said}", file=sys.stderr)


def _brief(job: Job, store: Store) -> str:
    record = store.read(job)
    if record is None or not isinstance(job, SolverJob):
        return ""
    shown = " / ".join(f"{100 * record['score'][f'{m}_accuracy']:.1f}" for m in ("solution", "equation", "derivation"))
    return f": {shown}"


if __name__ == "__main__":
    sys.exit(main())
