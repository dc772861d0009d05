"""The web client. Source under src/ (Svelte, TypeScript), bundle under dist/ (`npm ci && npm run build`), shipped as data."""

from pathlib import Path

DIST = Path(__file__).resolve().parent / "dist"
