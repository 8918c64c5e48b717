import CGStreamer
import Player
import Text

/// An error message of GStreamer, translated into a failure in plain words.
struct ErrorReport {
  enum Domain { case core, resource, stream, other }

  var domain: Domain
  var code: Int
  /// GStreamer's text for users.
  var text: String
  /// GStreamer's text for developers.
  var debug: String
  /// The element that reads the address reported it, not a decoder.
  var isFromSource: Bool
  /// HTTP status of the server's answer; 0 if the error has none.
  var httpStatus: Int

  private func isStream(_ candidates: GstStreamError...) -> Bool {
    domain == .stream && candidates.contains { Int($0.rawValue) == code }
  }

  private func isResource(_ candidates: GstResourceError...) -> Bool {
    domain == .resource && candidates.contains { Int($0.rawValue) == code }
  }

  /// No element recognised the data.
  var isUnknownType: Bool {
    isStream(GST_STREAM_ERROR_TYPE_NOT_FOUND, GST_STREAM_ERROR_WRONG_TYPE)
  }

  /// The server sent the whole file where a part was requested.
  var isRangeRefused: Bool {
    isResource(GST_RESOURCE_ERROR_SEEK) || debug.includes("does not accept Range")
  }

  /// The address to which the server of `uri` redirects; nil if the error isn't a redirect.
  ///
  /// - Throws: ``PlaybackFailure`` of kind `refusedURI` if that isn't an address on the network: a server must not lead
  ///   to local files.
  func redirectTarget(from uri: String, _ information: TrackInformation) throws(PlaybackFailure) -> String? {
    guard [301, 302, 303, 307, 308].contains(httpStatus), let target = information.redirect,
      let address = RelativeAddress.resolved(target, in: AddressEscaping.escaped(uri) ?? uri)
    else { return nil }
    guard try TrackSource.location(of: address, directories: []).isNetwork else { return nil }
    return address
  }

  /// The source gave up without saying why; if there was no answer before, there was no connection.
  var isNoAnswer: Bool { isStream(GST_STREAM_ERROR_FAILED) && (isFromSource || isFromPart) }

  /// The source of a part of a stream (HLS, DASH) gave up without saying why. The demuxer, which owns that source, reports
  /// it as an error of its own; only its text names the source.
  var isFromPart: Bool {
    isStream(GST_STREAM_ERROR_FAILED) && !isFromSource && text.lowercased().includes("httpsrc:")
  }

  /// Two elements couldn't agree on a format.
  var isFormat: Bool {
    isStream(GST_STREAM_ERROR_FORMAT) || (domain == .core && Int(GST_CORE_ERROR_NEGOTIATION.rawValue) == code)
  }

  /// Another program has the sound device.
  var isDeviceInUse: Bool { isResource(GST_RESOURCE_ERROR_BUSY) }

  /// The fault of the sound device. Sinks report an absent device in many ways, but other faults in only a few.
  var deviceFault: DeviceRecovery.Fault {
    isDeviceInUse || isFormat || isResource(GST_RESOURCE_ERROR_SETTINGS) ? .unusable : .absent
  }

  /// The failure that this error means for `track`.
  func failure(_ track: TrackRecord) -> PlaybackFailure {
    let isRefusal = max(httpStatus, track.information.httpStatus) >= 400
    let name = isRefusal ? track.partName : track.name
    return failure(uri: name, isNetwork: track.isNetwork, track.information)
  }

  func failure(uri: String, isNetwork: Bool, _ information: TrackInformation) -> PlaybackFailure {
    let status = httpStatus != 0 ? httpStatus : (information.httpStatus >= 400 ? information.httpStatus : 0)
    if status >= 300 { return Self.failure(uri: uri, status: status) }
    let words = (text + " " + debug).lowercased()
    if let missing = information.missing, !missing.isText {
      return PlaybackFailure(
        .missingDecoder, "\(uri) can't be decoded: \(missing.text).")
    }
    if information.missing?.isText == true {
      let type = information.contentType.map { " (the server says \($0))" } ?? ""
      // A list is nested too deeply, or comes where lists aren't read. What the server announces as text may be a page.
      let format = information.contentType.flatMap { $0.hasPrefix("text/") ? nil : $0 }
      let isList = Media(uri: uri, contentFormat: format).looksLikeContainer
      let kind = isList ? "a list of tracks" : "a page or a picture"
      return PlaybackFailure(.unsupportedFormat, "\(uri) is \(kind), not audio\(type).")
    }
    if isNetwork, let fault = information.faults.certificate {
      return PlaybackFailure(
        .untrusted, "The server of \(uri) can't prove who it is: its certificate \(fault.words).")
    }
    if isNetwork, isNoAnswer, information.httpStatus == 0 {
      if information.faults.speaksOtherwise {
        let isSecure = uri.prefix(6).lowercased() == "https:"
        // Something answers, so the network isn't down.
        return PlaybackFailure(
          .serverFault,
          "The server of \(uri) doesn't speak \(isSecure ? "HTTPS" : "HTTP"), or not at this port: what it sends can't be read."
        )
      }
      return PlaybackFailure(
        .unreachable,
        "The server of \(uri) can't be reached: its name isn't known, it refuses connections or doesn't answer."
      )
    }
    if isNetwork, isNoAnswer, words.includes("reason error") {
      return PlaybackFailure(.unreachable, "The server of \(uri) broke off and doesn't send the rest.")
    }
    if domain == .resource, isNetwork { return networkFailure(uri: uri, words) }
    if isResource(GST_RESOURCE_ERROR_NOT_FOUND) {
      return PlaybackFailure(.notFound, "\(uri) isn't there.")
    }
    if isUnknownType || isStream(GST_STREAM_ERROR_CODEC_NOT_FOUND, GST_STREAM_ERROR_FAILED) {
      let type = information.contentType.map { ", the server says it is \($0)" } ?? ""
      return PlaybackFailure(
        .unsupportedFormat, "\(uri) isn't audio of a known kind\(type): \(text)")
    }
    if isStream(GST_STREAM_ERROR_DECODE, GST_STREAM_ERROR_DEMUX) {
      return PlaybackFailure(.corrupt, "\(uri) is damaged: \(text)")
    }
    return PlaybackFailure(.other, "\(uri) can't be played: \(text)")
  }

  /// The failure of a track in which nothing is audio, or none of it can be decoded.
  static func soundless(uri: String, _ information: TrackInformation) -> PlaybackFailure {
    if let missing = information.missing, !missing.isText {
      return PlaybackFailure(.missingDecoder, "\(uri) can't be decoded: \(missing.text).")
    }
    return PlaybackFailure(.unsupportedFormat, "\(uri) holds pictures, but no sound.")
  }

  private func networkFailure(uri: String, _ words: String) -> PlaybackFailure {
    if isResource(GST_RESOURCE_ERROR_SEEK) || words.includes("range http header") {
      return PlaybackFailure(
        .unreachable, "The server of \(uri) broke off and doesn't send the rest (no support for ranges).")
    }
    if words.includes("timed out") || words.includes("timeout") {
      return PlaybackFailure(.timedOut, "The server of \(uri) sent nothing for too long.")
    }
    if words.includes("resolve") || words.includes("resolving") {
      return PlaybackFailure(.unreachable, "The name of the server of \(uri) isn't known.")
    }
    if words.includes("tls") || words.includes("certificate") {
      return PlaybackFailure(.untrusted, "The server of \(uri) can't prove who it is (TLS): \(text)")
    }
    if isResource(GST_RESOURCE_ERROR_NOT_AUTHORIZED) {
      return PlaybackFailure(.forbidden, "The server refuses \(uri).")
    }
    if isResource(GST_RESOURCE_ERROR_NOT_FOUND), !words.includes("connect") {
      return PlaybackFailure(.notFound, "The server has no \(uri).")
    }
    return PlaybackFailure(.unreachable, "The server of \(uri) can't be reached: \(text)")
  }

  static func failure(uri: String, status: Int) -> PlaybackFailure {
    switch status {
    case 416:
      PlaybackFailure(.other, "The server of \(uri) has nothing at the position asked for (status 416).")
    case 300..<400:
      PlaybackFailure(
        .tooManyRedirects,
        "\(uri) is redirected too often, or to nowhere (status \(status)); see [playback] redirects.")
    case 404, 410: PlaybackFailure(.notFound, "The server has no \(uri) (status \(status)).")
    case 401, 402, 403, 407, 451: PlaybackFailure(.forbidden, "The server refuses \(uri) (status \(status)).")
    // Something answers, so the network isn't down.
    case 408, 504: PlaybackFailure(.serverFault, "The server of \(uri) gave up waiting (status \(status)).")
    case 502, 503: PlaybackFailure(.serverFault, "The server of \(uri) isn't ready (status \(status)).")
    case 500...: PlaybackFailure(.serverFault, "The server of \(uri) has a fault (status \(status)).")
    default: PlaybackFailure(.other, "The server of \(uri) answered with status \(status).")
    }
  }
}

extension ErrorReport {
  init(_ message: UnsafeMutablePointer<GstMessage>) {
    var error: UnsafeMutablePointer<GError>?
    var detail: UnsafeMutablePointer<gchar>?
    gst_message_parse_error(message, &error, &detail)
    domain = .other
    code = 0
    text = "unknown error"
    httpStatus = 0
    isFromSource = message.pointee.src.map { vireo_is_source($0) != 0 } ?? false
    debug = detail.map { String(cString: $0) } ?? ""
    g_free(detail)
    if let error {
      if vireo_domain_is_core(error) != 0 { domain = .core }
      if vireo_domain_is_resource(error) != 0 { domain = .resource }
      if vireo_domain_is_stream(error) != 0 { domain = .stream }
      code = Int(error.pointee.code)
      text = String(cString: error.pointee.message)
      g_error_free(error)
    }
    if let details = vireo_error_details(message) {
      var status: guint = 0
      if gst_structure_get_uint(details, "http-status-code", &status) != 0 { httpStatus = Int(status) }
    }
  }
}
