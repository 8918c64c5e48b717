import CGStreamer

/// What this host can play, found out from the GStreamer plugins that are installed.
public struct Capabilities: Sendable, Hashable {
  /// MIME types with all their customary aliases, in a fixed order ("audio/flac", "audio/x-flac", …,
  /// "audio/L16;rate=44100;channels=2").
  public var mimeTypes: [String]

  public init(mimeTypes: [String]) {
    self.mimeTypes = mimeTypes
  }

  /// One kind of file: what control points call it, and what GStreamer must be able to take.
  private struct Kind {
    var mimeTypes: [String]
    /// Caps of which each must have a demuxer, parser or decoder.
    var needs: [String]
  }

  private static let kinds: [Kind] = [
    Kind(mimeTypes: ["audio/flac", "audio/x-flac"], needs: ["audio/x-flac"]),
    Kind(
      mimeTypes: ["audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"], needs: ["audio/x-wav"]),
    Kind(
      mimeTypes: ["audio/mpeg", "audio/mp3", "audio/x-mpeg", "audio/x-mp3", "audio/mpeg3"],
      needs: ["audio/mpeg, mpegversion=(int)1, layer=(int)3"]),
    Kind(
      mimeTypes: ["audio/mp4", "audio/x-m4a", "audio/m4a"],
      needs: ["video/quicktime", "audio/mpeg, mpegversion=(int)4, stream-format=(string)raw"]),
    Kind(
      mimeTypes: [
        "audio/aac", "audio/x-aac", "audio/aacp", "audio/x-aacp", "audio/vnd.dlna.adts", "audio/adts",
      ],
      needs: ["audio/mpeg, mpegversion=(int)4, stream-format=(string)adts, framed=(boolean)true"]),
    Kind(
      mimeTypes: ["audio/ogg", "application/ogg", "audio/x-ogg", "audio/vorbis", "audio/x-vorbis+ogg"],
      needs: ["application/ogg", "audio/x-vorbis"]),
    Kind(mimeTypes: ["audio/opus", "audio/x-opus+ogg"], needs: ["application/ogg", "audio/x-opus"]),
    Kind(mimeTypes: ["audio/aiff", "audio/x-aiff"], needs: ["audio/x-aiff"]),
    Kind(
      mimeTypes: ["audio/x-ms-wma"],
      needs: ["video/x-ms-asf", "audio/x-wma, wmaversion=(int)2"]),
    Kind(mimeTypes: ["audio/x-wavpack", "audio/wavpack"], needs: ["audio/x-wavpack"]),
    Kind(
      mimeTypes: ["audio/x-ape", "audio/ape", "audio/x-monkeys-audio"],
      needs: ["application/x-ape", "audio/x-ffmpeg-parsed-ape"]),
    Kind(
      mimeTypes: ["audio/dsf", "audio/x-dsf", "audio/dsd", "audio/x-dsd"],
      needs: ["application/x-gst-av-dsf", "audio/x-dsd"]),
    Kind(mimeTypes: ["audio/dff", "audio/x-dff"], needs: ["application/x-gst-av-iff", "audio/x-dsd"]),
    Kind(
      mimeTypes: ["audio/x-matroska", "audio/webm"],
      needs: ["video/x-matroska", "audio/x-opus"]),
    Kind(
      mimeTypes: ["application/vnd.apple.mpegurl", "application/x-mpegurl"],
      needs: ["application/x-hls", "audio/mpeg, mpegversion=(int)4, stream-format=(string)raw"]),
  ]

  /// Playlists, which the daemon itself reads.
  private static let playlists = ["audio/mpegurl", "audio/x-mpegurl", "audio/x-scpls"]

  /// Raw PCM with the rates and channels that servers offer, most wanted first.
  private static var rawPCM: [String] {
    ["audio/L16", "audio/L24"].flatMap { name in
      [44100, 48000, 88200, 96000, 176_400, 192_000].flatMap { rate in
        [2, 1].map { "\(name);rate=\(rate);channels=\($0)" }
      }
    }
  }

  /// Looks at the installed plugins. Loads GStreamer when that hasn't happened yet (some ten milliseconds).
  static func find() -> Capabilities {
    GStreamerLibrary.prepare()
    let factories = gst_element_factory_list_get_elements(vireo_decodable(), GST_RANK_MARGINAL)
    defer { gst_plugin_feature_list_free(factories) }
    var types = kinds.filter { kind in
      kind.needs.allSatisfy { canTake($0, factories) }
    }.flatMap(\.mimeTypes)
    types += playlists
    if gst_registry_check_feature_version(gst_registry_get(), "rawaudioparse", 1, 0, 0) != 0 {
      types += rawPCM
    }
    return Capabilities(mimeTypes: types)
  }

  private static func canTake(
    _ description: String, _ factories: UnsafeMutablePointer<GList>?
  ) -> Bool {
    guard let caps = gst_caps_from_string(description) else { return false }
    defer { gst_caps_unref(caps) }
    let found = gst_element_factory_list_filter(factories, caps, GST_PAD_SINK, 0)
    defer { gst_plugin_feature_list_free(found) }
    return found != nil
  }
}
