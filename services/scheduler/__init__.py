"""The scheduler: due deadlines become Timeout entries, lost work gets a new drain. It judges nothing; two are harmless."""
