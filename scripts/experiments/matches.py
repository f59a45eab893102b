"""Where Algorithm 1 and the quantities of a derivation disagree, on the release: every kind of exception, counted."""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import NamedTuple

from tqdm import tqdm

from experiments import ROOT, experiment, option, print_head, print_row

sys.path.insert(0, str(ROOT / "tests"))  # for the predictions of the tests
from predictions import Made, gold_of, rewrites, wrong_ones

from draw_dataset import Derivation, Template, all_slot_maps
from draw_dataset.algebra.nonlinear import Algebra, constant_ratio
from draw_dataset.algebra.polynomial import POINT, PRIME
from draw_dataset.algebra.system import System
from draw_dataset.data.release import DATASETS, load_problems
from draw_dataset.derivation.equivalence import match_slots
from draw_dataset.reading.compare import Agreement, SystemQuantities, agree_systems
from draw_dataset.scoring.gold import PreparedProblem

RANDOM_MAPS = 24  # bijections of more than four slots that are tried for a pair of templates

# What a comparison may come to
SAME = "both say the same"
KINDS = (
    SAME,
    "only Algorithm 1: gold determines no quantities",
    "only Algorithm 1: not explained",
    "only quantities: another number of unknowns, another number of slots",
    "only quantities: another number of unknowns",
    "only quantities: another number of slots",
    "only quantities: a number that is 1 exchanged with another 1, or left out",
    "only quantities: another unit of an unknown",
    "only quantities: a number that cancels, exchanged",
    "only quantities: two numbers of one class",
    "only quantities: gold's unknowns are all the same quantity",
    "only quantities: not explained",
)


@experiment(
    "matches",
    option(
        "--data-dir",
        default=os.environ.get("DRAW_RELEASE_DIR") or str(ROOT.parent / "shared" / "release"),
        help="the folder with the files of the release",
    ),
    option("--count", type=int, default=20_000, help="rewrites, and derivations made wrong"),
    option("--pairs", type=int, help="pairs of templates, drawn at random (default: all)"),
    option("--show", type=int, default=0, metavar="N", help="print N examples of every kind"),
)
def run_matches(arguments: argparse.Namespace) -> None:
    """Count where Algorithm 1 and the quantities of a derivation disagree on the release, by kind (docs/answers.md).

    Four sets of derivations are compared with gold by both rules: gold itself; every pair of templates of the release
    with equally many slots, each placed on the numbers of the other by every bijection of slots (where there are more
    than four, by those of Algorithm 1 and some at random); 20,000 rewrites of gold; and 20,000 derivations made wrong.
    The latter two are those of the tests. Quantities are asked without Algorithm 1, which match="quantities" asks too.
    """
    references = [
        PreparedProblem(problem)
        for name in DATASETS
        for problems in load_problems(name, arguments.data_dir).values()
        for problem in problems
    ]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    right: Counter[str] = Counter()
    examples: dict[str, list[str]] = defaultdict(list)
    for name, compared in tqdm(all_compared(references, arguments.count, arguments.pairs), disable=None):
        counts[name][compared.kind] += 1
        right[name] += compared.right
        if compared.kind != SAME and len(examples[compared.kind]) < arguments.show:
            examples[compared.kind].append(compared.what)
    sets = list(counts)
    print_head("kind", *sets, right=range(1, 1 + len(sets)))
    for kind in KINDS:
        if any(counts[name][kind] for name in sets):
            print_row(kind, *(counts[name][kind] for name in sets))
    print_row("compared", *(sum(counts[name].values()) for name in sets))
    print_row("right by Algorithm 1", *(right[name] for name in sets))
    for kind, shown in examples.items() if arguments.show else ():
        print(f"\n{kind}:", *shown, sep="\n  ")


class Compared(NamedTuple):
    """A derivation that was compared with gold by both rules."""

    kind: str
    right: bool
    what: str


class Side(NamedTuple):
    """A system with the class of the number in each of its slots."""

    system: System
    classes: tuple[int, ...]


def kind_of(same: bool, agreement: Agreement, predicted: Side, gold: Side, quantities: SystemQuantities) -> str:
    """Return what a comparison comes to; `same` is what Algorithm 1 says."""
    if same == agreement.complete:
        return SAME
    if same:
        return KINDS[2] if quantities.count else KINDS[1]
    unknowns = predicted.system.unknown_count != gold.system.unknown_count
    slots = len(predicted.classes) != len(gold.classes)
    if unknowns or slots:
        return KINDS[3] if unknowns and slots else KINDS[4] if unknowns else KINDS[5]
    if agreement.shortcut:
        return KINDS[6]
    if any(match.scale != 1 for match in agreement.matches):
        return KINDS[7]
    if cancels(predicted.system) or cancels(gold.system):
        return KINDS[8]
    if len(set(predicted.classes)) < len(predicted.classes) or len(set(gold.classes)) < len(gold.classes):
        return KINDS[9]
    if len({match.node for match in agreement.matches}) < len(agreement.matches):
        return KINDS[10]
    return KINDS[11]


@cache
def cancels(system: System) -> bool:
    """Decide whether some slot has no influence on the solution, at a point of a prime field."""
    size = system.slot_count
    quantities = SystemQuantities(system, range(size), [Fraction(0)] * size)
    field = Algebra(PRIME)

    def solution(values: Sequence[int]) -> list[object]:
        found = quantities.at(field, [(field.constant(value), {(): 1}) for value in values])
        return [constant_ratio(field, *ratio) for ratio in found or ()]

    base = list(POINT[:size])
    return any(solution([*base[:i], base[i] + 1, *base[i + 1 :]]) == solution(base) for i in range(size))


def against_problem(reference: PreparedProblem, made: Made) -> Compared:
    """Hold a derivation against the gold of its problem by both rules."""
    derivation = Derivation(made[0], made[1])
    places = reference.classes.of_places(derivation.places)
    template, gold = derivation.template, reference.derivation.template
    same = match_slots(template.system, places, gold.system, reference.gold_classes) is not None
    quantities = reference.quantities
    predicted = Side(template.system, tuple(quantities.class_of[place] for place in places))
    wanted = Side(gold.system, tuple(quantities.class_of[place] for place in reference.gold_classes))
    agreement = agree_systems(*predicted, quantities)
    kind = kind_of(same, agreement, predicted, wanted, quantities)
    return Compared(kind, same, f"{reference.problem.id}: {'; '.join(made[0])} {made[1]}")


def template_pairs(references: Sequence[PreparedProblem], most: int | None) -> list[tuple[Template, Template]]:
    """Return the pairs of templates with equally many slots, or some of them."""
    texts = sorted({tuple(reference.problem.template) for reference in references})
    templates = [Template(list(text)) for text in texts]
    pairs = [
        (one, other)
        for at, one in enumerate(templates)
        for other in templates[at:]
        if len(one.slots) == len(other.slots)
    ]
    return pairs if most is None or most >= len(pairs) else random.Random(0).sample(pairs, most)


def against_template(one: Template, other: Template, rng: random.Random) -> Iterator[Compared]:
    """Hold a template against another by both rules, on numbers that no two slots share."""
    size = len(one.slots)
    numbers = [Fraction(prime) for prime in _PRIMES[:size]]
    wanted = Side(other.system, tuple(range(size)))
    quantities = SystemQuantities(*wanted, numbers)
    at = {slot: index for index, slot in enumerate(other.slots)}
    if size <= 4:
        images = set(permutations(range(size)))
    else:
        images = {tuple(at[slot_map[slot]] for slot in one.slots) for slot_map in all_slot_maps(one, other)}
        images |= {tuple(rng.sample(range(size), size)) for _ in range(RANDOM_MAPS)}
    for image in sorted(images):
        predicted = Side(one.system, image)
        places = tuple((0, class_) for class_ in image)
        same = (
            match_slots(one.system, places, other.system, tuple((0, class_) for class_ in wanted.classes)) is not None
        )
        agreement = agree_systems(*predicted, quantities)
        yield Compared(kind_of(same, agreement, predicted, wanted, quantities), same, f"{one} | {other} by {image}")


_PRIMES = (11, 17, 29, 37, 43, 59, 67, 71, 83, 97, 103, 113, 131, 149)


def all_compared(
    references: Sequence[PreparedProblem], count: int, pairs: int | None
) -> Iterator[tuple[str, Compared]]:
    """Yield every comparison with the name of its set."""
    for reference in references:
        yield "gold", against_problem(reference, gold_of(reference.problem))
    rng = random.Random(0)
    for one, other in template_pairs(references, pairs):
        for compared in against_template(one, other, rng):
            yield "pairs", compared
        if one is not other:
            for compared in against_template(other, one, rng):
                yield "pairs", compared
    for reference, made in rewrites(references, count):
        yield "rewrites", against_problem(reference, made)
    for reference, made in wrong_ones(references, count):
        yield "made wrong", against_problem(reference, made)
