"""What many tests do with a track: start it, hear it to its end, see it fail."""


def play_to_end(device, events, seconds, uri, metadata="", next_uri=None):
    """Plays from Stop to the end and waits for STOPPED."""
    device.set_uri(uri, metadata)
    if next_uri is not None:
        device.set_next(next_uri)
    mark = events.events.mark()
    device.play()
    events.wait_change("TransportState", "PLAYING", 10, since=mark)
    events.wait_change("TransportState", "STOPPED", seconds + 10, since=mark)
    last = events.events.items[-1].changes
    assert last.get("TransportStatus", "OK") == "OK"


def start(device, uri, metadata=""):
    device.set_uri(uri, metadata)
    device.play()


def wait_failure(events, timeout, since):
    """The event after which the state is STOPPED with ERROR_OCCURRED."""
    state = {}
    for event in events.events.items[:since]:
        state.update(event.changes)

    def failed(event):
        state.update(event.changes)
        return (state.get("TransportState"), state.get("TransportStatus")) == ("STOPPED", "ERROR_OCCURRED")
    return events.events.wait(failed, timeout, "STOPPED with ERROR_OCCURRED", since)
