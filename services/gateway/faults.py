"""How an unexpected exception is named in a log line: its type and place, not its text, which may hold what a client sent."""


def place(error: BaseException) -> str:
    """`KeyError at fanout.py:120`."""
    trace = error.__traceback__
    if trace is None:
        return type(error).__name__
    while trace.tb_next is not None:
        trace = trace.tb_next
    name = trace.tb_frame.f_code.co_filename.rpartition("/")[2]
    return f"{type(error).__name__} at {name}:{trace.tb_lineno}"
