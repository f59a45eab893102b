"""The metric where people already run their models: a thin adapter for each harness.

`rows` finds the problems that a name means and writes a row as text, `grades` grades one response, `training` writes
training sets; none of them knows a harness. Each other module is for one harness, and only that module imports it:
`inspect` (inspect-ai), `lm_eval` (lm-evaluation-harness, with the YAML tasks in ``lm_eval_tasks``), `trl` and `verl`
(rewards and training sets), `verifiers`, `lighteval`. This file imports nothing.
"""
