"""What the owner's programs leave: lines in a file, and processes."""

from pathlib import Path


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def lives(pid):
    """Whether that process runs; one that has ended but that nobody has asked for doesn't."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False
