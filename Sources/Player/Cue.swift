/// What a source has ready for the transport.
enum Cue: Sendable, Equatable {
  case nothing
  /// Media that may be a container and has to be read first.
  case unread(Media)
  /// Media that is being read.
  case reading(ResolveID, Media)
  case track(Media)

  var isSomething: Bool { self != .nothing }
}
