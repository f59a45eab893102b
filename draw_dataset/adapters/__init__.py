"""The metric where people already run their models: a thin adapter for each harness.

`rows` says which problems a name means and carries a row as text, `grades` grades one response; both know no harness.
Each other module is for one of them and imports it only inside itself: `inspect` (inspect-ai), `lm_eval`
(lm-evaluation-harness, with the YAML tasks in ``lm_eval_tasks``), `trl` and `verl` (rewards and training sets),
`verifiers`, `lighteval`. Nothing is imported here.
"""
