"""The worker: folds rooms. Stateless; any worker may take any partition (docs/design.md 5)."""
