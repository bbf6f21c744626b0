"""Server-sent events as they go over the wire: UTF-8, one JSON text a `data` line."""


def event_frame(name: str, data: bytes, seq: int | None = None) -> bytes:
    """Return an event; `data` is JSON without a line break. Without `seq` the cursor stays where it is."""
    number = b"" if seq is None else b"id: %d\n" % seq
    return b"event: %b\n%bdata: %b\n\n" % (name.encode(), number, data)


def comment_frame(text: str) -> bytes:
    """Return a line that no client acts upon: it shows that the connection lives."""
    return b": %b\n\n" % text.encode()
