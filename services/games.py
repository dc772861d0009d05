"""The games a process knows: the built-in ones and those a host names in NORIPAN_GAMES."""

from engine.games import add, games
from engine.kit import kit
from services.settings import Settings, SettingsError, env_name


def load_games(settings: Settings) -> None:
    """Register the further games and look at all of them once. Raises SettingsError naming the module and what is wrong."""
    for module in settings.games:
        try:
            kit(add(module).name)
        except Exception as error:  # whatever a module does when it is imported: the host has to know which one it was
            raise SettingsError(
                f"{env_name('games')}: {module!r}: expected a module that can be imported and exports GAME"
                f" ({type(error).__name__}: {error})"
            ) from None
    for name in games():
        kit(name)
