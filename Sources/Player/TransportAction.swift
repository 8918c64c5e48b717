/// An action that a control point can offer as a button (UPnP AVTransport:1, CurrentTransportActions).
public enum TransportAction: Sendable, Hashable, CaseIterable {
  case play, pause, stop, seek, next, previous
  /// Jump to another track of a container, by its number.
  case seekTrack
}
