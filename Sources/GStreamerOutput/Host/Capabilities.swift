import CGStreamer

/// What this host can play, according to the installed GStreamer plugins.
public struct Capabilities: Sendable, Hashable {
  /// MIME types with all their customary aliases, in a fixed order ("audio/flac", "audio/x-flac", …,
  /// "audio/L16;rate=44100;channels=2").
  public var mimeTypes: [String]

  public init(mimeTypes: [String]) {
    self.mimeTypes = mimeTypes
  }

  /// One kind of file: what control points call it, and which caps GStreamer must accept.
  private struct Kind {
    var mimeTypes: [String]
    /// Caps of the file itself, for which there must be a demuxer; nil for a bare stream.
    var container: String?
    /// Caps of the content, for which there must be a decoder (a parser accepts them, too); nil for PCM.
    var codec: String?
  }

  private static let kinds: [Kind] = [
    Kind(mimeTypes: ["audio/flac", "audio/x-flac"], codec: "audio/x-flac"),
    Kind(
      mimeTypes: ["audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave"], container: "audio/x-wav"),
    Kind(
      mimeTypes: ["audio/mpeg", "audio/mp3", "audio/x-mpeg", "audio/x-mp3", "audio/mpeg3"],
      codec: "audio/mpeg, mpegversion=(int)1, layer=(int)3"),
    Kind(
      mimeTypes: ["audio/mp4", "audio/x-m4a", "audio/m4a"],
      container: "video/quicktime", codec: "audio/mpeg, mpegversion=(int)4, stream-format=(string)raw"),
    Kind(
      mimeTypes: [
        "audio/aac", "audio/x-aac", "audio/aacp", "audio/x-aacp", "audio/vnd.dlna.adts", "audio/adts",
      ],
      codec: "audio/mpeg, mpegversion=(int)4, stream-format=(string)adts, framed=(boolean)true"),
    Kind(
      mimeTypes: ["audio/ogg", "application/ogg", "audio/x-ogg", "audio/vorbis", "audio/x-vorbis+ogg"],
      container: "application/ogg", codec: "audio/x-vorbis"),
    Kind(mimeTypes: ["audio/opus", "audio/x-opus+ogg"], container: "application/ogg", codec: "audio/x-opus"),
    Kind(mimeTypes: ["audio/aiff", "audio/x-aiff"], container: "audio/x-aiff"),
    Kind(
      mimeTypes: ["audio/x-ms-wma"],
      container: "video/x-ms-asf", codec: "audio/x-wma, wmaversion=(int)2"),
    Kind(mimeTypes: ["audio/x-wavpack", "audio/wavpack"], codec: "audio/x-wavpack"),
    Kind(
      mimeTypes: ["audio/x-ape", "audio/ape", "audio/x-monkeys-audio"],
      container: "application/x-ape", codec: "audio/x-ffmpeg-parsed-ape"),
    Kind(
      mimeTypes: ["audio/dsf", "audio/x-dsf", "audio/dsd", "audio/x-dsd"],
      container: "application/x-gst-av-dsf", codec: "audio/x-dsd"),
    Kind(
      mimeTypes: ["audio/dff", "audio/x-dff"], container: "application/x-gst-av-iff", codec: "audio/x-dsd"),
    Kind(
      mimeTypes: ["audio/x-matroska", "audio/webm"],
      container: "video/x-matroska", codec: "audio/x-opus"),
    Kind(
      mimeTypes: ["application/vnd.apple.mpegurl", "application/x-mpegurl"],
      container: "application/x-hls", codec: "audio/mpeg, mpegversion=(int)4, stream-format=(string)raw"),
  ]

  /// Playlists, which the daemon reads itself.
  private static let playlists = ["audio/mpegurl", "audio/x-mpegurl", "audio/x-scpls"]

  /// Raw PCM with the rates and channels that servers offer, most wanted first.
  private static var rawPCM: [String] {
    ["audio/L16", "audio/L24"].flatMap { name in
      [44100, 48000, 88200, 96000, 176_400, 192_000].flatMap { rate in
        [2, 1].map { "\(name);rate=\(rate);channels=\($0)" }
      }
    }
  }

  /// Checks the installed plugins. Loads GStreamer if that hasn't happened yet (some ten milliseconds).
  static func find() -> Capabilities {
    GStreamerLibrary.prepare()
    let demuxers = gst_element_factory_list_get_elements(vireo_demuxers(), GST_RANK_MARGINAL)
    let decoders = gst_element_factory_list_get_elements(vireo_decoders(), GST_RANK_MARGINAL)
    defer {
      gst_plugin_feature_list_free(demuxers)
      gst_plugin_feature_list_free(decoders)
    }
    var types = kinds.filter { kind in
      canTake(kind.container, demuxers) && canTake(kind.codec, decoders)
    }.flatMap(\.mimeTypes)
    types += playlists
    if gst_registry_check_feature_version(gst_registry_get(), "rawaudioparse", 1, 0, 0) != 0 {
      types += rawPCM
    }
    return Capabilities(mimeTypes: types)
  }

  /// Whether one of `factories` accepts caps of `description`; true if that is nil.
  private static func canTake(
    _ description: String?, _ factories: UnsafeMutablePointer<GList>?
  ) -> Bool {
    guard let description else { return true }
    guard let caps = gst_caps_from_string(description) else { return false }
    defer { gst_caps_unref(caps) }
    let found = gst_element_factory_list_filter(factories, caps, GST_PAD_SINK, 0)
    defer { gst_plugin_feature_list_free(found) }
    return found != nil
  }
}
