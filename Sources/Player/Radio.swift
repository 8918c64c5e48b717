/// A station that can be chosen by its id.
public struct RadioPreset: Sendable, Hashable {
  /// 1 or more; another one whenever the contents become others.
  public let id: UInt32
  public let media: Media

  /// What a store keeps of a station is its address and its metadata.
  func isSame(as other: Media?) -> Bool { media.uri == other?.uri && media.metadata == other?.metadata }
}

/// How the connection to the station goes.
struct RadioLink: Sendable, Equatable {
  /// The station was heard since it was told to play.
  var wasHeard = false
  /// Sound has come from it since it was told to play, heard or not.
  var hasSent = false
  /// Times that the connection was lost, or wasn't regained, since the station was last heard.
  var losses = 0
  /// Addresses of the station that failed one after the other.
  var failedEntries = 0
  /// The resource behind the address was read as a list once although its name doesn't say that it is one.
  var lookedInside = false
}

/// The radio source: presets and the station chosen. Knows nothing of playing (OpenHome Radio:2).
public struct Radio: Sendable, Equatable {
  /// Slots for presets.
  public static let channelsMax = 100

  /// By slot; empty slots are nil, those behind the last preset are left out.
  public private(set) var presets: [RadioPreset?] = []
  /// Number of changes of the list of preset ids.
  public private(set) var token: UInt32 = 0
  /// The station chosen, as the control point or the preset describes it.
  public private(set) var channel: Media?
  /// The preset that the station was chosen by; 0 when it was given by its address.
  public private(set) var id: UInt32 = 0
  /// What is behind the station's address.
  var content = AVContent.empty
  var link = RadioLink()
  /// A saved station that was chosen by preset; which one is known when the presets are.
  private var awaitsPreset = false
  private var lastID: UInt32 = 0

  init() {}

  /// A station as it was saved.
  init(channel: Media?, wasPreset: Bool) {
    self.channel = channel
    content = channel.map { .unresolved($0) } ?? .empty
    awaitsPreset = wasPreset && channel != nil
  }

  /// True when the station was chosen by a preset, also by one that isn't known again yet after a restart.
  public var isPreset: Bool { id != 0 || awaitsPreset }

  /// Nil for 0 and for unknown ids.
  public func preset(_ id: UInt32) -> RadioPreset? {
    id == 0 ? nil : presets.lazy.compactMap { $0 }.first { $0.id == id }
  }

  /// One id per slot, 0 for an empty one; ``channelsMax`` entries always.
  public var idArray: [UInt32] {
    presets.map { $0?.id ?? 0 } + Array(repeating: 0, count: Self.channelsMax - presets.count)
  }

  var cue: Cue {
    switch content {
    case .empty: .nothing
    case .unresolved, .resolving: .pending
    case .tracks(let list): .track(list.track)
    }
  }

  // MARK: Changes

  /// Contents that stay keep their ids, also when they move to another slot.
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

  /// Chooses a station; the connection isn't touched while the address stays the same. True when it is another one.
  mutating func choose(_ media: Media, id: UInt32) -> Bool {
    let isOther = media.uri != channel?.uri ?? ""
    channel = media.uri.isEmpty ? nil : media
    self.id = id
    awaitsPreset = false
    return isOther
  }

  /// Goes to the station's next address; false when each had its turn since one of them was heard.
  mutating func tryNextEntry() -> Bool {
    guard case .tracks(var list) = content, link.failedEntries + 1 < list.order.count else { return false }
    link.failedEntries += 1
    list.order.move(toPlace: (list.order.place + 1) % list.order.count)
    content = .tracks(list)
    return true
  }
}
