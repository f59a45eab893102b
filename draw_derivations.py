"""The taskset for verifiers, which looks for one only in top-level modules: ``vf-eval draw_derivations``."""

from draw_dataset.adapters.verifiers import DerivationTaskset

__all__ = ["DerivationTaskset"]
