-- Entries of a game's log: from LOG_SEATED on only people with a seat and the system may write. The one that reaches LOG_MAX
-- is followed by `log_full`, which ends the game (docs/rules.md); after that only timeouts are written.
local LOG_SEATED, LOG_MAX = 16000, 20000
