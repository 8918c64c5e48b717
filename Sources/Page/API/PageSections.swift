import Synchronization

/// All sections that pages may follow, by name.
///
/// Sections say here that they may have changed; the event streams hear it. Used on the event loop only.
public final class PageSections: Sendable {
  /// The names, as in `?sections=` and in `event:`.
  public enum Name: String, Sendable, Hashable, CaseIterable {
    case player, queue, radio, pins, servers, renderers, rooms, party, playlists, uploads, system
  }

  private struct State: Sendable {
    var sections: [Name: any PageSection] = [:]
    var observer: (@Sendable (Name) -> Void)?
  }

  private let state = Mutex(State())

  public init() {}

  /// The section `name`; nil when there is none yet.
  public subscript(name: Name) -> (any PageSection)? {
    get { state.withLock { $0.sections[name] } }
    set { state.withLock { $0.sections[name] = newValue } }
  }

  /// Says that `section` may have changed.
  public func changed(_ section: Name) { state.withLock { $0.observer }?(section) }

  /// Calls `observer` whenever a section may have changed; nil for nobody. There is one observer: the event streams.
  public func observe(_ observer: (@Sendable (Name) -> Void)?) { state.withLock { $0.observer = observer } }
}
