"""How fast the core is, as ratios against a floor and against peers, everything measured in one run.

Times differ between machines; ratios of times taken side by side hardly do. Each section prints what was aimed at
beside what was measured, and nothing fails: a benchmark informs, tests decide.

    python scripts/benchmark.py                 everything, a few minutes
    python scripts/benchmark.py --quick         smaller, for a look
    python scripts/benchmark.py --only a,b      some sections
    python scripts/benchmark.py --json          one JSON object on standard output

With the release at hand (DRAW_RELEASE_DIR, or ../shared/release) its templates and derivations are used, otherwise a
built-in handful of templates with alignments made up for them.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import oracle  # noqa: E402 - the literal Algorithm 1, which the tests judge by, is the peer here

from draw_dataset import (  # noqa: E402
    Derivation,
    NumberClasses,
    Template,
    derivations_equivalent,
    find_numbers,
    find_slot_map,
    reconcile,
    templates_equivalent,
)
from draw_dataset.core import derivation, equivalence, expression, polynomial, sameness, solution_set, template  # noqa: E402
from draw_dataset.sample import load_sample  # noqa: E402

DATASETS = ("draw1k", "alg514", "dolphin_l")
FILES = ("draw.json", "kushman.json", "dolphin_t2_final.json")
BUILT_IN = (
    ["m + n = a", "m - n = b"], ["a * m + b * n = c * d", "m + n = d"], ["a * m + b * n = c", "d * m + e * n = f"],
    ["m = a * b + c"], ["a * m - b * m = c"], ["m + n = a", "b * m - c * n = d"], ["1 / a * m + 1 / b * m = 1"],
    ["0.01 * a * m + 0.01 * b * n = c", "m + n = d"], ["m = a + b * n", "m + n = c"], ["a * m + b * m = c - d"],
    ["m + n + o = a", "m - n = b", "o = c * n"], ["a * m + b * n = c * d + e * f", "m + n = d"],
)  # fmt: skip


@dataclass(frozen=True)
class Row:
    """What a benchmark needs of a problem."""

    template: list[str]
    alignment: dict[str, tuple[int, int]]
    equiv: list[list[tuple[int, int]]]
    equations: list[str]
    question: str = ""


def release_folder() -> Path | None:
    """Return the folder of the release, if it is there."""
    folder = Path(os.environ.get("DRAW_RELEASE_DIR") or ROOT.parent / "shared" / "release")
    return folder if (folder / FILES[0]).is_file() else None


def load_rows() -> tuple[str, list[Row]]:
    """Return where the rows come from, and the rows."""
    folder = release_folder()
    if folder is None:
        return "built-in", [built_in_row(equations) for equations in BUILT_IN]
    rows = []
    for name in FILES:
        for p in json.loads((folder / name).read_text(encoding="utf-8")):
            alignment = {a["coeff"]: (a["SentenceId"], a["TokenId"]) for a in p["Alignment"]}
            groups = [[(s, t) for s, t, _ in group] for group in p["Equiv"]]
            rows.append(Row(p["Template"], alignment, groups, p["lEquations"], p["sQuestion"]))
    return "release", rows


def built_in_row(equations: list[str]) -> Row:
    """Return a row for a template, its alignment and equations made up."""
    slots = Template(equations).slots
    alignment = {slot: (i // 2, 3 * i + 1) for i, slot in enumerate(slots)}
    grounded = [e.translate({ord(s): str(3 * i + 2) for i, s in enumerate(slots)}) for e in equations]
    return Row(equations, alignment, [], grounded)


# --- Rewriting templates as texts ---------------------------------------------------------------------------


def split_terms(side: str) -> list[tuple[str, str]]:
    """Return the terms of a side with their signs."""
    terms: list[tuple[str, str]] = []
    sign = "+"
    current: list[str] = []
    for word in re.findall(r"[\w.]+|\S", side):
        if word in "+-" and current and current[-1] not in "*/":
            terms.append((sign, " ".join(current)))
            sign, current = word, []
        elif word in "+-" and not current:
            sign = "-" if (sign == "-") != (word == "-") else "+"
        else:
            current.append(word)
    return [*terms, (sign, " ".join(current))]


def write_terms(terms: Sequence[tuple[str, str]], factor: str) -> str:
    """Write a side, every term with a factor in front."""
    head, *rest = [(sign, factor + term) for sign, term in terms]
    return ("-" if head[0] == "-" else "") + head[1] + "".join(f" {sign} {term}" for sign, term in rest)


def rewrite(equations: Sequence[str], rng: random.Random, *, scale: bool, reorder: bool) -> list[str]:
    """Return the same equations, each multiplied by a number, or terms, sides and equations shuffled."""
    result = []
    for equation in equations:
        factor = f"{rng.randrange(2, 10)} * " if scale else ""
        sides = [split_terms(side) for side in equation.split("=")]
        if reorder:
            sides = [rng.sample(terms, len(terms)) for terms in sides]
            rng.shuffle(sides)
        result.append(" = ".join(write_terms(terms, factor) for terms in sides))
    if reorder:
        rng.shuffle(result)
    return result


def renamed(row: Row, rng: random.Random) -> tuple[list[str], dict[str, tuple[int, int]]]:
    """Return a row's template and alignment with other letters for the slots."""
    slots = sorted(row.alignment)
    names = dict(zip(slots, rng.sample("abcdefghijkl", len(slots)), strict=True))
    table = str.maketrans(names)
    return [e.translate(table) for e in row.template], {names[s]: place for s, place in row.alignment.items()}


def prediction(row: Row, kind: int, rng: random.Random) -> tuple[list[str], dict[str, tuple[int, int]]]:
    """Return a prediction: gold renamed (0), reordered (1), rescaled (2), numbers swapped (3) or wrong (4)."""
    equations, alignment = renamed(row, rng) if kind in (0, 3) else (row.template, dict(row.alignment))
    if kind in (1, 2):
        equations = rewrite(equations, rng, scale=kind == 2, reorder=kind == 1)
    if kind == 3 and len(alignment) > 1:
        one, other = rng.sample(sorted(alignment), 2)
        alignment[one], alignment[other] = alignment[other], alignment[one]
    if kind == 4 and alignment:
        alignment[rng.choice(sorted(alignment))] = (rng.randrange(4), 1000 + rng.randrange(20))
    return equations, alignment


# --- Measuring ----------------------------------------------------------------------------------------------


def forget_everything() -> None:
    """Empty every cache, so that the next call sees its argument for the first time."""
    for module in (template, derivation, equivalence, sameness, expression, solution_set, polynomial):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def timed(work: Callable[[], object]) -> float:
    """Return the processor time of some work: what else the machine does should not count."""
    gc.collect()
    started = time.process_time()
    work()
    return time.process_time() - started


def timed_list(target: list[bool], work: Callable[[], list[bool]]) -> float:
    """Return the processor time of some work, and put what it returns into a list."""
    return timed(lambda: target.__setitem__(slice(None), work()))


def never_seen_derivations(
    equations: list[str], alignment: dict[str, tuple[int, int]], row: Row
) -> tuple[Derivation, Derivation, NumberClasses]:
    """Read a prediction and gold so that they share nothing with what was read before."""
    forget_everything()
    return Derivation(equations, alignment), Derivation(row.template, row.alignment), NumberClasses(row.equiv)


def never_seen_templates(first: list[str], second: list[str]) -> tuple[Template, Template]:
    """Read two templates so that they share nothing with what was read before."""
    forget_everything()
    return Template(first), Template(second)


def section_a(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Decide 100,000 predictions, against decoding them."""
    rng = random.Random(1)
    count = 20_000 if quick else 100_000
    golds = [(Derivation(r.template, r.alignment), NumberClasses(r.equiv)) for r in rows]
    lines, which = [], []
    for i in range(count):
        number = rng.randrange(len(rows))
        equations, alignment = prediction(rows[number], i % 5, rng)
        entries = [{"slot": s, "sentence": p[0], "token": p[1]} for s, p in alignment.items()]
        lines.append(json.dumps({"template": equations, "alignment": entries}))
        which.append(number)
    floor = min(timed(lambda: [json.loads(line) for line in lines]) for _ in range(3))
    decoded = [json.loads(line) for line in lines]
    forget_everything()
    right = 0

    def decide() -> None:
        nonlocal right
        right = 0
        for p, number in zip(decoded, which, strict=True):
            right += derivations_equivalent(p, *golds[number])

    cold = timed(decide)
    warm = timed(decide)
    texts = len({tuple(p["template"]) for p in decoded})
    return {
        "predictions": count,
        "different template texts": texts,
        "share equivalent": round(right / count, 3),
        "microseconds json.loads": round(floor / count * 1e6, 2),
        "microseconds to decide": round(cold / count * 1e6, 2),
        "ratio": round(cold / floor, 2),
        "ratio second time": round(warm / floor, 2),
        "aim": "ratio at most 6",
    }


def section_b(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Decide what was never seen, against the literal algorithm in floats."""
    rng = random.Random(2)
    result: dict[str, Any] = {}
    for slots, aims in ((4, (15, 3)), (6, (400, 20))):
        chosen = [r for r in rows if len(r.alignment) == slots]
        chosen = rng.sample(chosen, min(len(chosen), 40 if quick else 150))
        pairs = [(*prediction(r, i % 5, rng), r) for i, r in enumerate(chosen)]
        others = [rng.choice(chosen) for _ in chosen]
        template_pairs = [(t, r.template) for t, _, r in pairs] + [
            (t, other.template) for (t, _, _), other in zip(pairs, others, strict=True)
        ]
        literal = [
            (oracle.read_template(t), a, oracle.read_template(r.template), r.alignment, r.equiv) for t, a, r in pairs
        ]
        literal_pairs = [(oracle.read_template(t1), oracle.read_template(t2)) for t1, t2 in template_pairs]
        for t1, t2 in literal_pairs + [(t1, t2) for t1, _, t2, _, _ in literal]:
            t1.float_rows, t2.float_rows  # noqa: B018 - compiled when read
        ours: list[bool] = []
        verdicts: list[bool] = []
        times: dict[str, list[float]] = {name: [] for name in ("peer", "ours", "peer t", "shared t", "ours t")}
        for _ in range(1 if quick else 3):
            # What is read before the clock starts shares nothing with anything else, so that it is never seen before.
            derivations = [never_seen_derivations(t, a, r) for t, a, r in pairs]
            templates = [never_seen_templates(t1, t2) for t1, t2 in template_pairs]
            forget_everything()
            times["peer"].append(
                timed_list(verdicts, lambda: [oracle.derivation_equiv(*c, floats=True) for c in literal])
            )
            times["ours"].append(timed_list(ours, lambda: [derivations_equivalent(*c) for c in derivations]))
            times["peer t"].append(timed(lambda: [oracle.template_equiv_floats(*p) for p in literal_pairs]))
            times["shared t"].append(
                timed(lambda: [oracle.template_equiv_floats(*p, shared_vectors=True) for p in literal_pairs])
            )
            times["ours t"].append(timed(lambda: [templates_equivalent(*p) for p in templates]))
        peer, spent, peer_templates, peer_shared, spent_templates = (min(values) for values in times.values())
        result[f"{slots} slots"] = {
            "derivations": len(pairs),
            "verdicts that differ": sum(x != y for x, y in zip(ours, verdicts, strict=True)),
            "microseconds literal": round(peer / len(pairs) * 1e6, 1),
            "microseconds ours": round(spent / len(pairs) * 1e6, 1),
            "ratio derivations": round(peer / spent, 1),
            "aim derivations": f"at least {aims[0]}",
            "template pairs, half of them equivalent": len(template_pairs),
            "microseconds literal, templates": round(peer_templates / len(template_pairs) * 1e6, 1),
            "microseconds ours, templates": round(spent_templates / len(template_pairs) * 1e6, 1),
            "ratio templates": round(peer_templates / spent_templates, 1),
            "ratio templates, literal with shared vectors": round(peer_shared / spent_templates, 1),
            "aim templates": f"at least {aims[1]}",
        }
    return result


def section_c(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Read and compare equation systems, against math-verify."""
    try:
        from math_verify import parse, verify
    except ImportError:
        return {"skipped": "math-verify is not installed (pip install 'draw-dataset[bench]')"}
    rng = random.Random(3)
    plain = [r.equations for r in rows if all(c not in e for e in r.equations for c in "_()/")]
    chosen = rng.sample(plain, min(len(plain), 8 if quick else 30))
    result: dict[str, Any] = {"systems": len(chosen), "aim": "at least 500 times as fast"}
    slower = faster = 0.0
    for kind in ("identical", "reordered", "scaled", "renamed", "one number changed"):
        peer = ours = 0.0
        accepted = [0, 0]
        for equations in chosen:
            other = changed_system(equations, kind, rng)
            started = time.process_time()
            verdict = verify(parse(f"${', '.join(equations)}$"), parse(f"${', '.join(other)}$"))
            peer += time.process_time() - started
            forget_everything()
            started = time.process_time()
            ours_verdict = templates_equivalent(Template(equations, slots=()), Template(other, slots=()))
            ours += time.process_time() - started
            accepted[0] += bool(verdict)
            accepted[1] += ours_verdict
        slower, faster = slower + peer, faster + ours
        result[kind] = {
            "truth": "different" if kind == "one number changed" else "the same",
            "math-verify accepts": f"{accepted[0]} of {len(chosen)}",
            "we accept": f"{accepted[1]} of {len(chosen)}",
            "math-verify a second": round(len(chosen) / peer, 1),
            "ours a second": round(len(chosen) / ours),
        }
    result["ratio"] = round(slower / faster)
    return result


def changed_system(equations: list[str], kind: str, rng: random.Random) -> list[str]:
    """Return a system that differs in the named way."""
    if kind == "reordered":
        return rewrite(equations, rng, scale=False, reorder=True)
    if kind == "scaled":
        return rewrite(equations, rng, scale=True, reorder=False)
    if kind == "renamed":
        names = sorted({c for e in equations for c in e if c.isalpha()})
        spare = [c for c in "pqrstuvw" if c not in names]
        return [e.translate(str.maketrans(dict(zip(names, spare, strict=False)))) for e in equations]
    if kind == "one number changed":
        sides = equations[0].split("=")
        return [f"{sides[0]}={sides[1]}+1", *equations[1:]]
    return list(equations)


def section_d(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Reconcile growing numbers of templates."""
    rng = random.Random(4)
    sizes = (300, 3_000, 30_000) if quick else (1_000, 10_000, 100_000)
    result: dict[str, Any] = {"aim": "ten times as many take at most 12 times as long"}
    before = None
    for size in sizes:
        texts = []
        for _ in range(size):
            equations, _ = renamed(rng.choice(rows), rng)
            texts.append(rewrite(equations, rng, scale=True, reorder=True))
        forget_everything()
        groups = 0

        def work() -> None:
            nonlocal groups
            groups = len(reconcile(texts).groups)

        spent = timed(work)
        entry = {"groups": groups, "microseconds a template": round(spent / size * 1e6, 1)}
        if before is not None:
            entry["growth for ten times as many"] = round(spent / before, 2)
        before = spent
        result[f"{size} templates"] = entry
    return result


def section_e(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Twelve slots, where trying every renaming means 479,001,600 of them."""
    del rows, quick
    letters = "abcdefghijkl"
    dense2 = "(a+b)*m + (c-d)*n = e*f; g*h*m + (i+2*j)*n = k - l"
    dense3 = "a*m + b*n + c*o = d; e*m + f*n + g*o = h; i*m + j*n + k*o = l"
    total = "m = " + " + ".join(letters)
    cases = {
        "12 interchangeable slots": (total, total[::-1].replace("= m", "").strip() + " = m"),
        "12 nearly interchangeable slots": (total, total.replace("+ l", "- l")),
        "2 x 2": (dense2, dense2.translate(str.maketrans(letters, letters[::-1]))),
        "2 x 2, nearly": (dense2, dense2.replace("2*j", "3*j")),
        "3 x 3": (dense3, dense3.translate(str.maketrans(letters, letters[::-1]))),
        "3 x 3, nearly": (dense3, dense3.replace("= l", "= 2*l")),
    }
    result: dict[str, Any] = {"aim": "each under a second"}
    for name, (first, second) in cases.items():
        forget_everything()
        found: list[bool] = []
        spent = timed(lambda: found.append(find_slot_map(first, second) is not None))
        result[name] = {"milliseconds": round(spent * 1e3, 1), "equivalent": found[0]}
    return result


def section_m(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Memory over a million comparisons of ever new texts."""
    rng = random.Random(5)
    count = 100_000 if quick else 1_000_000
    golds = [(Derivation(r.template, r.alignment), NumberClasses(r.equiv)) for r in rows]
    result: dict[str, Any] = {"comparisons": count, "aim": "flat"}

    def stream() -> Iterator[tuple[int, dict[str, Any]]]:
        for i in range(count):
            number = rng.randrange(len(rows))
            equations, alignment = prediction(rows[number], i % 5, rng)
            yield number, {"template": [f"{e} + {i} - {i}" for e in equations], "alignment": alignment}

    for i, (number, p) in enumerate(stream(), 1):
        derivations_equivalent(p, *golds[number])
        if i in (count // 10, count // 2, count):
            result[f"megabytes after {i}"] = round(memory_now(), 1)
    return result


def section_n(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Find the numbers of the texts."""
    questions = [row.question for row in rows if row.question] or [
        p.question for problems in load_sample().values() for p in problems
    ]
    repeats = 1 if quick else 5
    spent = min(timed(lambda: [find_numbers(question) for question in questions]) for _ in range(repeats))
    return {
        "texts": len(questions),
        "problems a second": round(len(questions) / spent),
        "aim": "at least 10,000 a second",
    }


def section_l(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Load a dataset, against decoding its file and against Dataset.from_list of the same rows."""
    del quick
    folder = release_folder()
    if folder is None:
        return {"skipped": "needs the release"}
    from datasets import Dataset, disable_progress_bars

    from draw_dataset.draw1k import Draw1k
    from draw_dataset.features import row_features
    from draw_dataset.release.loading import load_problems

    disable_progress_bars()
    result: dict[str, Any] = {"aim": "seconds for all configs"}
    total = timed(lambda: [json.loads((folder / name).read_text(encoding="utf-8")) for name in FILES])
    problems = [p for d in DATASETS for ps in load_problems(d, folder).values() for p in ps]
    as_rows = [p.to_row() for p in problems]
    from_list = timed(lambda: Dataset.from_list(as_rows, features=row_features()))
    reading = timed(lambda: [[p.to_row() for ps in load_problems(d, folder).values() for p in ps] for d in DATASETS])
    with tempfile.TemporaryDirectory() as cache:
        started = time.perf_counter()
        for name in DATASETS:
            builder = Draw1k(config_name=name, cache_dir=cache, data_dir=str(folder), hash="benchmark")
            builder.download_and_prepare()
        built = time.perf_counter() - started
    result["rows"] = len(rows)
    result["rows a second, json.load alone"] = round(len(rows) / total)
    result["rows a second, problems and rows from the files"] = round(len(rows) / reading)
    result["rows a second, Dataset.from_list of the rows"] = round(len(rows) / from_list)
    result["rows a second, the builder from nothing to Arrow files"] = round(len(rows) / built)
    return result


def section_i(rows: list[Row], quick: bool) -> dict[str, Any]:
    """Import the package, against starting Python."""
    del rows
    times = {}
    for name, code in (("python alone", "pass"), ("import draw_dataset", "import draw_dataset")):
        runs = []
        for _ in range(5 if quick else 15):
            started = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            runs.append(time.perf_counter() - started)
        times[name] = min(runs)
    added = times["import draw_dataset"] - times["python alone"]
    return {"milliseconds added": round(added * 1e3, 1), "aim": "at most 200 milliseconds"}


def memory_now() -> float:
    """Return the resident memory of this process in megabytes."""
    try:
        fields = Path("/proc/self/statm").read_text(encoding="ascii").split()
        return int(fields[1]) * resource.getpagesize() / 2**20
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


SECTIONS: dict[str, Callable[[list[Row], bool], dict[str, Any]]] = {
    "a": section_a, "b": section_b, "c": section_c, "d": section_d, "e": section_e, "m": section_m,
    "n": section_n, "l": section_l, "i": section_i,
}  # fmt: skip


def print_text(report: dict[str, Any], indent: str = "") -> None:
    """Print a report as indented lines."""
    for key, value in report.items():
        if isinstance(value, dict):
            print(f"{indent}{key}")
            print_text(value, indent + "  ")
        else:
            print(f"{indent}{key}: {value}")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the sections and print them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller numbers, for a look")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--only", metavar="a,b", help=f"some of the sections {', '.join(SECTIONS)} (default all)")
    arguments = parser.parse_args(argv)
    chosen = arguments.only.split(",") if arguments.only else list(SECTIONS)
    unknown = [name for name in chosen if name not in SECTIONS]
    if unknown:
        parser.error(f"expected sections among {', '.join(SECTIONS)}, but got {', '.join(unknown)}")
    source, rows = load_rows()
    report: dict[str, Any] = {"source": source, "python": platform.python_version(), "machine": platform.machine()}
    for name in chosen:
        section = SECTIONS[name]
        print(f"measuring {name}: {section.__doc__}", file=sys.stderr)
        report[f"({name}) {section.__doc__}"] = section(rows, arguments.quick)
    if arguments.json:
        print(json.dumps(report, indent=1))
    else:
        print_text(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
