"""Problems with reconciled templates: one template for each class of equivalent ones, within and across datasets.

Annotators write the same template in many ways. `core.reconcile` groups the templates of all problems and names one
representative of each group; a problem then takes the representative in place of its own template, and its alignment
is carried over by the slot map. Nothing of the derivation changes. The counts before and after are the lower half of
the paper's Table 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from draw_dataset.core.equivalence import reconcile
from draw_dataset.core.problem import Problem


@dataclass(frozen=True, slots=True)
class TemplateCounts:
    """How many templates some problems have.

    Attributes:
        problems: the number of problems.
        before: different templates as written, spaces apart.
        after: templates that are not equivalent.
    """

    problems: int
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class ReconciledProblems:
    """Problems of several datasets with one template for each class.

    Attributes:
        problems: the problems of each dataset in their order, with representative templates.
        counts: for each dataset, how many templates it has.
        together: how many templates all datasets have.
        shared: how many templates occur in more than one dataset.
    """

    problems: Mapping[str, tuple[Problem, ...]]
    counts: Mapping[str, TemplateCounts]
    together: TemplateCounts
    shared: int


def reconcile_problems(datasets: Mapping[str, Sequence[Problem]]) -> ReconciledProblems:
    """Return the problems of datasets with the templates of all of them reconciled.

    >>> from draw_dataset.core.problem import AlignedNumber
    >>> alignment = AlignedNumber("a", 0, 1, 2.0), AlignedNumber("b", 0, 3, 1.0)
    >>> first = Problem(1, "", (), (), (), ("m = a - b",), alignment)
    >>> second = Problem(2, "", (), (), (), ("m + a = b",), alignment)
    >>> found = reconcile_problems({"one": [first, first], "two": [second]})
    >>> found.together.before, found.together.after, found.shared
    (2, 1, 1)
    >>> found.problems["two"][0].template, [(a.slot, a.token) for a in found.problems["two"][0].alignment]
    (('m = a - b',), [('b', 1), ('a', 3)])

    Raises:
        RowError: a template cannot be read; names the problem.
    """
    listed = [(name, problem) for name, problems in datasets.items() for problem in problems]
    # By way of the derivation, so that an alignment that does not fit its template is found here, with its problem.
    templates = [problem.derivation.template for _, problem in listed]
    found = reconcile(templates)
    new: dict[str, list[Problem]] = {name: [] for name in datasets}
    classes: dict[str, set[int]] = {name: set() for name in datasets}
    texts: dict[str, set[str]] = {name: set() for name in datasets}
    slot_maps = {i: m for group in found.groups for i, m in zip(group.members, group.slot_maps, strict=True)}
    for position, ((name, problem), template) in enumerate(zip(listed, templates, strict=True)):
        group = found.group_of[position]
        classes[name].add(group)
        texts[name].add(str(template))
        slot_map = slot_maps[position]
        new[name].append(
            replace(
                problem,
                template=found.groups[group].representative.equations,
                alignment=tuple(replace(a, slot=slot_map[a.slot]) for a in problem.alignment),
            )
        )
    return ReconciledProblems(
        problems={name: tuple(problems) for name, problems in new.items()},
        counts={name: TemplateCounts(len(new[name]), len(texts[name]), len(classes[name])) for name in datasets},
        together=TemplateCounts(len(listed), len(set().union(*texts.values())), len(found.groups)),
        shared=sum(sum(group in own for own in classes.values()) > 1 for group in range(len(found.groups))),
    )
