import Foundation
import NIOCore
import Synchronization
import Testing

@testable import HTTP
@testable import Network
@testable import Page

extension RequestHead {
  /// A request of a test.
  static func to(_ path: String, _ fields: [String: String] = [:], method: String = "GET") -> RequestHead {
    var head = RequestHead(
      method: method, path: path, query: nil, authority: nil, minorVersion: 1, fields: HeaderFields())
    for (name, value) in fields { head.fields.append(name: name, value: value) }
    return head
  }
}

extension Peer {
  static func number(_ last: UInt32) -> Peer {
    Peer(remote: .v4(0xc000_0200 + last), local: .v4(0xc000_02fe), localPort: 49494)
  }
}

extension RequestID {
  static func number(_ connection: Int) -> RequestID { RequestID(connection: connection, number: 1) }
}

extension HTTPResponse {
  func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }

  var text: String { String(buffer: body) }
}

extension Responder {
  /// The complete answer to a request; nil when there is none.
  func answer(_ head: RequestHead, from peer: Peer = .number(7), id: RequestID = .number(1)) -> HTTPResponse?
  {
    guard
      case .complete(let response) = respond(
        to: HTTPRequest(head: head, body: ByteBuffer()), from: peer, id: id)
    else { return nil }
    return response
  }
}

/// Decompresses with the program that everybody trusts.
func gunzip(_ body: ByteBuffer) throws -> [UInt8] {
  let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).gz")
  try Data(body.readableBytesView).write(to: file)
  defer { try? FileManager.default.removeItem(at: file) }
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/bin/gzip")
  process.arguments = ["-dc", file.path()]
  let pipe = Pipe()
  process.standardOutput = pipe
  try process.run()
  let bytes = try #require(try pipe.fileHandleForReading.readToEnd())
  process.waitUntilExit()
  #expect(process.terminationStatus == 0)
  return Array(bytes)
}
