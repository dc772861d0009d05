"""The games: every package in this folder that exports GAME, plus modules named by the host (`add`). No hand-kept list."""

import importlib
import pkgutil
from functools import cache

from engine.game import Game

_added: list[str] = []


def add(module: str) -> Game:
    """Register a game from outside this folder (NORIPAN_GAMES). Raises ImportError, AttributeError, ValueError (name taken)."""
    found = importlib.import_module(module).GAME
    if module not in _added:
        if found.name in games():
            raise ValueError(f"{module}: a game named {found.name!r} is already there")
        _added.append(module)
        games.cache_clear()
    return found


@cache
def games() -> dict[str, Game]:
    """name -> Game, in the order of names."""
    modules = [f"{__name__}.{info.name}" for info in pkgutil.iter_modules(__path__) if info.ispkg]
    found = [importlib.import_module(module).GAME for module in modules + _added]
    return {game.name: game for game in sorted(found, key=lambda game: game.name)}


def find(name: str) -> Game:
    """The game of that name. Raises KeyError."""
    return games()[name]
