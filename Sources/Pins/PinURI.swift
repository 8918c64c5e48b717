import Text

/// What a pin plays, as its address says it: `MODE://TYPE?key=value&version=1`.
public enum PinURI: Sendable, Hashable {
  /// An address, such as a station's: `url://stream?path=…`.
  case stream(String)
  /// A preset of the radio: `radio://preset?id=n`.
  case preset(UInt32)
  /// A source, by its system name: `transport://source?id=Radio`.
  case source(String)
  /// An object of a media server: `server://object?udn=…&id=…`. The UDN is without `uuid:`.
  case object(server: String, id: String)
  /// A stored playlist: `playlist://stored?id=…`.
  case playlist(String)

  /// The modes of pins that can be played here.
  public static let modes = ["transport", "url", "radio", "playlist", "server"]
  private static let version = "1"

  public var mode: String {
    switch self {
    case .stream: "url"
    case .preset: "radio"
    case .source: "transport"
    case .object: "server"
    case .playlist: "playlist"
    }
  }

  public var type: String {
    switch self {
    case .stream: "stream"
    case .preset: "preset"
    case .source: "source"
    case .object: "object"
    case .playlist: "stored"
    }
  }

  /// The address as it is stored.
  public var text: String {
    let values: [(String, String)] =
      switch self {
      case .stream(let path): [("path", path)]
      case .preset(let id): [("id", String(id))]
      case .source(let name): [("id", name)]
      case .object(let server, let id): [("udn", server), ("id", id)]
      case .playlist(let id): [("id", id)]
      }
    let query = (values + [("version", Self.version)]).map { "\($0)=\(PercentEscapes.encoded($1))" }
    return "\(mode)://\(type)?\(query.joined(separator: "&"))"
  }

  /// Reads the address of a pin of `mode`.
  ///
  /// - Throws: `modeNotSupported`; `uriNotSupported` for what isn't an address of this mode.
  public init(_ text: String, mode: String) throws(PinError) {
    guard Self.modes.contains(mode) else { throw .modeNotSupported }
    guard text.utf8.count <= Pin.longestURI, let parts = Self.parts(of: text), parts.mode == mode,
      parts["version"] == Self.version
    else { throw .uriNotSupported }
    switch (mode, parts.type) {
    case ("url", "stream"): self = .stream(try Self.need(parts["path"]))
    case ("radio", "preset"):
      guard let id = UInt32(try Self.need(parts["id"])), id > 0 else { throw .uriNotSupported }
      self = .preset(id)
    case ("transport", "source"): self = .source(try Self.need(parts["id"]))
    case ("server", "object"):
      self = .object(server: try Self.need(parts["udn"].map(Self.bare)), id: try Self.need(parts["id"]))
    case ("playlist", "stored"): self = .playlist(try Self.need(parts["id"]))
    default: throw .uriNotSupported
    }
  }

  /// Whether `text` is an address of the version that is known here.
  static func hasVersion(_ text: String) -> Bool { parts(of: text)?["version"] == version }

  private static func need(_ value: String?) throws(PinError) -> String {
    guard let value, !value.isEmpty else { throw .uriNotSupported }
    return value
  }

  /// Without the prefix, however often it is there.
  private static func bare(_ udn: String) -> String {
    var udn = udn[...]
    while udn.prefix(5).lowercased() == "uuid:" { udn = udn.dropFirst(5) }
    return String(udn)
  }

  // MARK: Pieces

  private struct Parts {
    var mode: String
    var type: String
    var values: [(name: Substring, value: Substring)]

    /// The first value of that name, decoded; nil when there is none, or it isn't UTF-8.
    subscript(name: String) -> String? {
      values.first { $0.name == name }.flatMap { PercentEscapes.decoded($0.value) }
    }
  }

  private static func parts(of text: String) -> Parts? {
    let bytes = text.utf8
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), text[colon...].hasPrefix("://") else {
      return nil
    }
    let rest = text[colon...].dropFirst(3)
    let mark = rest.utf8.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
    let pairs = rest[mark...].dropFirst().split(separator: "&").map { pair in
      let sign = pair.utf8.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      return (name: pair[..<sign], value: pair[sign...].dropFirst())
    }
    return Parts(mode: String(text[..<colon]), type: String(rest[..<mark]), values: pairs)
  }
}
