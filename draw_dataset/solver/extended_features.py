"""Further features: what is seen at a single number, between two numbers, in the question, and in the solution.

On top of the paper's list come the words around each number with its unit, place and value; the order, distance, units
and values of two numbers; the words of the question; and a finer description of the solution. On the side of the
templates, columns are shared: every feature is learnt for the template itself, for the shapes of its equations, and for
generic roles of slots, so that a rare template profits from what its parts have in common with others. A template that
was met only once has no columns of its own at all: what a single problem says about it would not hold for the next.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from draw_dataset.solver.solutions import PARTS
from draw_dataset.solver.tagged_text import TaggedText, Word
from draw_dataset.solver.template_structure import TemplateStructure

_MONEY = frozenset(["$", "dollar", "cent", "£", "€", "pound", "rs", "peso", "euro"])
_RATES = frozenset(["per", "each", "every", "apiece", "hourly"])
_TIMES = frozenset(["hour", "minute", "second", "day", "week", "month", "year", "mph"])
_COMPARING = frozenset(["more", "less", "than", "few", "great", "large", "small", "old", "young", "long", "high"])
_EDGE = "^"


class ExtendedFeatures:
    """The extended features."""

    name = "extended"
    version = 1

    def text_attributes(self, text: TaggedText) -> list[str]:
        """Return n-grams, those of the question apart, and how many numbers of which kind there are."""
        words = text.words
        count = len(text.numbers)
        lemmas = [_EDGE, *(w.lemma for w in words)]
        tags = [_EDGE, *(w.pos for w in words)]
        seen = {"text", f"numbers {count}", f"sentences {min(words[-1].sentence, 6) if words else 0}"}
        seen |= {f"l {a}" for a in lemmas} | {f"l {a} {b}" for a, b in itertools.pairwise(lemmas)}
        seen |= {f"l {a} {b} {c}" for a, b, c in zip(lemmas, lemmas[1:], lemmas[2:], strict=False)}
        seen |= {f"p {a} {b}" for a, b in itertools.pairwise(tags)}
        asked = question_words(words)
        question = [_EDGE, *(w.lemma for w in asked)]
        seen |= {f"q {a}" for a in question} | {f"q {a} {b}" for a, b in itertools.pairwise(question)}
        kinds = [unit_of(words, spot) for spot in text.spots]
        tally = Counter(kinds)
        seen |= {f"units {kind} {n}" for kind, n in tally.items()}
        seen.add(f"kinds {' '.join(kinds)}")
        seen.add(f"in question {sum(spot >= len(words) - len(asked) for spot in text.spots)}")
        seen |= {f"value {_value_name(value)}" for value in text.values}
        return sorted(seen)

    def number_attributes(self, text: TaggedText) -> list[list[str]]:
        """Return the words around each number, its unit, its place and its value."""
        return [self._at_number(text, i) for i in range(len(text.numbers))]

    def _at_number(self, text: TaggedText, i: int) -> list[str]:
        words, spot, value = text.words, text.spots[i], text.values[i]
        count = len(text.numbers)
        sentence = words[spot].sentence
        lemma = _lemmas_around(words, spot)
        tag = _tags_around(words, spot)
        seen = ["number", f"rank {i}", f"from end {count - 1 - i}", f"numbers {count} rank {i}"]
        seen += [f"{d:+d} {lemma[d]}" for d in (-3, -2, -1, 1, 2, 3)]
        seen += [f"{d:+d} pos {tag[d]}" for d in (-2, -1, 1, 2)]
        seen += [f"-2-1 {lemma[-2]} {lemma[-1]}", f"-1+1 {lemma[-1]} {lemma[1]}", f"+1+2 {lemma[1]} {lemma[2]}"]
        near = words[max(0, spot - 5) : spot + 6]
        seen += sorted({f"near {w.lemma}" for w in near if w.sentence == sentence})
        unit, noun = unit_of(words, spot), noun_after(words, spot)
        seen += [f"unit {unit}", f"noun {noun}", f"verb {verb_before(words, spot)}", f"form {_form(words[spot].text)}"]
        seen += [f"value {_value_name(value)}", f"value {_value_name(value)} unit {unit}"]
        values = text.values
        seen.append(f"order {sum(v > value for v in values)} of {count}")
        seen.append(f"equals {sum(v == value for v in values) - 1}")
        if value == max(values):
            seen.append("largest")
        if value == min(values):
            seen.append("smallest")
        if count > 2 and 2 * value == sum(values):
            seen.append("sum of the others")
        first_of_sentence = all(words[s].sentence != sentence for s in text.spots[:i])
        last_of_sentence = all(words[s].sentence != sentence for s in text.spots[i + 1 :])
        seen.append(f"in sentence {'first' if first_of_sentence else ''} {'last' if last_of_sentence else ''}")
        if sentence == words[-1].sentence:
            seen.append("last sentence")
        if sentence == 0:
            seen.append("first sentence")
        return seen

    def pair_attributes(self, text: TaggedText) -> dict[tuple[int, int], list[str]]:
        """Return how two numbers stand to each other: order, distance, units, values, and the words between them."""
        words = text.words
        units = [unit_of(words, spot) for spot in text.spots]
        nouns = [noun_after(words, spot) for spot in text.spots]
        found = {}
        for i in range(len(text.spots)):
            for j in range(len(text.spots)):
                if i != j:
                    found[i, j] = self._between(text, i, j, units, nouns)
        return found

    def _between(self, text: TaggedText, i: int, j: int, units: Sequence[str], nouns: Sequence[str]) -> list[str]:
        words = text.words
        low, high = min(i, j), max(i, j)
        order = "<" if i < j else ">"
        between = words[text.spots[low] + 1 : text.spots[high]]
        together = words[text.spots[i]].sentence == words[text.spots[j]].sentence
        steps = min(high - low, 4)
        relation = _relation(text.values[i], text.values[j])
        same_noun = "same noun" if nouns[i] == nouns[j] else "other noun"
        same_unit = "same unit" if units[i] == units[j] else "other unit"
        seen = [
            "pair", order, f"{order} steps {steps}", f"steps {steps}", f"together {together}",
            f"{order} together {together} steps {steps}", f"value {relation}", f"value {relation} {same_unit}",
            f"{same_noun}", f"{same_unit}", f"{same_noun} {order}", f"units {units[i]} {units[j]}",
            f"units {units[i]} {units[j]} {order} steps {steps}", f"value {relation} {order}",
            f"apart {min(len(between), 12) // 2} {order}",
        ]  # fmt: skip
        if steps == 1:
            seen.append(f"{order} next {same_noun} {same_unit} {together}")
        if together:
            seen += sorted({f"between {w.lemma}" for w in between if w.is_noun or w.is_verb})
        if len(between) <= 12:
            seen += sorted({f"{order} between {w.lemma}" for w in between})
        if len(between) <= 4:
            seen.append(f"{order} gap {' '.join(w.lemma for w in between)}")
        return seen

    def solution_attributes(self, parts: tuple[int, ...]) -> list[str]:
        """Return each part of the solution's code, and sign, wholeness and size together."""
        names = [PARTS[i][part] for i, part in enumerate(parts)]
        unknowns, sign, whole, size = names[0], names[1], names[2], names[3]
        return [
            "solution", sign, whole, size, names[4], names[5], f"{sign} {whole}", f"{sign} {whole} {size}",
            f"{unknowns} {sign} {whole}", f"{unknowns} {names[4]} {names[5]}",
        ]  # fmt: skip

    def text_columns(self, structure: TemplateStructure) -> list[str]:
        """Return the template, the shapes of its equations, its size and its constants."""
        return sorted(
            {
                "any",
                "rare" if structure.rare else f"template {structure.key}",
                *(f"shape {shape}" for shape in structure.shapes),
                f"slots {structure.slot_count}",
                f"slots {structure.slot_count} unknowns {structure.unknown_count}",
                *(f"constant {constant}" for constant in structure.constants),
            }
        )

    def slot_columns(self, structure: TemplateStructure, slot: int) -> list[str]:
        """Return the slot up to symmetry, its place in the shape of its equations, and its generic roles."""
        own = set() if structure.rare else {f"slot {structure.orbits[slot]} of {structure.key}"}
        return sorted(
            own
            | {
                "any",
                *(f"place {place} of {shape}" for shape, place in structure.shape_slots[slot]),
                *(f"role {role}" for role in structure.roles[slot]),
                f"roles {' '.join(structure.roles[slot])}",
            }
        )

    def pair_columns(self, structure: TemplateStructure, first: int, second: int) -> list[str]:
        """Return the pair up to symmetry, its places in the shape of an equation, and its generic roles."""
        columns: set[str] = set()
        here, there = structure.pair_name(first, second), structure.pair_name(second, first)
        if here <= there and not structure.rare:
            columns.add(f"slots {here} of {structure.key}")
        relation = structure.relation(first, second)
        roles = " ".join(structure.roles[first]), " ".join(structure.roles[second])
        if roles <= roles[::-1]:
            columns.add(f"roles {roles} {relation}")
        if first < second:
            columns.add(f"relation {relation}")
        for shape, place in structure.shape_slots[first]:
            for other, other_place in structure.shape_slots[second]:
                if shape == other and relation[0] == "e" and place <= other_place:
                    columns.add(f"places {place} {other_place} of {shape} {relation}")
        return sorted(columns)

    def solution_columns(self, structure: TemplateStructure) -> list[str]:
        """Return one column for all templates, and one each for sizes and templates."""
        own = [] if structure.rare else [f"template {structure.key}"]
        return ["any", f"slots {structure.slot_count}", *own]


def question_words(words: Sequence[Word]) -> Sequence[Word]:
    """Return the words of the sentence that asks: the last with a question mark or an imperative, else the last."""
    if not words:
        return words
    asking = [w.sentence for w in words if w.text == "?" or w.lemma in ("find", "determine")]
    chosen = max(asking) if asking else words[-1].sentence
    return [w for w in words if w.sentence >= chosen]


def unit_of(words: Sequence[Word], spot: int) -> str:
    """Return what kind of thing a number measures: money, percent, a rate, time, or anything else."""
    before = words[spot - 1].lemma if spot else _EDGE
    after = [w.lemma for w in words[spot + 1 : spot + 4]]
    following = after[0] if after else _EDGE
    if following in ("%", "percent") or "percent" in words[spot].text or "%" in words[spot].text:
        return "percent"
    kind = "thing"
    if before in _MONEY or following in _MONEY or "$" in words[spot].text or "cent" in words[spot].text:
        kind = "money"
    elif following in _TIMES:
        kind = "time"
    elif following in ("time", "of") or following in _COMPARING:
        kind = following
    if not _RATES.isdisjoint(after) or (len(after) > 1 and after[0] in ("a", "an") and after[1] in _TIMES):
        kind += " rate"
    return kind


def noun_after(words: Sequence[Word], spot: int) -> str:
    """Return the first noun after a number in its sentence, within reach."""
    for word in words[spot + 1 : spot + 6]:
        if word.sentence != words[spot].sentence:
            break
        if word.is_noun and word.lemma not in ("$", "%"):
            return word.lemma
    return _EDGE


def verb_before(words: Sequence[Word], spot: int) -> str:
    """Return the last verb before a number in its sentence."""
    for word in reversed(words[max(0, spot - 8) : spot]):
        if word.sentence != words[spot].sentence:
            break
        if word.is_verb:
            return word.lemma
    return _EDGE


def _lemmas_around(words: Sequence[Word], spot: int) -> dict[int, str]:
    return {d: w.lemma if w else _EDGE for d, w in _around(words, spot).items()}


def _tags_around(words: Sequence[Word], spot: int) -> dict[int, str]:
    return {d: w.pos if w else _EDGE for d, w in _around(words, spot).items()}


def _around(words: Sequence[Word], spot: int) -> dict[int, Word | None]:
    found: dict[int, Word | None] = {}
    for d in (-3, -2, -1, 1, 2, 3):
        at = spot + d
        word = words[at] if 0 <= at < len(words) else None
        found[d] = word if word is not None and word.sentence == words[spot].sentence else None
    return found


def _form(text: str) -> str:
    """Return a number word as it is, digits by their pattern."""
    if not any(c.isdigit() for c in text):
        return text
    return "decimal" if "." in text else "fraction" if "/" in text else "digits"


def _value_name(value: Fraction) -> str:
    """Return small and round values by themselves, others by their size."""
    if value in (0, 1, 2, 3, 4, 10, 100) or value.denominator in (2, 3, 4):
        return str(value)
    if value.denominator > 1:
        return "fraction below 1" if value < 1 else "decimal"
    return "below 10" if value < 10 else "below 100" if value < 100 else "below 1000" if value < 1000 else "large"


def _relation(first: Fraction, second: Fraction) -> str:
    if first == second:
        return "="
    return "<" if first < second else ">"
