"""The room: an aggregate of the same shape as a game (commands in, events out, state = fold), around one game.

It owns seats, presence, options, the ceremony of chance (commit, freeze, open), deadlines with grace, away marks and the
end. Lobby and game of `K7Q2MX/1` share one pair of streams; a rematch is the next pair.
"""
