"""How an unexpected exception is named: its type and place, never its text, which may quote what a client sent or a secret."""


def place(error: BaseException | None) -> str:
    """`KeyError at yacht/rules.py:120`: the innermost frame; the type alone when it was never raised."""
    if error is None:
        return "unknown"
    trace = error.__traceback__
    if trace is None:
        return type(error).__name__
    while trace.tb_next is not None:
        trace = trace.tb_next
    name = "/".join(trace.tb_frame.f_code.co_filename.split("/")[-2:])
    return f"{type(error).__name__} at {name}:{trace.tb_lineno}"
