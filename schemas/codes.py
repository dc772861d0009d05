"""Every code that the room or the gateway refuses with, and every WebSocket close code: one table.

The text is the default Korean sentence (taken from the specifications where they give one); clients carry their own
sentences by code and fall back to this. A game's own codes live in its folder (`Game.codes`).
"""

REJECTS: dict[str, str] = {
    # the message itself
    "bad_message": "메시지를 이해할 수 없어요.",
    "bad_action": "이 게임에 없는 행동이에요.",
    "bad_options": "옵션 값이 올바르지 않아요.",
    "bad_name": "사용할 수 없는 이름이에요.",
    "too_large": "메시지가 너무 커요.",
    "too_deep": "메시지가 너무 깊게 중첩되어 있어요.",
    "rate_limited": "너무 빨라요. 잠시 뒤에 다시 해 주세요.",
    "hello_first": "먼저 방에 연결해야 해요.",
    "unauthorized": "로그인 정보가 올바르지 않아요.",
    # the log
    "no_room": "그런 방이 없어요.",
    "no_game": "이 방에 그런 판이 없어요.",
    "no_rules": "이 서버에는 이 놀이의 규칙이 없어 보여 줄 수 없어요.",
    "moved": "이 게임은 이미 끝났고 방은 다음 게임으로 넘어갔어요.",
    "too_old": "너무 오래된 요청이에요.",
    "overloaded": "이 방에 처리할 일이 너무 많아요. 잠시 뒤에 다시 해 주세요.",
    "unavailable": "서버가 잠시 응답하지 않아요. 같은 요청을 다시 보내 주세요.",
    "internal": "처리 중 문제가 생겨 이 행동은 취소됐어요.",
    # the room
    "not_in_lobby": "게임이 시작되기 전에만 할 수 있어요.",
    "not_playing": "게임이 진행 중일 때만 할 수 있어요.",
    "not_host": "방장만 할 수 있어요.",
    "no_seat": "자리에 앉은 사람만 할 수 있어요.",
    "not_your_seat": "내 자리가 아니에요.",
    "already_seated": "이미 자리에 앉아 있어요.",
    "seat_taken": "이미 다른 사람이 앉은 자리예요.",
    "room_full": "빈 자리가 없어요.",
    "not_enough_players": "시작하기에는 사람이 모자라요.",
    "bad_nonce": "미리 낸 약속과 다른 값이에요.",
    "not_opening": "지금은 값을 열 때가 아니에요.",
    "not_your_turn": "지금은 다른 사람 차례예요.",
    "stale_turn": "이미 지나간 차례예요.",
    "stale_view": "그사이 판이 바뀌었어요. 지금 판을 보고 다시 골라 주세요.",
    "deadline_passed": "제한 시간이 지났어요.",
    "room_closed": "닫힌 방이에요.",
    "kicked": "방장이 내보낸 사람은 다시 앉을 수 없어요.",
    "locked": "방장이 새로운 사람을 받지 않고 있어요.",
    "silenced": "방장이 이 방에서 말하지 못하게 했어요.",
    "name_taken": "이 방에 같아 보이는 이름을 쓰는 사람이 있어요.",
    "log_full": "이 판의 기록이 가득 차서 더는 적을 수 없어요.",
    "server_full": "서버가 가득 차서 지금은 새 방을 만들 수 없어요. 열려 있는 방은 계속할 수 있어요.",
    "not_over": "게임이 끝난 뒤에만 할 수 있어요.",
    "no_spectators": "이 방은 관전을 받지 않아요.",
    "no_team": "같은 편이 있는 게임에서만 할 수 있어요.",
    "not_due": "아직 제한 시간이 지나지 않았어요.",
}

# RFC 6455 7.4 codes where one fits, 4xxx where the client has to tell cases apart.
CLOSES: dict[str, tuple[int, str]] = {
    "going_away": (1001, "the server is restarting; reconnect"),
    "bad_data": (1003, "text frames with JSON objects only"),
    "bad_utf8": (1007, "text must be UTF-8"),
    "policy": (1008, "too many bad or too fast messages"),
    "too_big": (1009, "frames up to 8 KiB"),
    "try_again": (1013, "the server is overloaded; reconnect later"),
    "too_many": (1013, "too much from this address at once; reconnect later"),
    "no_hello": (4400, "say hello within five seconds"),
    "unauthorized": (4401, "the player token is missing or not valid"),
    "moved_device": (4402, "this player plays on another device now"),
    "no_spectators": (4403, "this room does not let spectators in"),
    "locked": (4405, "the host lets nobody new in"),
    "kicked": (4406, "the host sent this player away"),
    "no_room": (4404, "no such room"),
    "slow": (4408, "the connection reads too slowly; reconnect to resume"),
}
