#!/bin/sh
# Prints the first Python >= 3.11 on this machine that can make a virtual environment, or says what is missing.
# A name on PATH is not enough: version managers put names there that start nothing.
found=""
for name in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python; do
    "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 || continue
    found=$name
    "$name" -c 'import venv, ensurepip' >/dev/null 2>&1 || continue
    command -v "$name"
    exit 0
done
if [ -n "$found" ]; then
    echo "$found cannot make virtual environments: its venv package is missing (Debian, Ubuntu: apt install python3-venv)" >&2
else
    echo "Noripan needs Python 3.11 or later; none was found on PATH. Name one with: make PYTHON=/path/to/python3" >&2
fi
exit 1
