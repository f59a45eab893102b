"""The metric of `evaluate`: derivation, equation and solution accuracy of algebra word problems.

The package `draw_dataset` computes the score; this script is what `evaluate.load` loads. It defines the name and the
arguments of the metric. It makes the batched calls (`add`, `add_batch`, several processes) store exactly what the
one-shot call would grade; see `draw_dataset.scoring.evaluate_metric` for how.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import datasets
import evaluate

from draw_dataset.scoring.evaluate_metric import MetricSettings, compute_at_once, compute_stored, encoded_pairs
from draw_dataset.version import CITATION, HOMEPAGE

_DESCRIPTION = """
Derivation accuracy says how often a system read an algebra word problem as it was meant: its equation template must be
equivalent to the gold template, and each slot must hold the number of the text that it holds in gold, or one annotated
as equivalent. Solution accuracy and equation accuracy, which earlier work reported, are computed beside it.
"""

_INPUTS = """
Args:
    predictions: a list; each item is a dict with `template` and `alignment`, a text in q-notation such as
        "m + n = q2; m = q1*n", or None to abstain. A dict may give `derivation`, a text in q-notation, instead, and
        `solutions` besides; `solutions` alone are graded as solutions. {"answer": text} is what a language model has
        written.
    references: a list of as many rows of the dataset. A row needs `question`, `equations`, `solutions`, `template`,
        `alignment` and `equiv_tnum`.
    merge_equiv: whether two equivalent numbers in two slots count as one number in one slot. Default False.
    tolerance: the largest difference of a solution from gold, relative to gold where that is above 1. Default 1e-4.
    equation: the reference of equation accuracy, "random" (the default), "first" or "expected".
    seed: of the random draw; a problem gets the same draw in any order and process. Default 0.
    data: what the data is called in the signature. By default rows of the release and of the sample are named by their
        origin, as in "draw1k/test+corrected-v2", and others "rows".
    return_verdicts: whether to return a verdict for each prediction.
    text: what predictions that are texts are: "q-notation", or each an "answer" of a language model; {"answer": text}
        says so by itself.
    match: when a derivation is right: by "algorithm1" of the paper, by its "quantities" as functions of the numbers of
        the text, or "auto" (the default), the first for templates and q-notation, the second for answers.
    gold: which derivations of a row count: "one", its gold derivation; "any", that or one of its `alternatives`; "auto"
        (the default) is "any" for rows whose `status` is "ambiguous", and "one" for all others.
Returns:
    derivation_accuracy, equation_accuracy, solution_accuracy: from 0 to 1; of answers judged by quantities, equation
        accuracy is derivation accuracy.
    derivation_accuracy_upper: derivation_accuracy if every derivation that is undecided were right.
    decided: the share of the predictions whose derivation is proved right or wrong.
    derivation_accuracy_certain: of answers, the share that is right in every reading of its numbers.
    undecided: how many derivations are right in some reading of their numbers and not in every one.
    unread: how many predictions could not be read; if there are some, a warning shows the first, with its cause.
    no_derivation: how many gave numbers and nothing that says how they were found.
    counts: how many predictions had each reason; "right" is one.
    right_reasons: how many right solutions have a right derivation, a wrong one, or one that is not known, as text.
    right_answer_right_derivation: how many right solutions have a right derivation.
    right_answer_wrong_derivation: how many were lucky.
    right_answer_no_derivation: how many right results came without a derivation.
    right_answer_not_understood: how many right results came with a derivation that could not be read.
    n: how many predictions there were.
    mean_references, references_not_gold: how many derivations lead to the gold equations on average, and which share
        of the references of equation accuracy is not equivalent to gold.
    match: the rule by which derivations were judged.
    signature: under which conditions; scores with equal signatures can be compared.
    verdicts: if asked for, a dict for each prediction with derivation, equation, solution, reason, status, message,
        slot_map, certain and witness.
"""


class DerivationAccuracy(evaluate.Metric):
    """Derivation accuracy, next to equation accuracy and solution accuracy."""

    # Of the base class, which has no types.
    file_paths: list[str] | None
    filelocks: list[Any] | None
    filelock: Any

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=CITATION,
            inputs_description=_INPUTS,
            # Strings of our own are stored, since no column type keeps every prediction unchanged.
            features=datasets.Features(
                {"predictions": datasets.Value("large_string"), "references": datasets.Value("large_string")}
            ),
            homepage=HOMEPAGE,
            license="MIT",
            reference_urls=[HOMEPAGE],
        )

    def add(self, *, prediction: Any = None, reference: Any = None, **kwargs: Any) -> None:
        """Add one prediction and the row of its problem."""
        prediction = kwargs.pop("predictions", prediction)
        reference = kwargs.pop("references", reference)
        stored, gold = encoded_pairs([prediction], [reference], start=len(self))
        super().add(prediction=stored[0], reference=gold[0], **kwargs)

    def add_batch(self, *, predictions: Any = None, references: Any = None, **kwargs: Any) -> None:
        """Add predictions and the rows of their problems."""
        stored, gold = encoded_pairs(predictions, references, start=len(self))
        if self.writer is not None:
            # `add` gathers rows before it writes them; some versions of datasets would write this batch before those.
            self.writer.write_examples_on_file()
        if stored or kwargs:
            super().add_batch(predictions=stored, references=gold, **kwargs)

    def compute(
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        merge_equiv: bool = False,
        tolerance: float = 1e-4,
        equation: str = "random",
        seed: int = 0,
        data: str = "rows",
        return_verdicts: bool = False,
        text: str = "q-notation",
        match: str = "auto",
        gold: str = "auto",
    ) -> dict[str, Any] | None:
        """Compute the three accuracies of what is given, and of what was added before.

        Returns None in every process but the first.
        """
        settings = MetricSettings(
            merge_equiv=merge_equiv,
            tolerance=tolerance,
            equation=equation,
            seed=seed,
            data=data,
            return_verdicts=return_verdicts,
            text=text,
            match=match,
            gold=gold,
        )
        given = predictions is not None or references is not None
        if self.num_process == 1 and self.writer is None:
            # Nothing was stored and nothing needs to be: using a file takes many times as long.
            return compute_at_once(predictions if given else [], references if given else [], settings)
        if given:
            self.add_batch(predictions=predictions, references=references)
        if self.writer is None:
            # A process without rows still takes part: the first one waits for its file.
            super().add_batch(predictions=[], references=[])
        done = False
        try:
            result: dict[str, Any] | None = super().compute(settings=settings)
            done = True
            return result
        finally:
            if not done:
                self._let_go()

    def _compute(self, *, predictions: list[str], references: list[str], settings: MetricSettings) -> dict[str, Any]:
        return compute_stored(predictions, references, settings)

    def _let_go(self) -> None:
        """Remove the files and release the locks that the base class leaves when computing fails."""
        self.data = None
        self.writer = None
        for path in self.file_paths or ():
            Path(path).unlink(missing_ok=True)
        for lock in (*reversed(self.filelocks or ()), self.filelock):
            if lock is not None:
                lock.release()
        self.file_paths = self.filelocks = self.filelock = self.cache_file_name = None
