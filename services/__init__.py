"""The shell around the engine: processes, storage, network."""
