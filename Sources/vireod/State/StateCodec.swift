import Player

/// ``SavedState`` as a small TOML file with a version.
///
/// A reader takes its own version and all older ones, and refuses newer ones: what it doesn't know it would lose.
enum StateCodec {
  static let version = 1
  /// No file that we write comes near this.
  static let maximumBytes = 64 * 1024

  enum Problem: Error, Sendable, Equatable {
    /// Cut off, edited or overwritten; says what is wrong.
    case damaged(String)
    /// Written by a later Vireo.
    case newer(Int64)
  }

  static func encode(_ state: SavedState) -> [UInt8] {
    var text = "# State of vireod. Written by the daemon; safe to delete while it doesn't run.\n"
    text += "version = \(version)\nboot-id = \(state.bootID)\n"
    if let id = state.installationID { text += "installation-id = \(TOMLText.quoted(id))\n" }
    if let player = state.player {
      text += "\n# level: 1/256 dB; without it, silence\n"
      for (name, channel) in [("master", player.master), ("left", player.left), ("right", player.right)] {
        let level = channel.decibels.map { "level = \($0), " } ?? ""
        text += "\(name) = { \(level)muted = \(channel.isMuted) }\n"
      }
    }
    if let formats = state.formats {
      text += "\n# what GStreamer could decode, and which GStreamer that was\n"
      text += "formats-of = \(TOMLText.quoted(formats.key))\n"
      text += "formats = [\(formats.mimeTypes.map(TOMLText.quoted).joined(separator: ", "))]\n"
    }
    return Array((text + "# end\n").utf8)
  }

  static func decode(_ bytes: [UInt8]) throws(Problem) -> SavedState {
    let entries: [TOMLEntry]
    do throws(TOMLError) {
      entries = try TOMLDocument.parse(bytes)
    } catch {
      throw .damaged("line \(error.position.line): \(error.message)")
    }
    guard case .integer(let version)? = entries[named: "version"], version >= 1 else {
      throw .damaged("it has no version")
    }
    guard version <= Self.version else { throw .newer(version) }
    // TOML cut at the end of a line is still TOML, so the last line says that it is all there.
    guard String(decoding: bytes.suffix(6), as: UTF8.self) == "# end\n" else {
      throw .damaged("it is cut off")
    }
    var state = SavedState()
    guard case .integer(let bootID)? = entries[named: "boot-id"], let bootID = UInt32(exactly: bootID) else {
      throw .damaged("boot-id is missing or wrong")
    }
    state.bootID = bootID
    if let value = entries[named: "installation-id"] {
      guard case .string(let id) = value, id.utf8.count == 32, id.utf8.allSatisfy(MachineID.isHexDigit) else {
        throw .damaged("installation-id is wrong")
      }
      state.installationID = id
    }
    if entries[named: "master"] != nil {
      state.player = PlayerSnapshot(
        master: try channel("master", in: entries), left: try channel("left", in: entries),
        right: try channel("right", in: entries))
    }
    state.formats = try formats(in: entries)
    return state
  }

  private static func formats(in entries: [TOMLEntry]) throws(Problem) -> FormatCache? {
    guard let key = entries[named: "formats-of"] else { return nil }
    guard case .string(let key) = key, case .array(let nodes)? = entries[named: "formats"] else {
      throw .damaged("formats are missing or wrong")
    }
    var types: [String] = []
    for node in nodes {
      guard case .string(let type) = node.value, type.utf8.count <= 200, types.count < 500,
        type.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
      else { throw .damaged("formats are wrong") }
      types.append(type)
    }
    return FormatCache(key: key, mimeTypes: types)
  }

  private static func channel(_ name: String, in entries: [TOMLEntry]) throws(Problem)
    -> PlayerSnapshot.Channel
  {
    guard case .table(let table)? = entries[named: name], case .boolean(let muted)? = table[named: "muted"]
    else {
      throw .damaged("\(name) is missing or wrong")
    }
    guard let value = table[named: "level"] else {
      return PlayerSnapshot.Channel(decibels: nil, isMuted: muted)
    }
    guard case .integer(let level) = value, (-65536...0).contains(level) else {
      throw .damaged("the level of \(name) is wrong")
    }
    return PlayerSnapshot.Channel(decibels: Int(level), isMuted: muted)
  }
}

extension [TOMLEntry] {
  fileprivate subscript(named name: String) -> TOMLValue? {
    first { $0.key == name }?.node.value
  }
}
