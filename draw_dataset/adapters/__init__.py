"""The metric where people already run their models: a thin adapter for each harness.

`common` finds rows, grades responses and writes training sets. Only the module of a harness imports it: `inspect`
(inspect-ai), `lm_eval` (with the YAML tasks in ``lm_eval_tasks``), `trl`, `verl`, `verifiers`, `lighteval`.
"""
