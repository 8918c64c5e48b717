import JSON

/// The JSON texts of Pins:1: ids, modes, and pins.
public enum PinList {
  /// The most ids in a request, and pins in a list; no bank has as many.
  public static let most = 64
  /// The longest list that is read: all texts at their longest, and escaped.
  private static let longest = 256 * 1024

  // MARK: Writing

  /// `[12,0,13]`
  public static func text(ids: [UInt32]) -> String {
    "[" + ids.map(String.init).joined(separator: ",") + "]"
  }

  /// `["url","radio"]`
  public static func text(modes: [String]) -> String { String(decoding: modes.json, as: UTF8.self) }

  /// A list for ReadList; nil is a blank object, since control points go by the place.
  public static func text(_ slots: [PinBank.Slot?]) -> String {
    String(decoding: slots.map(Entry.init).json, as: UTF8.self)
  }

  /// One pin, as it is saved.
  public static func text(_ slot: PinBank.Slot) -> String {
    String(decoding: Entry(slot: slot).json, as: UTF8.self)
  }

  private struct Entry: JSONWritable {
    var slot: PinBank.Slot?

    func write(to json: inout JSONWriter) {
      let pin = slot?.pin
      json.beginObject()
      json.member("id", Int(slot?.id ?? 0))
      json.member("mode", pin?.mode ?? "")
      json.member("type", pin?.type ?? "")
      json.member("uri", pin?.uri ?? "")
      json.member("title", pin?.title ?? "")
      json.member("description", pin?.detail ?? "")
      json.member("artworkUri", pin?.picture ?? "")
      json.member("shuffle", pin?.isShuffled ?? false)
      json.endObject()
    }
  }

  // MARK: Reading

  /// The ids in a request or an event; nil for what isn't a list of at most ``most`` ids.
  public static func ids(in text: String) -> [UInt32]? {
    guard let values = list(text) else { return nil }
    var ids: [UInt32] = []
    for value in values {
      guard case .number(let number) = value, let id = UInt32(exactly: number) else { return nil }
      ids.append(id)
    }
    return ids
  }

  /// The words of a list; nil for what isn't one.
  public static func modes(in text: String) -> [String]? {
    list(text)?.compactMap { if case .string(let word) = $0 { word } else { nil } }
  }

  private static func list(_ text: String) -> [JSONValue]? {
    let limits = JSONLimits(bytes: 4096, depth: 1, values: most + 1)
    guard let json = try? JSONValue(reading: Array(text.utf8), limits: limits), case .array(let values) = json
    else { return nil }
    return values
  }

  /// A pin of another device, whatever its mode.
  public struct Item: Sendable, Hashable {
    /// 0 for an empty slot.
    public var id: UInt32
    public var mode: String
    public var type: String
    public var uri: String
    public var title: String
    public var detail: String
    public var picture: String
    public var isShuffled: Bool

    public init(
      id: UInt32, mode: String = "", type: String = "", uri: String = "", title: String = "",
      detail: String = "", picture: String = "", isShuffled: Bool = false
    ) {
      self.id = id
      self.mode = mode
      self.type = type
      self.uri = uri
      self.title = title
      self.detail = detail
      self.picture = picture
      self.isShuffled = isShuffled
    }
  }

  /// The pins of a list, as ReadList answers; nil for what isn't one.
  public static func items(in text: String) -> [Item]? {
    let limits = JSONLimits(bytes: longest, depth: 8, values: most * 32)
    guard let json = try? JSONValue(reading: Array(text.utf8), limits: limits),
      case .array(let values) = json,
      values.count <= most
    else { return nil }
    return values.map(Item.init)
  }

  /// A pin that was saved; nil when it can't be read.
  public static func slot(in text: String) -> PinBank.Slot? {
    let limits = JSONLimits(bytes: longest, depth: 1, values: 16)
    guard let json = try? JSONValue(reading: Array(text.utf8), limits: limits) else { return nil }
    let item = Item(json)
    guard item.id != 0,
      let pin = try? Pin(
        mode: item.mode, type: item.type, uri: item.uri, title: item.title, detail: item.detail,
        picture: item.picture, isShuffled: item.isShuffled)
    else { return nil }
    return PinBank.Slot(id: item.id, pin: pin)
  }
}

extension PinList.Item {
  fileprivate init(_ json: JSONValue) {
    func text(_ name: String) -> String {
      if case .string(let text) = json[name] { text } else { "" }
    }
    func number(_ name: String) -> UInt32 {
      if case .number(let number) = json[name] { UInt32(exactly: number) ?? 0 } else { 0 }
    }
    self.init(
      id: number("id"), mode: text("mode"), type: text("type"), uri: text("uri"), title: text("title"),
      detail: text("description"), picture: text("artworkUri"), isShuffled: json["shuffle"] == .boolean(true))
  }
}
