"""Asks without an id, sent once: something said, and which actions are legal. Each has an end, whatever is lost.

Nothing but its contents tells which of them an answer is for; a refusal of one that came too fast says nothing at all,
since the server did not read it. But each gets one answer, so that as many such refusals as there are open asks are about
all of them. What stays open for ANSWER_S, or longer than the connection, has no known outcome.
"""

import asyncio
from typing import Any

import msgspec

from schemas import wire
from schemas.base import encode
from services.client.outcome import Closed, Rejected, plain

ANSWER_S = 8.0
SAY_FIELDS = ("as", "body", "say")  # where `detail.field` points in refusals that are about something said


class _Open:
    def __init__(self, kind: type, about: Any) -> None:
        self.kind, self.about = kind, about
        self.future: asyncio.Future = asyncio.get_running_loop().create_future()

    def end(self, error: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(error)
            self.future.exception()


class Once:
    """The part of Client that asks these."""

    player: str

    def __init__(self) -> None:
        super().__init__()
        self._unanswered: list[_Open] = []
        self._flooded: list[Rejected] = []  # refusals of which it is not known yet what they are about

    async def ready(self) -> None:
        raise NotImplementedError

    def _send(self, frame: bytes) -> None:
        raise NotImplementedError

    async def say(self, kind: str, body: str, by: str | None = None) -> wire.Said:
        """An emote, a line of chat, a suggestion (an action as JSON); as everybody got it. Raises Rejected, Closed.

        Nothing is said twice: after a lost connection, or without an answer, nobody knows whether it was said.
        """
        await self.ready()
        return await self._once(wire.Say(kind, body, by), (by or self.player, kind, plain(kind, body)))

    async def legal(self, seat: int) -> wire.LegalActions:
        """What this seat may do now. Raises Rejected, Closed (also when the connection is lost meanwhile)."""
        await self.ready()
        return await self._once(wire.Legal(seat), seat)

    async def _once(self, ask: wire.Say | wire.Legal, about: Any) -> Any:
        asked = _Open(type(ask), about)
        self._unanswered.append(asked)
        self._send(encode(ask))
        try:
            async with asyncio.timeout(ANSWER_S):
                return await asked.future
        except TimeoutError:
            raise (self._flooded[-1] if self._flooded else Closed("no answer")) from None
        finally:
            self._close_ask(asked)

    def _close_ask(self, asked: _Open | None) -> None:
        if asked in self._unanswered:
            self._unanswered.remove(asked)
        if len(self._flooded) >= len(self._unanswered):
            for other, error in zip(self._unanswered, self._flooded, strict=False):
                other.end(error)
            self._unanswered.clear()
            self._flooded.clear()

    def _answered(self, kind: type, about: Any, answer: Any) -> None:
        for asked in self._unanswered:
            if (asked.kind, asked.about) == (kind, about):
                if not asked.future.done():
                    asked.future.set_result(answer)
                self._close_ask(asked)
                return

    def _heard_said(self, said: wire.Said) -> None:
        self._answered(wire.Say, (said.player, said.kind, plain(said.kind, said.body)), said)

    def _refused_once(self, reject: wire.Reject) -> None:
        """A refusal without an id."""
        detail = None if reject.detail is msgspec.UNSET else reject.detail
        kind = wire.Say if detail is not None and detail.field.partition(".")[0] in SAY_FIELDS else wire.Legal
        if reject.code == "rate_limited" and detail is None:
            self._flooded.append(Rejected(reject))
            self._close_ask(None)
        elif kind is wire.Say or reject.code in ("not_your_seat", "unavailable"):
            asked = next((asked for asked in self._unanswered if asked.kind is kind), None)
            if asked is not None:
                asked.end(Rejected(reject))
                self._close_ask(asked)

    def _drop_unsure(self) -> None:
        """The connection is lost, and with it whatever answers were on their way."""
        for asked in self._unanswered:
            asked.end(Closed("connection lost"))
        self._unanswered.clear()
        self._flooded.clear()
