import DIDLLite

/// What a renderer plays (ConnectionManager, "GetProtocolInfo", Sink).
public struct SinkFormats: Sendable, Hashable {
  /// How well a resource fits; a greater one is better.
  public enum Fit: Int, Sendable, Hashable, Comparable {
    /// The renderer doesn't say, or the server doesn't say what it is.
    case unknown
    /// The renderer plays the type, but names other DLNA profiles.
    case otherProfile
    case type
    case profile

    public static func < (left: Fit, right: Fit) -> Bool { left.rawValue < right.rawValue }
  }

  private struct Entry: Sendable, Hashable {
    var transport: String
    /// Nil for any.
    var type: MIMEType?
    var profile: String?
  }

  private var entries: [Entry] = []

  /// More are ignored; televisions list some 300.
  private static let maximumEntries = 2048
  private static let maximumLength = 256 * 1024

  /// Reads the comma-separated list. An empty or unreadable one stands for a renderer that doesn't say what it plays.
  public init(_ sink: String) {
    guard sink.utf8.count <= Self.maximumLength else { return }
    var entry: [UInt8] = []
    var isEscaped = false
    for byte in sink.utf8 {
      if isEscaped {
        entry.append(byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: ",") {
        add(entry)
        entry = []
      } else {
        entry.append(byte)
      }
    }
    add(entry)
  }

  private mutating func add(_ text: [UInt8]) {
    guard entries.count < Self.maximumEntries,
      let info = ProtocolInfo(String(decoding: text, as: UTF8.self))
    else { return }
    guard let sent = info.mimeType else {
      entries.append(Entry(transport: info.transport))
      return
    }
    guard let type = MIMEType(sent) else { return }
    entries.append(Entry(transport: info.transport, type: type, profile: info.dlna("DLNA.ORG_PN")))
  }

  /// True if nothing is known of the renderer.
  public var isEmpty: Bool { entries.isEmpty }

  /// How well the renderer can play `resource`; nil if it can't.
  public func fit(_ resource: MediaResource) -> Fit? {
    let transport = resource.protocolInfo?.transport ?? "http-get"
    guard !isEmpty else { return ["http-get", "*", ""].contains(transport) ? .unknown : nil }
    let usable = entries.filter { $0.transport == transport || $0.transport == "*" || transport == "*" }
    guard let type = resource.type else { return usable.isEmpty ? nil : .unknown }
    let profile = resource.protocolInfo?.dlna("DLNA.ORG_PN")
    var best: Fit?
    for entry in usable {
      guard let fit = Self.fit(entry, type, profile, resource) else { continue }
      best = max(best ?? fit, fit)
    }
    return best
  }

  private static func fit(
    _ entry: Entry, _ type: MIMEType, _ profile: String?, _ resource: MediaResource
  ) -> Fit? {
    guard let wanted = entry.type else { return .type }
    if wanted.name == "*/*" { return .type }
    if wanted.name.hasSuffix("/*") {
      return type.name.hasPrefix(wanted.name.dropLast()) ? .type : nil
    }
    guard wanted.name == type.name, takesParameters(wanted, type, resource) else { return nil }
    guard let named = entry.profile, let profile else { return .type }
    return named == profile ? .profile : .otherProfile
  }

  /// Rate and channels, which only raw PCM has, must be those that the renderer names.
  private static func takesParameters(
    _ wanted: MIMEType, _ type: MIMEType, _ resource: MediaResource
  ) -> Bool {
    let facts = [("rate", resource.sampleRate), ("channels", resource.channels)]
    return facts.allSatisfy { name, known in
      guard let wanted = wanted.parameters[name],
        let offered = type.parameters[name] ?? known.map(String.init)
      else { return true }
      return wanted == offered
    }
  }
}
