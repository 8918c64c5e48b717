import JSON

/// What is written beside a song's file, so that it is known after a restart: one JSON object.
public enum SongNote {
  /// The longest note, in bytes; whatever is longer isn't ours.
  public static let longest = 4096

  private struct Note: JSONWritable {
    var song: UploadedSong

    func write(to json: inout JSONWriter) {
      json.beginObject()
      json.member("name", song.name)
      json.member("type", song.type)
      json.member("bytes", song.bytes)
      json.member("added", song.added)
      json.endObject()
    }
  }

  public static func write(_ song: UploadedSong) -> [UInt8] { Note(song: song).json }

  /// Reads the note of the song `key`; nil for anything but a note. When it was used isn't in it.
  public static func read(_ bytes: [UInt8], key: String) -> UploadedSong? {
    guard bytes.count <= longest, UploadedSong.isKey(key), let value = try? JSONValue(reading: bytes),
      case .string(let name)? = value["name"], case .string(let type)? = value["type"],
      SoundType.ending(of: type) != "", let bytes = number(value["bytes"]), bytes > 0,
      let added = number(value["added"])
    else { return nil }
    return UploadedSong(
      key: key, name: UploadedSong.name(name), type: type, bytes: bytes, added: added, used: added)
  }

  private static func number(_ value: JSONValue?) -> Int? {
    guard case .number(let number)? = value, let integer = Int(exactly: number), integer >= 0 else {
      return nil
    }
    return integer
  }
}
