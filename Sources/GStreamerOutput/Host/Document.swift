import CGStreamer
import CSoupGuard
import Player
import Synchronization
import Threads

/// A small document (a playlist, a station list) read through GStreamer's own sources.
public struct Document: Sendable, Hashable {
  public var bytes: [UInt8]
}

/// Reads documents, each on a short-lived thread of its own.
enum DocumentReader {
  /// Further documents at the same time are refused.
  private static let maximum = 4
  private static let slots = Slots()

  static func read(
    _ uri: String, limit: Int, timeout: Duration, configuration: OutputConfiguration,
    completion: @escaping @Sendable (Result<Document, PlaybackFailure>) -> Void
  ) {
    guard slots.take(maximum) else {
      completion(.failure(PlaybackFailure(.other, "Too many documents are being read already.")))
      return
    }
    let isStarted = Thread.start(name: "vireo-document") {
      defer { slots.give() }
      completion(
        Result { () throws(PlaybackFailure) -> Document in
          try fetch(uri, limit: limit, timeout: timeout, configuration: configuration)
        })
    }
    if !isStarted {
      slots.give()
      completion(.failure(PlaybackFailure(.other, "No thread could be made to read a document.")))
    }
  }

  /// Follows as many redirects as the configuration allows; they share the timeout.
  private static func fetch(
    _ uri: String, limit: Int, timeout: Duration, configuration: OutputConfiguration
  ) throws(PlaybackFailure) -> Document {
    GStreamerLibrary.prepare()
    let reading = Reading(
      uri: redacted(uri: uri), limit: limit, deadline: .now + timeout, timeout: timeout)
    var address = uri
    for _ in 0...max(0, configuration.maximumRedirects) {
      switch try reading.answer(of: address, configuration: configuration) {
      case .document(let document): return document
      case .elsewhere(let target): address = target
      }
    }
    throw ErrorReport.failure(uri: reading.uri, status: 302)
  }

  /// The result of one request.
  private enum Answer {
    case document(Document)
    case elsewhere(String)
  }

  private struct Reading {
    /// The address that was requested, for messages.
    var uri: String
    var limit: Int
    var deadline: MonotonicTime
    var timeout: Duration

    func answer(of address: String, configuration: OutputConfiguration) throws(PlaybackFailure) -> Answer {
      let location = try TrackSource.location(of: address, directories: configuration.fileDirectories)
      var configuration = configuration
      // Our own deadline passes first, and its failure names the reason.
      configuration.networkTimeout = timeout + .seconds(2)
      guard let source = TrackSource.make(location, configuration: configuration) else {
        throw PlaybackFailure(
          .missingDecoder, "No source for this address is installed; install gstreamer1.0-plugins-good.")
      }
      if vireo_has_property(source, "iradio-mode") != 0 { vireo_set_int(source, "iradio-mode", 0) }
      guard let pipeline = gst_pipeline_new(nil), let sink = gst_element_factory_make("appsink", nil) else {
        gst_object_unref(source)
        throw PlaybackFailure(
          .missingDecoder, "GStreamer's appsink is missing; install gstreamer1.0-plugins-base.")
      }
      vireo_set_int(sink, "sync", 0)
      vireo_set_int(sink, "max-buffers", 4)
      let bin = UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self)
      gst_bin_add(bin, source)
      gst_bin_add(bin, sink)
      defer {
        csoupguard_fix_session_finalize()
        gst_element_set_state(pipeline, GST_STATE_NULL)
        gst_object_unref(pipeline)
      }
      guard gst_element_link(source, sink) != 0 else {
        throw PlaybackFailure(.other, "GStreamer refused to link a source.")
      }
      gst_element_set_state(pipeline, GST_STATE_PLAYING)
      return try collect(
        from: UnsafeMutableRawPointer(sink).assumingMemoryBound(to: GstAppSink.self), of: pipeline,
        at: address, isNetwork: location.isNetwork)
    }

    private func collect(
      from sink: UnsafeMutablePointer<GstAppSink>, of pipeline: UnsafeMutablePointer<GstElement>,
      at address: String, isNetwork: Bool
    ) throws(PlaybackFailure) -> Answer {
      var bytes: [UInt8] = []
      while true {
        let left = deadline.since(.now)
        guard left > 0 else { throw tooLate }
        guard let sample = gst_app_sink_try_pull_sample(sink, left) else { break }
        defer { gst_sample_unref(sample) }
        guard let buffer = gst_sample_get_buffer(sample) else { continue }
        let size = Int(gst_buffer_get_size(buffer))
        guard bytes.count + size <= limit else {
          throw PlaybackFailure(.unsupportedFormat, "\(uri) is longer than \(limit) bytes.")
        }
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: size))
        bytes.withUnsafeMutableBytes {
          _ = gst_buffer_extract(buffer, 0, $0.baseAddress?.advanced(by: start), gsize(size))
        }
      }
      var information = TrackInformation()
      if let report = messages(of: pipeline, &information) {
        if isNetwork, let target = try report.redirectTarget(from: address, information) {
          return .elsewhere(target)
        }
        information.merge(ServerFaults(of: address))
        throw report.failure(uri: uri, isNetwork: isNetwork, information)
      }
      guard gst_app_sink_is_eos(sink) != 0 else { throw tooLate }
      return .document(Document(bytes: bytes))
    }

    private var tooLate: PlaybackFailure {
      PlaybackFailure(.timedOut, "The server of \(uri) took longer than \(timeout.components.seconds) s.")
    }

    /// Reads the bus: the headers of the answer, and an error if there was one.
    private func messages(
      of pipeline: UnsafeMutablePointer<GstElement>, _ information: inout TrackInformation
    ) -> ErrorReport? {
      guard let bus = gst_element_get_bus(pipeline) else { return nil }
      defer { gst_object_unref(bus) }
      while let message = gst_bus_pop(bus) {
        defer { gst_message_unref(message) }
        if message.pointee.type == GST_MESSAGE_ELEMENT, let structure = gst_message_get_structure(message) {
          if gst_structure_has_name(structure, "http-headers") != 0 {
            information.read(ServerAnswer(structure))
          }
        } else if message.pointee.type == GST_MESSAGE_ERROR {
          return ErrorReport(message)
        }
      }
      return nil
    }
  }

  /// Counts the documents that are being read.
  private final class Slots: Sendable {
    private let taken = Mutex(0)

    func take(_ maximum: Int) -> Bool {
      taken.withLock {
        guard $0 < maximum else { return false }
        $0 += 1
        return true
      }
    }

    func give() {
      taken.withLock { $0 -= 1 }
    }
  }
}
