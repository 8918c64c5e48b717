import Player
import Text
import UPnP

/// Product: the device's identity, its sources, and standby.
public struct ProductService: Product4.Provider {
  let player: PlayerCore
  let settings: OpenHomeSettings

  public init(player: PlayerCore, settings: OpenHomeSettings) {
    self.player = player
    self.settings = settings
  }

  var version: Int { settings.productVersion }

  func commands(for context: ActionContext) -> ProductCommands {
    ProductCommands(player: player, settings: settings)
  }

  var view: ProductView {
    ProductView(state: player.currentState, settings: settings)
  }
}

/// The view of Product.
struct ProductView: Product4.View {
  let state: PlayerState
  private let configuration: OpenHomeConfiguration
  private let sources: (list: SourceList, changeCount: UInt32)
  /// Makes a URL from a path of this server.
  private let url: (String?) -> String

  init(state: PlayerState, settings: OpenHomeSettings) {
    self.state = state
    configuration = settings.configuration
    sources = settings.sources(state.sources)
    url = settings.url
  }

  var manufacturerName: String { configuration.manufacturer.name }
  var manufacturerInfo: String { configuration.manufacturer.info }
  var manufacturerUrl: String { configuration.manufacturer.url }
  var manufacturerImageUri: String { url(configuration.manufacturer.image) }
  var modelName: String { configuration.model.name }
  var modelInfo: String { configuration.model.info }
  var modelUrl: String { configuration.model.url }
  var modelImageUri: String { url(configuration.model.image) }
  var productRoom: String { configuration.room }
  var productName: String { configuration.productName }
  var productInfo: String { configuration.productInfo }
  var productUrl: String { url(configuration.presentation) }
  var productImageUri: String { url(configuration.image) }
  var productImageHiresUri: String { url(configuration.imageHires ?? configuration.image) }

  var standby: Bool { state.isStandby }
  /// Always false: there is no hardware that takes time to switch.
  var standbyTransitioning: Bool { false }

  var sourceIndex: UInt32 { UInt32(clamping: state.sourceIndex) }
  var sourceCount: UInt32 { UInt32(clamping: state.sources.count) }
  var sourceXml: String { sources.list.xml }
  var sourceXmlChangeCount: UInt32 { sources.changeCount }
  var attributes: String { OpenHomeDevice.attributes(state) }
}

/// The actions of Product that aren't simple getters.
struct ProductCommands: Product4.Commands {
  let player: PlayerCore
  let settings: OpenHomeSettings

  private var sources: [SourceList.Source] { settings.sources(player.currentState.sources).list.sources }

  func setStandby(value: Bool) throws(UPnPError) { try player.change(.setStandby(value)) }

  func setSourceIndex(value: UInt32) throws(UPnPError) {
    let sources = sources
    try select(sources.indices.contains(Int(value)) ? sources[Int(value)] : nil)
  }

  func setSourceIndexByName(value: String) throws(UPnPError) {
    try select(sources.first { $0.name == value })
  }

  func setSourceBySystemName(value: String) throws(UPnPError) {
    try select(sources.first { $0.kind.names.system == value })
  }

  func source(index: UInt32) throws(UPnPError) -> (
    systemName: String, type: String, name: String, visible: Bool
  ) {
    let sources = sources
    guard sources.indices.contains(Int(index)) else { throw UPnPError(.sourceNotFound) }
    let source = sources[Int(index)]
    return (source.kind.names.system, source.kind.names.type, source.name, source.isVisible)
  }

  func getImageUri(resolution: String) throws(UPnPError) -> String {
    let configuration = settings.configuration
    let isLow = resolution.trimmingASCIISpace == "Low"
    return settings.url(isLow ? configuration.image : configuration.imageHires ?? configuration.image)
  }

  /// Selects a source. Leaves standby even when there is no such source.
  private func select(_ source: SourceList.Source?) throws(UPnPError) {
    guard let source else {
      try player.change(.leaveStandby)
      throw UPnPError(.sourceNotFound)
    }
    try player.change(.setSource(source.kind))
  }
}
