"""An independent check of a finished game, from its published format alone (docs/format.md). Python 3.10 or later, no packages.

    noripan replay K7Q2MX --evidence > game.jsonl
    python check.py game.jsonl [ENTRY HEAD …]

Checked, in this order, so that what is wrong is named as closely as it can be: no action of a client stands twice; the
secret and the nonces are those whose hashes were published before the first die, and the key follows from them; every die,
shuffle and stick in the events is what the generator gives for its number, and the numbers have no gap; the hash chain from
the start record passes through the receipts and comes to the head. ENTRY HEAD: receipts that a player's client kept; without
one you check that this log is sound, with one also that it is the log you played. Exit code 0 sound, 1 not, 2 usage.
"""

import base64
import hashlib
import hmac
import json
import sys

ZEROS = bytes(32)


class Unsound(Exception):
    """The text says where and why."""


def need(true, where, what):
    if not true:
        raise Unsound(f"{where}: {what}")


def prefixed(*parts):
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def shown(head):
    return base64.urlsafe_b64encode(head).rstrip(b"=").decode()


def check_entries(lines):
    """What can be said of the entries by themselves: their order, and that each action counts once."""
    last, origins = (0, 0), {}
    for line in lines:
        entry, origin = line["entry"], line.get("origin", "")
        order = tuple(map(int, entry.split("-")))
        need(order > last, entry, "entries are not in order")
        last = order
        need(line["code"] == "ok" or not line["events"], entry, "a refused entry has events")
        need(
            not origin or origin not in origins, entry, f"the action {origin} is in entry {origins.get(origin)} already"
        )
        origins[origin] = entry


def chain(lines, secret):
    """Head after every entry, by entry id; the entry that holds `started` is link 1. secret b"": format 1, without blinds."""
    head, heads = None, {}
    for line in lines:
        entry = line["entry"].encode()
        events = [event.encode() for event in line["events"]]
        data = bytes.fromhex(line["data_hex"]) if "data_hex" in line else line["data"].encode()
        if head is None and events and json.loads(events[0])["type"] == "started":
            head = hashlib.sha256(events[0]).digest()
        if head is not None:
            blind = [hmac.new(secret, b"noripan/2:blind:" + entry, hashlib.sha256).digest()] if secret else []
            head = hashlib.sha256(prefixed(head, entry, data, line["code"].encode(), *blind, *events)).digest()
            heads[line["entry"]] = shown(head)
    return heads


def check_receipts(heads, receipts):
    """In the order of the log, so that the first that does not fit is the nearest behind what was changed."""
    for entry, _ in receipts:
        need(entry in heads, entry, "there is a receipt for this entry, and the log has no such entry")
    kept = dict(receipts)
    fits = "the start"
    for entry, head in heads.items():
        if entry in kept:
            need(kept[entry] == head, entry, f"the receipt says {kept[entry]}, the log {head}; it fits until {fits}")
            fits = entry


def key_of(started, began, revealed):
    secret, nonces = bytes.fromhex(revealed["secret"]), [bytes.fromhex(nonce) for nonce in revealed["nonces"]]
    need(hashlib.sha256(secret).hexdigest() == started["commitment"], "revealed", "not the committed secret")
    need(len(nonces) == len(started["seats"]), "revealed", "not one nonce for each seat")
    for seat, (nonce, promise) in enumerate(zip(nonces, started["nonce_hashes"], strict=True)):
        kept = seat in began.get("withheld", []) or promise == ""
        right = nonce == ZEROS if kept else hashlib.sha256(nonce).hexdigest() == promise
        need(right, "revealed", f"the nonce of seat {seat} is not the promised one")
    return hmac.new(secret, prefixed(started["id"].encode(), *nonces), hashlib.sha256).digest()


def check_draws(started, events, key):
    """Everything that was drawn, by number, in the arithmetic of IEEE doubles."""
    count, dice, held = 0, {}, {}

    def rng():
        nonlocal count
        digest = hmac.new(key, b"noripan/1:%d" % count, hashlib.sha256).digest()
        count += 1
        return (int.from_bytes(digest[:8], "big") >> 11) * 2.0**-53

    options = started["options"]
    seats, keep_order = len(started["seats"]), started["settings"].get("keep_order", False)
    sides = 2 if options.get("mode") == "team" else seats
    flat = 0.5 if options.get("stickModel") == "fair" else 0.6
    for number, event in events:
        before, kind, where = count, event["type"], f"event {number}"
        if started["game"] == "yacht" and kind == "dealt":
            order = list(range(seats))
            for i in range(0 if keep_order else seats - 1, 0, -1):
                j = int(rng() * (i + 1))
                order[i], order[j] = order[j], order[i]
            need(event["order"] == order, where, f"the order drawn is {order}")
        elif started["game"] == "yacht" and kind == "rolled":
            kept = event.get("held", [False] * 5)
            old = dice.get(event["seat"])
            need(kept == held.get(event["seat"], [False] * 5), where, "other dice were held")
            rolled = [old[i] if kept[i] else 1 + int(rng() * 6) for i in range(5)]
            need(event["dice"] == rolled, where, f"the dice drawn are {rolled}")
            dice[event["seat"]] = rolled
        elif started["game"] == "yacht" and kind == "hold_changed":
            held[event["seat"]] = event["held"]
        elif started["game"] == "yacht" and kind in ("scored", "conceded"):
            held.pop(event["seat"], None)
        elif started["game"] == "yut" and kind == "turn_changed" and event.get("draws"):
            need(event["side"] == int(rng() * sides), where, "another side was drawn to begin")
        elif started["game"] == "yut" and kind in ("thrown", "nak"):
            percent = options.get("nakPercent", 0)
            nak = bool(percent) and rng() < percent / 100
            need(nak == (kind == "nak"), where, "a stick fell, or did not")
            sticks = [] if nak else [rng() < flat for _ in range(4)]
            need(event.get("sticks", []) == sticks, where, f"the sticks drawn are {sticks}")
        else:
            count += event.get("draws", 0)  # a game this script does not know: numbers only
        need(count - before == event.get("draws", 0), where, f"says it drew {event.get('draws', 0)}")
    return count


def check(lines, receipts):
    """Returns a sentence about what was checked; raises Unsound."""
    top, *entries, foot = lines
    need(top.get("format") in ("noripan/1", "noripan/2"), "line 1", "not a log in format noripan/1 or noripan/2")
    check_entries(entries)
    events = list(enumerate((json.loads(event) for line in entries for event in line["events"]), 1))
    need(len(events) == foot["version"], "the end", f"{len(events)} events, version {foot['version']}")
    first = {}
    for _, event in events:
        first.setdefault(event["type"], event)
    need({"started", "began", "revealed"} <= set(first), "the log", "the game did not begin or is not over")
    need(first["started"]["id"] == top["id"] == first["opened"]["id"], "started", "it is another game's")
    form = f"noripan/{first['started'].get('format', 1)}"
    need(top["format"] == form, "line 1", f"the game was played in format {form}")
    need(first["started"]["commitment"] == first["opened"]["commitment"], "started", "another commitment than at first")
    key = key_of(first["started"], first["began"], first["revealed"])
    drawn = check_draws(first["started"], events, key)
    heads = chain(entries, bytes.fromhex(first["revealed"]["secret"]) if form == "noripan/2" else b"")
    check_receipts(heads, receipts)
    last = list(heads.values())[-1]
    need(last == foot["head"], "the head", f"the chain comes to {last}, the log says {foot['head']}")
    return f"{top['id']} is sound: {len(entries)} entries, {len(events)} events, {drawn} draws, head {foot['head']}"


def main(path, *rest):
    try:
        with open(path, encoding="utf-8") as file:
            print(check([json.loads(line) for line in file], list(zip(rest[::2], rest[1::2], strict=True))))
        return 0
    except OSError as error:
        print(f"cannot read {path}: {error.strerror}", file=sys.stderr)
        return 2
    except Unsound as error:
        print(f"NOT SOUND at {error}")
    except (KeyError, TypeError, ValueError, IndexError) as error:
        print(f"NOT SOUND: not the published format ({type(error).__name__}: {error})")
    return 1


if __name__ == "__main__":
    if len(sys.argv) < 2 or len(sys.argv) % 2:
        sys.exit(print(__doc__, file=sys.stderr) or 2)
    sys.exit(main(*sys.argv[1:]))
