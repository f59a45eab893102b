"""How fast derivations and templates are decided, against a floor and against peers, and how time and memory grow."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator
from typing import Any

import oracle  # the literal Algorithm 1, which the tests judge by, is the peer here
from rewriting import renamed, rewrite

from benchmarks import Row, forget_everything, memory_now, prediction, timed, timed_list
from draw_dataset import (
    Derivation,
    NumberClasses,
    Template,
    derivations_equivalent,
    find_slot_map,
    reconcile,
    templates_equivalent,
)
from draw_dataset.errors import LimitError


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
            row = rng.choice(rows)
            equations, _ = renamed(row.template, row.alignment, rng)
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
    """Memory over a million comparisons of ever new texts, and over ever new predictions that are refused."""
    rng = random.Random(5)
    count = 100_000 if quick else 1_000_000
    refused = 300 if quick else 3_000
    golds = [(Derivation(r.template, r.alignment), NumberClasses(r.equiv)) for r in rows]
    result: dict[str, Any] = {"comparisons": count, "refused predictions": refused, "aim": "flat"}
    for i, prediction_ in enumerate(hostile_predictions(refused), 1):
        try:
            derivations_equivalent(prediction_, HOSTILE_GOLD)
            raise RuntimeError("a prediction that should be refused is not")
        except LimitError:
            pass
        if i in (refused // 10, refused // 2, refused):
            result[f"megabytes after {i} refused"] = round(memory_now(), 1)

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


HOSTILE_GOLD = Derivation("a*m + b*n = c; m + n = d", {slot: (0, i) for i, slot in enumerate("abcd")})


def hostile_predictions(count: int) -> Iterator[dict[str, Any]]:
    """Yield predictions that can be read, take much memory, and are too large to be compared."""
    alignment = [{"slot": slot, "sentence": 0, "token": i} for i, slot in enumerate("abcd")]
    for i in range(1, count + 1):
        first = f"m = (a + 2*b + {i}*c + d)^12 + 1/(m + 7) - 1/(m + 7)"
        second = f"(a + 3*b + c + {i}*d)^12*m + n = 5"
        yield {"template": [first, second], "alignment": alignment}
