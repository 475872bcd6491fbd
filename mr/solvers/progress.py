"""What long computations call with a line of text now and then."""


def silent(text):
    """Say nothing."""
