import CGStreamer

@testable import GStreamerOutput

extension ErrorReport {
  /// An error as GStreamer reports it.
  static func made(
    _ code: GstStreamError = GST_STREAM_ERROR_FAILED, isFromSource: Bool = false, httpStatus: Int = 0
  ) -> ErrorReport {
    ErrorReport(
      domain: .stream, code: Int(code.rawValue), text: "It is broken.", debug: "",
      isFromSource: isFromSource || httpStatus != 0, httpStatus: httpStatus)
  }

  /// The server sends the whole file where a part was requested.
  static let refusesRange = ErrorReport(
    domain: .resource, code: Int(GST_RESOURCE_ERROR_SEEK.rawValue), text: "It has no ranges.", debug: "",
    isFromSource: true, httpStatus: 0)
}
