import Synchronization
import UPnP

/// Remembers who chose last what plays.
public final class Casters: Sendable {
  /// A control point, a page or a script.
  public struct Caster: Sendable, Hashable {
    public var address: String
    /// The program's name; empty when it gives none.
    public var agent: String
    public var isPage: Bool

    public init(_ context: ActionContext, isPage: Bool = false) {
      address = "\(context.remoteAddress)"
      agent = LogText.cleaned(context.userAgent)
      self.isPage = isPage
    }
  }

  private let state = Mutex<Caster?>(nil)

  public init() {}

  /// The last one; nil when nobody chose anything in this run.
  public var last: Caster? { state.withLock { $0 } }

  public func note(_ caster: Caster) { state.withLock { $0 = caster } }
}
