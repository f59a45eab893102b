"""Functions that these tasks call; releases of lm-evaluation-harness before 0.4.12 look for functions only here."""

from draw_dataset.adapters.lm_eval import documents, explained, marked_shots, plain_shots, process_results

__all__ = ["documents", "explained", "marked_shots", "plain_shots", "process_results"]
