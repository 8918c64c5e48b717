import CGStreamer

/// Everything that watches the data between the elements that decode a track.
struct TrackListeners: Sendable {
  let trim: TrackTrim
  let movie = MovieReader()
  let manifest = ManifestTap()
  let parts = PartSources()
  let seeks = SeekWatch()

  init(trim: TrackTrim) {
    self.trim = trim
  }

  /// Watches an element that was added.
  func watch(_ element: UnsafeMutablePointer<GstElement>) {
    trim.watch(element)
    movie.watch(element)
    manifest.watch(element)
    parts.watch(element)
    seeks.watch(element, isInList: manifest.isList)
    if seeks.manner == .unknown { trim.countFromBeginning() }
  }
}
