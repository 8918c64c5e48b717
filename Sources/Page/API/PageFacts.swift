import Player
import Synchronization

/// What the page shows of the configuration.
public struct PageFacts: Sendable, Hashable {
  /// The speaker's name.
  public var name = ""
  /// The version of Vireo.
  public var version = ""
  public var access = PageAccess.control
  public var sources: [Source] = []
  /// The sound device, as the configuration names it.
  public var output = ""
  /// How the volume is set.
  public var mixer = ""

  /// The most pages that are sent events at once.
  public var streams = 16
  /// The origins whose pages may show ours in a frame (`[page] frame-ancestors`).
  public var frameAncestors: [String] = []
  /// The UDNs of this speaker's devices, without `uuid:`.
  public var udns: [String] = []
  /// Whether songs are taken from phones.
  public var takesUploads = false

  /// A source as control points show it.
  public struct Source: Sendable, Hashable {
    public var kind: SourceKind
    public var name: String
    public var isVisible: Bool

    public init(_ kind: SourceKind, name: String, isVisible: Bool) {
      self.kind = kind
      self.name = name
      self.isVisible = isVisible
    }
  }

  public init() {}
}

/// The facts of the present configuration, which a reload replaces.
public final class PageConfiguration: Sendable {
  private let state: Mutex<PageFacts>

  public init(_ facts: PageFacts = PageFacts()) { state = Mutex(facts) }

  public var facts: PageFacts {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
