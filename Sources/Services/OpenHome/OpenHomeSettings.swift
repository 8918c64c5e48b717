import Player
import Synchronization
import UPnP

/// The configuration that the OpenHome services look at, replaceable while they are in use.
public final class OpenHomeSettings: Sendable {
  private struct Values: Sendable {
    var configuration: OpenHomeConfiguration
    /// What was made of it last.
    var sources: SourceList?
    /// The list that there is at the start counts too.
    var sourceXMLChangeCount: UInt32 = 1
  }

  private let values: Mutex<Values>
  private let base: @Sendable () -> String
  /// The version of Product that is announced; it stays what it was at the start.
  let productVersion: Int

  /// - Parameter base: what makes a path of this server a URL (`http://192.0.2.7:49494`), asked for whenever it is
  ///   needed; empty while there is no network.
  public init(_ configuration: OpenHomeConfiguration, base: @escaping @Sendable () -> String = { "" }) {
    values = Mutex(Values(configuration: configuration))
    self.base = base
    productVersion = configuration.compatibility.productVersion
  }

  /// What the services show. A change takes effect at once; subscribers learn of it when the host next looks at the
  /// services. The version of Product is announced with the device and can't change.
  public var configuration: OpenHomeConfiguration {
    get { values.withLock { $0.configuration } }
    set {
      values.withLock { values in
        let changes = !newValue.showsSources(as: values.configuration)
        values.configuration = newValue
        guard changes else { return }
        values.sources = nil
        values.sourceXMLChangeCount &+= 1
      }
    }
  }

  /// The sources as they are shown now, and how often a name or visibility has changed, whether or not somebody has
  /// looked meanwhile (Product, "SourceXmlChangeCount"). Which sources there are never changes while we run.
  func sources(_ kinds: [SourceKind]) -> (list: SourceList, changeCount: UInt32) {
    values.withLock { values in
      if let list = values.sources, list.sources.lazy.map(\.kind).elementsEqual(kinds) {
        return (list, values.sourceXMLChangeCount)
      }
      let list = SourceList(kinds, values.configuration)
      values.sources = list
      return (list, values.sourceXMLChangeCount)
    }
  }

  /// The URL of a path or URL of the configuration; empty for nothing, and for a path while there is no network.
  func url(_ place: String?) -> String {
    guard let place, place.hasPrefix("/") else { return place ?? "" }
    let base = base()
    return base.isEmpty ? "" : base + place
  }
}
