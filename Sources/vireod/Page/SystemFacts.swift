import Network
import Page
import Player
import UPnP

/// What the page says about the network, the subscribers and the settings.
enum SystemFacts {
  /// Where the page is.
  static func addresses(_ reach: NetworkReach?, port: Int?) -> [String] {
    guard let reach, let port else { return [] }
    return reach.served.flatMap(\.addresses).map(\.address).filter { !$0.needsScope }
      .map { "http://\($0.urlHost):\(port)/" }
  }

  static func interfaces(_ reach: NetworkReach?) -> [API.Interface] {
    guard let reach else { return [] }
    func shown(_ interface: NetworkInterface, isUsed: Bool, _ detail: String?) -> API.Interface {
      API.Interface(
        name: interface.name, addresses: interface.addresses.map { "\($0.address)" }, isUsed: isUsed,
        detail: detail)
    }
    return reach.served.map { shown($0, isUsed: true, nil) }
      + reach.leftOut.map {
        shown(
          $0, isUsed: false,
          "It leads to containers or virtual machines only; name it in [network] interfaces if people are behind it."
        )
      }
  }

  /// One line for each address.
  static func subscribers(_ subscriptions: [(address: IPAddress, service: String)]) -> [API.Subscriber] {
    var services: [String: [String]] = [:]
    for (address, service) in subscriptions { services["\(address)", default: []].append(service) }
    return services.sorted { $0.key < $1.key }
      .map { API.Subscriber(address: $0.key, services: $0.value.sorted()) }
  }

  static func settings(_ settings: Settings, _ loaded: SettingsLoader.Loaded) -> [API.Setting] {
    SettingsSchema.keys.map { key in
      API.Setting(
        key: key.path, value: value(of: key, in: settings), where: loaded.origins[key.path] ?? "default")
    }
  }

  /// The value without secrets: arguments of programs and of addresses may be some.
  private static func value(of key: SettingKey, in settings: Settings) -> String {
    switch key.kind {
    case .command(let field):
      let command = settings[keyPath: field]
      return command.count > 1 ? "\(command[0]) …" : command.first ?? ""
    case .presets(let field):
      let presets = settings[keyPath: field]
      return presets.isEmpty ? "" : presets.map(\.name).joined(separator: ", ")
    default: return redacted(text: key.toml(in: settings))
    }
  }
}
