/// The radio source: presets and the chosen station (OpenHome Radio:2). Doesn't know the transport.
public struct Radio: Sendable, Equatable {
  /// Number of preset slots.
  public static let channelsMax = 100

  /// Presets by slot; empty slots are nil, and those after the last preset are left out.
  public private(set) var presets: [RadioPreset?] = []
  /// Number of changes of the list of preset ids.
  public private(set) var token: UInt32 = 0
  /// The chosen station, as described by the control point or the preset.
  public private(set) var channel: Media?
  /// The preset of the chosen station; 0 when it was set by its address.
  public private(set) var id: UInt32 = 0
  /// What the station's address contains.
  var content = MediaContent.empty
  var link = RadioLink()
  /// The saved station came from a preset that is identified when the presets are loaded.
  private var awaitsPreset = false
  private var lastID: UInt32 = 0

  /// A saved station.
  init(channel: Media?, wasPreset: Bool) {
    self.channel = channel
    content = channel.map { .unresolved($0) } ?? .empty
    awaitsPreset = wasPreset && channel != nil
  }

  /// True when the station came from a preset, even one that isn't identified again yet after a restart.
  public var isPreset: Bool { id != 0 || awaitsPreset }

  /// Nil for 0 and for unknown ids.
  public func preset(_ id: UInt32) -> RadioPreset? {
    id == 0 ? nil : presets.lazy.compactMap { $0 }.first { $0.id == id }
  }

  /// One id per slot, 0 for an empty one; always ``channelsMax`` entries.
  public var idArray: [UInt32] {
    presets.map { $0?.id ?? 0 } + Array(repeating: 0, count: Self.channelsMax - presets.count)
  }

  // MARK: Changes

  /// Replaces the presets. Those whose contents are unchanged keep their ids, even in another slot.
  mutating func setPresets(_ media: [Media?]) {
    let before = presets.map { $0?.id ?? 0 }
    var known = Dictionary(grouping: presets.compactMap { $0 }, by: \.media)
    presets = media.prefix(Self.channelsMax).map { media in
      guard let media else { return nil }
      if let kept = known[media]?.popLast() { return kept }
      lastID += 1
      return RadioPreset(id: lastID, media: media)
    }
    while case .some(nil) = presets.last { presets.removeLast() }
    if presets.map({ $0?.id ?? 0 }) != before { token &+= 1 }
    if awaitsPreset, let preset = presets.lazy.compactMap({ $0 }).first(where: { $0.isSame(as: channel) }) {
      id = preset.id
      awaitsPreset = false
    }
    if preset(id) == nil { id = 0 }
  }

  /// Sets the station and returns true when its address is new. While the address stays the same the
  /// connection isn't touched.
  mutating func choose(_ media: Media, id: UInt32) -> Bool {
    let isOther = media.uri != channel?.uri ?? ""
    channel = media.uri.isEmpty ? nil : media
    self.id = id
    awaitsPreset = false
    return isOther
  }

  /// False when every address of the station has been tried since one of them last played steadily.
  var hasNextEntry: Bool {
    guard case .tracks(let list) = content else { return false }
    return link.failedEntries + 1 < list.order.count
  }

  /// Goes to the station's next address.
  mutating func takeNextEntry() {
    guard case .tracks(var list) = content else { return }
    link.failedEntries += 1
    list.order.move(toPlace: (list.order.place + 1) % list.order.count)
    content = .tracks(list)
  }
}
