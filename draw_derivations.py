"""The taskset of verifiers, which finds one only as a top-level module: ``vf-eval draw_derivations``."""

from draw_dataset.adapters.verifiers import DerivationTaskset

__all__ = ["DerivationTaskset"]
