import Pins
import Player

/// Converts ``SavedPlayer`` and ``HostState`` to and from rows of the table `setting`.
///
/// A missing or invalid value reads as on a player that was never used. Rows with unknown names are left alone.
enum StoreCoding {
  static func encode(_ host: HostState) -> [StoreRow] {
    [
      StoreRow("boot-id", number: host.bootID),
      StoreRow("installation-id", text: host.installationID),
      StoreRow("formats-of", text: host.formats?.key),
      StoreRow("formats", text: host.formats.map { keepable($0.mimeTypes).joined(separator: " ") }),
      StoreRow("owes-stop", flag: host.owesStop),
      StoreRow("reports-time", number: host.reportsTime > 0 ? host.reportsTime : nil),
      StoreRow("reports-pause", text: host.reportsPause),
      StoreRow("party", text: host.party),
      StoreRow("zone", text: host.zone),
    ]
  }

  private static func keepable(_ mimeTypes: [String]) -> ArraySlice<String> {
    mimeTypes.filter {
      (1...200).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    }
    .prefix(500)
  }

  static func decodeHost(_ rows: [String: StoreValue]) -> HostState {
    let id = rows["installation-id"]?.text
    let isWhole = id.map { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) } ?? false
    var formats: HostState.Formats?
    if let key = rows["formats-of"]?.text, let types = rows["formats"]?.text {
      formats = HostState.Formats(
        key: key, mimeTypes: Array(keepable(types.split(separator: " ").map { String($0) })))
    }
    return HostState(
      bootID: rows["boot-id"]?.integer.flatMap { UInt32(exactly: $0) } ?? 0,
      installationID: isWhole ? id : nil, formats: formats, owesStop: rows["owes-stop"]?.integer == 1,
      reportsTime: max(rows["reports-time"]?.integer ?? 0, 0), reportsPause: rows["reports-pause"]?.text,
      party: rows["party"]?.text, zone: rows["zone"]?.text)
  }

  static func encode(_ player: SavedPlayer) -> [StoreRow] {
    let rows = [
      StoreRow("source", text: player.activeSource?.rawValue),
      StoreRow("standby", flag: player.isStandby),
      StoreRow("repeat", flag: player.isRepeating),
      StoreRow("shuffle", flag: player.isShuffling),
      StoreRow("current-track", number: player.currentTrackID),
      StoreRow("position", number: player.position?.microseconds),
      StoreRow("listening", flag: player.isListening),
      StoreRow("sender-uri", text: player.sender?.uri),
      StoreRow("sender-metadata", text: player.sender?.metadata),
      StoreRow("radio-preset", flag: player.isPreset),
      StoreRow("radio-uri", text: player.channel?.uri),
      StoreRow("radio-metadata", text: player.channel?.metadata),
      StoreRow("radio-format", text: player.channel?.contentFormat),
      StoreRow("radio-duration", number: player.channel?.durationHint?.microseconds),
    ]
    let zone = player.zone
    let zoneRows = [
      StoreRow("repeat-one", number: player.repeatsOne ? 1 : nil),
      StoreRow("zone-bass", number: zone.bass == 0 ? nil : zone.bass),
      StoreRow("zone-treble", number: zone.treble == 0 ? nil : zone.treble),
      StoreRow("zone-loudness", number: zone.hasLoudness ? nil : 0),
      StoreRow("zone-crossfade", number: zone.crossfades ? 1 : nil),
      StoreRow(
        "zone-favourites",
        text: zone.favourites.isEmpty
          ? nil : zone.favourites.sorted { $0.key < $1.key }.map { "\($0) \($1)" }.joined(separator: ",")),
    ]
    let channels = [("master", player.master), ("left", player.left), ("right", player.right)]
    return rows + zoneRows + encode(player.pins)
      + channels.flatMap { name, channel in
        [
          StoreRow("\(name)-level", number: channel?.decibels),
          StoreRow("\(name)-muted", number: channel.map { $0.isMuted ? 1 : 0 }),
          StoreRow("\(name)-trim", number: channel?.trim),
          StoreRow("\(name)-offset", number: channel?.offset),
        ]
      }
  }

  /// Reads what was saved of the player besides its tracks; nil when no player was saved yet.
  ///
  /// - Parameter hasTracks: Whether the database has tracks, which an undamaged one never has without such values.
  static func decodePlayer(_ rows: [String: StoreValue], hasTracks: Bool = false) -> SavedPlayer? {
    func flag(_ name: String) -> Bool { rows[name]?.integer == 1 }
    // A silent channel has no level row, but every saved channel has a row for its mute state.
    func channel(_ name: String) -> PlayerSnapshot.Channel? {
      guard rows["\(name)-level"] != nil || rows["\(name)-muted"] != nil else { return nil }
      // A level that is not a number is ignored; it doesn't mean silence.
      if let row = rows["\(name)-level"], row.integer == nil { return nil }
      let level = rows["\(name)-level"]?.integer.map { Int(min(max($0, -65536), 0)) }
      func small(_ name: String) -> Int { Int(min(max(rows[name]?.integer ?? 0, -65536), 65536)) }
      return PlayerSnapshot.Channel(
        decibels: level, isMuted: flag("\(name)-muted"), trim: small("\(name)-trim"),
        offset: small("\(name)-offset"))
    }
    // Every saved player has a standby row, even when its level is unreadable.
    guard rows["standby"] != nil || rows["master-muted"] != nil || hasTracks else { return nil }
    let radio = rows["radio-uri"]?.text.map {
      Media(
        uri: $0, metadata: rows["radio-metadata"]?.text ?? "", contentFormat: rows["radio-format"]?.text,
        durationHint: rows["radio-duration"]?.integer.map { .microseconds($0) })
    }
    let sender = rows["sender-uri"]?.text.map {
      Media(uri: $0, metadata: rows["sender-metadata"]?.text ?? "")
    }
    return SavedPlayer(
      master: channel("master"), left: channel("left"), right: channel("right"),
      activeSource: rows["source"]?.text.flatMap { SourceKind(rawValue: $0) }, isStandby: flag("standby"),
      isRepeating: flag("repeat"), isShuffling: flag("shuffle"),
      currentTrackID: rows["current-track"]?.integer.flatMap { UInt32(exactly: $0) } ?? 0, channel: radio,
      isPreset: flag("radio-preset"), sender: sender, isListening: flag("listening"),
      position: rows["position"]?.integer.flatMap { $0 >= 0 ? .microseconds($0) : nil },
      pins: decodePins(rows), repeatsOne: flag("repeat-one"), zone: decodeZone(rows))
  }

  private static func decodeZone(_ rows: [String: StoreValue]) -> ZoneSettings {
    func tone(_ name: String) -> Int {
      let range = ZoneSettings.toneRange
      return Int(min(max(rows[name]?.integer ?? 0, Int64(range.lowerBound)), Int64(range.upperBound)))
    }
    var zone = ZoneSettings()
    (zone.bass, zone.treble) = (tone("zone-bass"), tone("zone-treble"))
    zone.hasLoudness = rows["zone-loudness"]?.integer != 0
    zone.crossfades = rows["zone-crossfade"]?.integer == 1
    for pair in (rows["zone-favourites"]?.text ?? "").split(separator: ",").prefix(PinBank.size) {
      let numbers = pair.split(separator: " ").compactMap { UInt32($0) }
      if numbers.count == 2 { zone.favourites[numbers[0]] = numbers[1] }
    }
    return zone
  }

  // MARK: Pins

  /// A row for each slot, so that a change writes one of them.
  private static func encode(_ pins: PinBank) -> [StoreRow] {
    [StoreRow("pin-last-id", number: pins.lastID > 0 ? pins.lastID : nil)]
      + pins.slots.enumerated().map { index, slot in
        StoreRow("pin-\(index)", text: slot.map { PinList.text($0) })
      }
  }

  private static func decodePins(_ rows: [String: StoreValue]) -> PinBank {
    PinBank(
      saved: (0..<PinBank.size).map { rows["pin-\($0)"]?.text.flatMap { PinList.slot(in: $0) } },
      lastID: rows["pin-last-id"]?.integer.flatMap { UInt32(exactly: $0) } ?? 0)
  }
}
