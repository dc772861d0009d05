"""The budgets, measured (docs/design.md 11). Ratios come from within one run, since machines differ and are shared."""
