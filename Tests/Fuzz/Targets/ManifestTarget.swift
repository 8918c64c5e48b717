import CGStreamer
import Foundation
import Glibc

@testable import GStreamerOutput

extension FuzzTarget {
  /// A list of parts, opened by GStreamer's own demuxers: none of the files that it names is opened.
  static let manifest = FuzzTarget(
    name: "manifest", maximumLength: 4096,
    words: [
      "file://@DIRECTORY@/secret", "secret", "http://127.0.0.1:9/", "#EXTINF:6,\n",
      "#EXT-X-STREAM-INF:BANDWIDTH=1\n", "#EXT-X-KEY:METHOD=AES-128,URI=\"secret\"\n",
      "#EXT-X-MAP:URI=\"secret\"\n", "<BaseURL>secret</BaseURL>", "FILE://", "//",
    ],
    rounds: 200
  ) { try ManifestFixture.shared.play($0) }
}

/// A directory with a file that nobody may open, and a pipeline for each list.
private struct ManifestFixture {
  static let shared = Result { try ManifestFixture() }

  private let directory: String
  private let descriptor: CInt

  init() throws {
    GStreamerLibrary.prepare()
    directory = FileManager.default.temporaryDirectory.appending(path: "vireo-manifest-\(getpid())").path()
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let secret = directory + "/secret"
    try Data(repeating: 0x47, count: 188).write(to: URL(filePath: secret))
    descriptor = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
    try promise(inotify_add_watch(descriptor, secret, UInt32(IN_OPEN)) >= 0, "the file can't be watched")
  }

  private var isOpened: Bool {
    var event = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&event, 1, 0) > 0
  }

  /// Plays `bytes` with the demuxer of its kind until that fails, but not for long.
  func play(_ bytes: [UInt8]) throws {
    let text = String(decoding: bytes, as: UTF8.self)
    let demuxer = text.contains("MPD") ? "dashdemux" : "hlsdemux"
    // Its own name is known to lists only as the place that they lie in.
    let list = directory + "/list"
    try Data(text.replacing("@DIRECTORY@", with: directory).utf8).write(to: URL(filePath: list))
    guard let pipeline = gst_pipeline_new(nil), let source = gst_element_factory_make("filesrc", nil),
      let demuxer = gst_element_factory_make(demuxer, nil), let bus = gst_element_get_bus(pipeline)
    else { throw BrokenPromise(description: "GStreamer lacks \(demuxer)") }
    vireo_set_string(source, "location", list)
    let bin = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
    gst_bin_add(bin, source)
    gst_bin_add(bin, demuxer)
    gst_element_link(source, demuxer)
    gst_element_set_state(pipeline, GST_STATE_PLAYING)
    let wanted = GstMessageType(
      rawValue: GST_MESSAGE_ERROR.rawValue | GST_MESSAGE_EOS.rawValue | GST_MESSAGE_NEED_CONTEXT.rawValue)
    if let message = gst_bus_timed_pop_filtered(bus, 100_000_000, wanted) { gst_message_unref(message) }
    gst_element_set_state(pipeline, GST_STATE_NULL)
    gst_object_unref(bus)
    gst_object_unref(pipeline)
    try promise(!isOpened, "a file was opened")
  }
}

extension Result where Success == ManifestFixture, Failure == any Error {
  fileprivate func play(_ bytes: [UInt8]) throws { try get().play(bytes) }
}
