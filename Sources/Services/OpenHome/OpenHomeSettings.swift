import Player
import Synchronization
import UPnP

/// The configuration of the OpenHome services, replaceable while they are in use.
public final class OpenHomeSettings: Sendable {
  private struct Values: Sendable {
    var configuration: OpenHomeConfiguration
    /// The source list last made from it.
    var sources: SourceList?
    /// Starts at 1, since the initial list counts as a change.
    var sourceXMLChangeCount: UInt32 = 1
  }

  private let values: Mutex<Values>
  private let base: @Sendable () -> String
  /// The announced version of Product; fixed at the start.
  let productVersion: Int

  /// The announced version of a service other than Product, whose highest version is `highest`.
  func announced(_ highest: Int) -> Int { productVersion == 1 ? 1 : highest }

  /// Settings for the services.
  ///
  /// - Parameters:
  ///   - configuration: the initial configuration.
  ///   - base: returns the base URL for paths of this server (`http://192.0.2.7:49494`), empty without a
  ///     network; called whenever a URL is needed.
  public init(_ configuration: OpenHomeConfiguration, base: @escaping @Sendable () -> String = { "" }) {
    values = Mutex(Values(configuration: configuration))
    self.base = base
    productVersion = configuration.compatibility.productVersion
  }

  /// The current configuration. A change takes effect at once; subscribers are notified when the host next
  /// reads the services. The version of Product is announced with the device and can't change.
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

  /// The current source list, and how often a name or visibility has changed, even if nothing read the list
  /// in between (Product, "SourceXmlChangeCount"). The set of sources never changes at run time.
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

  /// The URL for a path or URL in the configuration; empty for nil, and for a path without a network.
  func url(_ place: String?) -> String {
    guard let place, place.hasPrefix("/") else { return place ?? "" }
    let base = base()
    return base.isEmpty ? "" : base + place
  }
}
