"""Loaded by every Python process that has this folder on its path: its wall clock is off by as many seconds as SHIFT_FILE says.

The file holds one float (8 bytes, native) and is mapped, so that a test can set the clock of a running process.
"""

import mmap
import os
import struct
import time

with open(os.environ["SHIFT_FILE"], "rb") as file:
    _shift = mmap.mmap(file.fileno(), 8, access=mmap.ACCESS_READ)
_true = time.time
_read = struct.Struct("d").unpack_from


def _time() -> float:
    return _true() + _read(_shift)[0]


time.time = _time
