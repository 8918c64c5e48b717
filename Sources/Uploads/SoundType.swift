/// What a file is by its beginning, and whether a player plays that.
public enum SoundType: Sendable, Hashable {
  /// One that is played: its MIME type.
  case playable(String)
  /// Known, but not played here.
  case unplayable(String)
  /// No audio file.
  case unknown

  /// - Parameters:
  ///   - bytes: the first ``AudioBeginning/length`` bytes, or the whole file.
  ///   - played: the MIME types that the player names; one of them stands for all files of its container.
  public init(_ bytes: [UInt8], played: [String]) {
    guard let type = AudioBeginning.type(bytes) else {
      self = .unknown
      return
    }
    let isPlayed = played.contains { $0 == type || Self.carries(type, $0) }
    self = isPlayed ? .playable(type) : .unplayable(type)
  }

  /// Whether a player of `other` may well play `type`: what the container holds isn't known yet, and the stream decides.
  private static func carries(_ type: String, _ other: String) -> Bool {
    type == "audio/ogg" && (other == "audio/opus" || other == "audio/flac")
  }

  /// Endings of file names, since some renderers look only at those.
  public static func ending(of type: String) -> String {
    endings[type] ?? ""
  }

  private static let endings = [
    "audio/mpeg": ".mp3", "audio/flac": ".flac", "audio/ogg": ".ogg", "audio/opus": ".opus",
    "audio/wav": ".wav",
    "audio/aiff": ".aiff", "audio/mp4": ".m4a", "audio/aac": ".aac", "audio/x-ms-wma": ".wma",
    "audio/x-wavpack": ".wv", "audio/x-ape": ".ape", "audio/dsf": ".dsf", "audio/dff": ".dff",
    "audio/x-matroska": ".mka",
  ]
}
