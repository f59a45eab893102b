"""verifiers 0.4: a taskset, which it finds by the top-level module ``draw_derivations`` (``vf-eval draw_derivations``).

verifiers takes a taskset from a top-level module whose ``__all__`` names exactly one. So that module stands next to
this package and holds nothing else. The reward is the derivation. The other components are metrics.
"""

from __future__ import annotations

from collections.abc import Iterable

import verifiers.v1 as vf

from draw_dataset.adapters.common import as_text, grade_response, rows_of
from draw_dataset.prompting import prompt_for


class DerivationData(vf.TaskData):
    """A problem: its row as JSON text, since nested fields are lost on the way, and the style of its prompt."""

    row: str
    prompt_style: str


class DerivationTask(vf.Task[DerivationData]):
    """One problem to set up."""

    @vf.reward(weight=1.0)
    async def derivation(self, trace: vf.Trace) -> float:
        """Whether the derivation is gold's."""
        return self._figures(trace)["derivation"]

    @vf.metric
    async def components(self, trace: vf.Trace) -> dict[str, float]:
        """All other components."""
        return {name: value for name, value in self._figures(trace).items() if name != "derivation"}

    def _figures(self, trace: vf.Trace) -> dict[str, float]:
        return grade_response(trace.last_reply or "", self.data.row, self.data.prompt_style).figures()


class DerivationConfig(vf.TasksetConfig):
    """Problems to ask, and their prompts (``--env.taskset.data``, ``.style``, ``.shots``, ``.data_dir``)."""

    data: str = "sample/test"
    style: str = "marked"
    shots: int = 0
    data_dir: str | None = None


class DerivationTaskset(vf.Taskset[DerivationTask, DerivationConfig]):
    """The problems of one set of data."""

    def load(self) -> Iterable[DerivationTask]:
        """Yield one task for each problem."""
        config = self.config
        for row in rows_of(config.data, config.data_dir):
            prompt = prompt_for(row, config.style, config.shots)
            data = DerivationData(
                id=str(row.get("id")),
                prompt="\n\n".join([prompt.system, *map("\n".join, prompt.examples), prompt.question]),
                row=as_text(row),
                prompt_style=prompt.label,
            )
            yield DerivationTask(data)
