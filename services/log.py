"""Logs: one JSON object a line on stderr, time in UTC. Never a secret, token, nonce or seed: log ids, codes and counts."""

import logging
import sys

import msgspec
import structlog


def setup(level: str, process: str) -> None:
    """Configure structlog and the standard library's loggers for one process."""
    number = getattr(logging, level.upper())
    logging.basicConfig(level=number, stream=sys.stderr, format="%(message)s", force=True)
    for noisy in ("arq.worker", "arq.jobs", "uvicorn.access"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(serializer=_json),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(process=process)


def _json(event: dict, **_: object) -> str:
    return msgspec.json.encode(event, enc_hook=repr).decode()
