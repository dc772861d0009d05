"""The interfaces, described: OpenAPI and AsyncAPI documents as generated from the schemas, and a page that shows them.

The page is text without a script, so that the policy of all pages holds for it, too.
"""

import json
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from services.gateway import pages

NAMES = ("openapi", "asyncapi")
CACHE = {"cache-control": "no-cache"}

CSS = """:root{color-scheme:light dark}
body{font:16px/1.6 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem}
h2{margin-top:2.5rem}h3{margin:1.6rem 0 .2rem}code,pre{font-family:ui-monospace,monospace;font-size:.9em}
pre{overflow-x:auto;padding:.7rem;border:1px solid #8886;border-radius:.4rem}summary{cursor:pointer}
.method{font-weight:700}nav a{margin-right:1rem}
"""


@cache
def _text(name: str) -> str:
    return (files("schemas") / "json" / f"{name}.json").read_text("utf-8")


async def document(request: Request) -> Response:
    """GET /api/openapi.json, /api/asyncapi.json"""
    name = request.path_params["name"]
    if name not in NAMES:
        return PlainTextResponse("Not found\n", 404, pages.headers(request))
    return Response(_text(name), 200, {**pages.headers(request), **CACHE}, media_type="application/json")


async def style(request: Request) -> Response:
    """GET /docs.css"""
    return Response(CSS, 200, {**pages.headers(request), **CACHE}, media_type="text/css")


async def page(request: Request) -> Response:
    """GET /docs"""
    return Response(_page(), 200, {**pages.headers(request), **CACHE}, media_type="text/html")


@cache
def _page() -> str:
    http, socket = (json.loads(_text(name)) for name in NAMES)
    parts = [
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
        f"<title>{escape(http['info']['title'])}</title>",
        '<link rel="stylesheet" href="/docs.css">',
        f"<h1>{escape(http['info']['title'])}</h1><p>{escape(http['info']['description'])}</p>",
        '<nav><a href="#http">HTTP</a><a href="#socket">WebSocket</a><a href="#parts">Parts</a>'
        '<a href="/api/openapi.json">openapi.json</a><a href="/api/asyncapi.json">asyncapi.json</a></nav>',
        '<h2 id="http">HTTP</h2>',
    ]
    for path, methods in http["paths"].items():
        parts += [_operation(path, method, what) for method, what in methods.items()]
    parts.append(f'<h2 id="socket">WebSocket</h2><p>{escape(socket["info"]["description"])}</p>')
    for name, operation in socket["operations"].items():
        messages = sorted(ref["$ref"].rpartition("/")[2] for ref in operation["messages"])
        links = ", ".join(f'<a href="#{escape(name)}"><code>{escape(name)}</code></a>' for name in messages)
        parts.append(f"<h3>{escape(name)}</h3><p>{escape(operation['summary'])}</p><p>{links}</p>")
    parts.append('<h2 id="parts">Parts</h2>')
    for name, schema in sorted((http["components"]["schemas"] | socket["components"]["schemas"]).items()):
        parts.append(_part(name, schema))
    return "\n".join(parts) + "</html>\n"


def _operation(path: str, method: str, what: dict[str, Any]) -> str:
    answers = ", ".join(f"{status}: {escape(answer['description'])}" for status, answer in what["responses"].items())
    return (
        f'<h3><span class="method">{method.upper()}</span> <code>{escape(path)}</code></h3>'
        f"<p>{escape(what['summary'])}</p><p>{answers}</p>"
    )


def _part(name: str, schema: dict[str, Any]) -> str:
    text = escape(json.dumps(schema, indent=1, ensure_ascii=False))
    return f'<details id="{escape(name)}"><summary><code>{escape(name)}</code></summary><pre>{text}</pre></details>'
