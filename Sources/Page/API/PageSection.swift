import JSON

/// A part of the state that pages follow: what its GET gives, and a number that rises with each change of it.
///
/// Everything here is called on the event loop. Whoever follows calls ``version`` after each ``PageSections/changed(_:)``,
/// at most once in a turn of the event loop, so a section may compare then what it shows with what it showed before.
public protocol PageSection: Sendable {
  /// Rises with every change of what is written; never falls in a run.
  var version: Int { get }

  /// Writes the whole section as one JSON value, as its GET gives it.
  func write(to json: inout JSONWriter)

  /// Called when the first page begins to follow this section (true), and when the last one has stopped (false).
  func followed(_ isFollowed: Bool)
}

extension PageSection {
  public func followed(_ isFollowed: Bool) {}
}
