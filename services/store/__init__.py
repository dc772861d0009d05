"""The store: the only place that knows keys, scripts and how Redis is spoken to (docs/design.md 4)."""
