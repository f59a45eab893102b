"""Ranking of suspects: which gold derivations do independent answers contradict, the most certain first.

The voices on a problem that do not have gold's derivation are grouped: two belong together if one has the derivation of
the other (see `draw_dataset.suspects.voices`). The largest group is the *rival* of gold. A problem is a suspect if
enough speaks against its gold, and the score says how much that is:

- the share of voices that are not for gold, and the share that agree on one rival; one voice is added to their number
  that says nothing, so that two voices out of two weigh less than six out of six;
- what the problem itself says (`draw_dataset.checks.suspicions`): suspicions of strong kinds add 0.3, of weak ones 0.1.

At least two voices must be against gold; one is enough next to a suspicion of a strong kind, and none is needed for the
kinds that show a wrong number of the right value: answers write values, so none of them can contradict such a gold.

A voice whose set-up could not be read speaks neither for nor against gold; it still supports the rival by half where it
states the rival's result. The weights and `CUT` were chosen by reading all suspects of one half of Draw-1k and Alg-514;
docs/known-defects.md has the figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any

from draw_dataset.checks.suspicions import OF_TOKENS, WEAK
from draw_dataset.core.problem import ProblemId
from draw_dataset.scoring.answers import values_of
from draw_dataset.scoring.quantities import gold_quantities, short_number
from draw_dataset.scoring.reference import Reference
from draw_dataset.suspects.voices import Voice
from draw_dataset.text.tokens import sentences

CUT = 0.3
"""The least score of a suspect."""

STRONG_WEIGHT, WEAK_WEIGHT = 0.3, 0.1
"""What a suspicion of a strong and of a weak kind adds to the score; each once, however many there are."""

MOST_TRIED = 4
"""How many values of a rival are put into the gold equations."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A problem whose gold may be wrong.

    Attributes:
        id: of the problem.
        score: how much speaks against its gold, from 0 to about 1.4.
        voices: how many voices could be read.
        for_gold: how many of them have gold's derivation.
        agreeing: how many agree on the rival.
        models: how many files these come from.
        gold: gold's derivation in q-notation.
        gold_values: what it comes to.
        rival: the rival's derivation in q-notation as far as it was read.
        rival_values: what it comes to.
        sentence: the sentence of the text at which gold and rival part, from 0; None where that is not clear.
        text: that sentence.
        suspicions: what the problem itself says, by kind.
        sources: where the rival's voices come from.
    """

    id: ProblemId
    score: float
    voices: int
    for_gold: int
    agreeing: int
    models: int
    gold: str
    gold_values: tuple[Fraction, ...]
    rival: str
    rival_values: tuple[Fraction, ...]
    sentence: int | None
    text: str
    suspicions: Mapping[str, str]
    sources: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the suspect as plain data."""
        return {
            "id": self.id,
            "score": round(self.score, 4),
            "voices": self.voices,
            "for_gold": self.for_gold,
            "agreeing": self.agreeing,
            "models": self.models,
            "gold": self.gold,
            "gold_values": [short_number(value) for value in self.gold_values],
            "rival": self.rival,
            "rival_values": [short_number(value) for value in self.rival_values],
            "sentence": self.sentence,
            "text": self.text,
            "suspicions": dict(self.suspicions),
            "sources": list(self.sources),
        }


def suspect_of(reference: Reference, voices: Sequence[Voice], suspicions: Mapping[str, str]) -> Suspect | None:
    """Return what voices and suspicions say against the gold of a problem; None if nothing does.

    Args:
        reference: the problem.
        voices: what was answered.
        suspicions: the suspicions of the problem by kind.
    """
    heard = [voice for voice in voices if voice.for_gold or voice.ends is not None]
    against = [voice for voice in heard if not voice.for_gold]
    strong = any(code not in WEAK for code in suspicions)
    needed = 0 if OF_TOKENS.intersection(suspicions) else 1 if strong else 2
    if not heard or len(against) < needed:
        return None
    rival = grouped(against)[0] if against else []
    ends = rival[0].ends if rival else None
    values = () if ends is None else values_of(ends)
    others = [voice for voice in voices if not voice.for_gold and not any(voice is one for one in rival)]
    agreeing = len(rival) + sum(voice.states(values) for voice in others) / 2
    score = (len(against) + min(agreeing, len(against))) / (2 * len(heard) + 2)
    score += (STRONG_WEIGHT if strong else 0) + (WEAK_WEIGHT if any(code in WEAK for code in suspicions) else 0)
    sentence = _parting(reference, values)
    spans = sentences(reference.problem.question)
    text = "" if sentence is None else " ".join(token.text for token in spans[sentence])
    return Suspect(
        id=reference.problem.id,
        score=score,
        voices=len(heard),
        for_gold=len(heard) - len(against),
        agreeing=len(rival),
        models=len({voice.model for voice in rival}),
        gold=reference.derivation.q_notation(),
        gold_values=values_of(gold_quantities(reference)),
        rival=rival[0].written if rival else "",
        rival_values=values,
        sentence=sentence,
        text=text,
        suspicions=dict(suspicions),
        sources=tuple(voice.source for voice in rival),
    )


def ranked(suspects: Iterable[Suspect | None], cut: float = CUT) -> list[Suspect]:
    """Return the suspects from a score on, the surest first; equal ones in the order in which they came."""
    found = [one for one in suspects if one is not None and one.score >= cut]
    return sorted(found, key=lambda one: -one.score)


def grouped(voices: Sequence[Voice]) -> list[list[Voice]]:
    """Return voices in groups that have one derivation, the largest group first.

    A voice joins the first group whose first member has its derivation, or whose derivation it has.
    """
    groups: list[list[Voice]] = []
    for voice in voices:
        home = next((g for g in groups if voice.supports(g[0]) or g[0].supports(voice)), None)
        if home is None:
            groups.append([voice])
        else:
            home.append(voice)
    # A voice with a slip has the derivation as well, but one without a slip shows it better.
    return sorted(([*sorted(group, key=lambda v: v.slips)] for group in groups), key=len, reverse=True)


def _parting(reference: Reference, values: Sequence[Fraction]) -> int | None:
    """Return the sentence at which gold and a rival part: that with most numbers of the equations that it breaks.

    The rival's values are put into gold's equations for the unknowns, in the order that breaks fewest of them. Where
    none is broken, or none can be put in, the numbers that gold uses decide.
    """
    derivation = reference.derivation
    system = derivation.template.system
    slots = [number.value for number in derivation.alignment.in_slots(derivation.template.slots)]
    known = [value for value in slots if value is not None]
    if len(known) < len(slots) or len(values) < system.unknown_count or len(values) > MOST_TRIED:
        return None
    fewest: list[int] | None = None
    for chosen in permutations(values, system.unknown_count):
        broken = []
        for number, terms in enumerate(system.terms):
            total = Fraction(0)
            for column, coefficient, factors in terms:
                term = Fraction(coefficient)
                for slot in factors:
                    term *= known[slot]
                total += term * (chosen[column] if column < system.unknown_count else 1)
            if total:
                broken.append(number)
        if fewest is None or len(broken) < len(fewest):
            fewest = broken
    if not fewest:
        return None
    counts: dict[int, int] = {}
    for number in fewest:
        used = {slot for _, _, factors in system.terms[number] for slot in factors}
        for slot in used:
            sentence = derivation.places[slot][0]
            if sentence is not None:
                counts[sentence] = counts.get(sentence, 0) + 1
    return max(counts, key=lambda s: (counts[s], s)) if counts else None
