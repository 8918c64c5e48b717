import Foundation
import NIOCore
import Testing

@testable import HTTP
@testable import UPnP

/// What real clients sent, byte for byte (`Fixtures/recorded`), must be understood, cut anywhere.
@Suite struct RecordedTrafficTests {
  struct Recording: CustomTestStringConvertible {
    var name: String
    var bytes: [UInt8]
    var testDescription: String { name }
  }

  static let all: [Recording] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fixtures/recorded")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let urls = (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "http" }
    return urls.sorted { $0.path < $1.path }.compactMap { url in
      (try? Data(contentsOf: url)).map {
        Recording(name: url.pathComponents.suffix(2).joined(separator: "/"), bytes: Array($0))
      }
    }
  }()

  private static func isSearch(_ recording: Recording) -> Bool { recording.name.contains("/M-SEARCH") }

  @Test func thereAreRecordings() {
    #expect(Self.all.count >= 37)
  }

  @Test(arguments: all.filter(isSearch))
  func searchesAreUnderstood(_ recording: Recording) throws {
    let request = try #require(SearchRequest(datagram: recording.bytes))
    #expect((1...5).contains(request.mx))
    #expect(request.target.contains(":"))
  }

  @Test(arguments: all.filter { !isSearch($0) })
  func requestsAreUnderstood(_ recording: Recording) throws {
    for step in [1, 7, recording.bytes.count] {
      let request = try #require(Self.request(recording.bytes, step: step))
      try Self.understand(request)
    }
  }

  /// The one request that the bytes hold, read in pieces of `step`; nil when they don't hold exactly one.
  private static func request(_ bytes: [UInt8], step: Int) -> HTTPRequest? {
    var parser = RequestParser(limits: HTTPLimits())
    var buffer = ByteBuffer()
    var found: HTTPRequest?
    var rest = bytes[...]
    while !rest.isEmpty {
      buffer.writeBytes(rest.prefix(step))
      rest = rest.dropFirst(step)
      reading: while true {
        switch parser.next(&buffer) {
        case .needMore: break reading
        case .head: continue
        case .request(let request):
          guard found == nil else { return nil }
          found = request
        case .failure: return nil
        }
      }
    }
    return buffer.readableBytes == 0 ? found : nil
  }

  private static func understand(_ request: HTTPRequest) throws {
    switch request.head.method {
    case "GET": #expect(request.head.path.hasPrefix("/"))
    case "POST":
      let action = try SOAPAction(request.head)
      let body = try SOAPParser.parse(request.body)
      #expect(body.action == action.name)
      #expect(body.namespace == action.serviceType)
      let isAV = !action.serviceType.contains("ConnectionManager")
      #expect(body.arguments.contains { $0 == ("InstanceID", "0") } == isAV)
    default: _ = try SubscriptionRequest(method: request.head.method, fields: request.head.fields)
    }
  }
}
