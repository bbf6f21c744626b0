"""What can go wrong between a use case and its rows. No message holds a value."""


class DatabaseUnavailableError(Exception):
    """The database cannot be reached or did not answer; whether a write happened may be unknown.

    The message, if any, is the reason in words for an operator; clients do not see it.
    """


class RowRefusedError(Exception):
    """The database refused a row: a constraint, or a value that its column cannot hold."""


class MatchMissingError(Exception):
    """No row has the id of a `Change`."""


class BusyError(Exception):
    """Too much is waiting, a lock or a statement took too long, or other writers were faster every time.

    Nothing was written, and it may be asked again.
    """


class DrainingError(Exception):
    """The writer is closing and takes nothing more."""


class OldFormatError(Exception):
    """A snapshot of an older format: its match is to be rebuilt from the events."""


class NewerFormatError(Exception):
    """A newer version of the service wrote this row: read by this one it would lose what it does not know."""
