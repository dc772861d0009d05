"""Nicknames, and lines of chat: what a person may be called and may write at a table.

Counted is what a reader sees: combining marks, joiners, variation selectors and skin tones belong to the character before
them. Refused is what fools a reader: control and bidirectional characters, line separators, letters that look like
nothing.
"""

import unicodedata

VISIBLE_MAX = 16
CODEPOINTS_EACH = 4  # on the average: sixteen characters with a tower of marks on each are still refused
JOINERS = "\u200c\u200d"
# Letters and symbols by category, and blank on every screen.
BLANK = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f")
_SKIN = range(0x1F3FB, 0x1F400)
_FLAG = range(0x1F1E6, 0x1F200)
_EMOJI = range(0x1F000, 0x20000)


def clean(name: str) -> str | None:
    """The name as it is kept: NFC, trimmed, inner runs of spaces made one. None when nobody may be called that."""
    return clean_line(name, VISIBLE_MAX)


def clean_line(text: str, visible_max: int) -> str | None:
    """One line of at most so many visible characters, as it is kept; None when it cannot be shown to people."""
    codepoints_max = CODEPOINTS_EACH * visible_max
    if len(text) > 4 * codepoints_max:
        return None
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return None
    text = " ".join(part for part in unicodedata.normalize("NFC", text).strip(" \t").split(" ") if part)
    if len(text) > codepoints_max or not all(map(_allowed, text)):
        return None
    return text if 1 <= visible(text) <= visible_max else None


def _allowed(char: str) -> bool:
    if char in BLANK:
        return False
    kind = unicodedata.category(char)
    if kind == "Zs":
        return char == " "
    if kind[0] == "Z":
        return False
    if kind == "Cn":  # emoji younger than this Python's tables
        return ord(char) in _EMOJI
    return kind[0] != "C" or char in JOINERS


def visible(name: str) -> int:
    """How many characters a reader sees. 0 when the name begins with something that needs one before it."""
    count = 0
    joined = flag = False
    for index, char in enumerate(name):
        code = ord(char)
        mark = unicodedata.category(char)[0] == "M" or char in JOINERS or code in _SKIN or _tail_jamo(code)
        if mark and index == 0:
            return 0
        if code in _FLAG:  # two make one
            count += not flag
            flag = not flag
        else:
            if not mark and not joined:
                count += 1
            flag = False
        joined = char == "\u200d"
    return count


def _tail_jamo(code: int) -> bool:
    """Vowels and finals that NFC could not compose stand under the consonant before them."""
    return 0x1160 <= code <= 0x11FF or 0xD7B0 <= code <= 0xD7FF


# What other letters look like: Cyrillic, Greek and Armenian ones as their Latin twins, digits and strokes as letters.
_TWINS = str.maketrans(
    "абвгԁеёзіїјкӏмոнорсѕтԛгԝхуүαβεηικνορτυχϲօսցհոզ01|i",
    "a6brdee3llJklmnhopcstqrwxyy".lower() + "abenlkvoptuxc" + "ougnnq" + "olll",
)


def skeleton(name: str) -> str:
    """What a name looks like: equal for names that a reader takes for one another (after Unicode TR39, in short).

    Case, width, marks, spaces and punctuation do not count. "" for "" alone.
    """
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", name).casefold())
    kept = [char for char in plain if unicodedata.category(char)[0] in "LNS" and char not in BLANK]
    return "".join(kept).translate(_TWINS) or name
