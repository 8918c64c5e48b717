import ControlPoint
import Foundation
import HTTP
import Logging
import NIOCore
import NIOPosix
import Network
import Synchronization
import UPnP

@testable import vireoctl

/// A device on loopback that answers its actions as a test says.
final class FakeDevice: Responder {
  struct Call: Sendable {
    /// `Playlist`
    var service: String
    var action: String
    var body: String

    /// The argument of that name; empty if there is none.
    subscript(name: String) -> String {
      guard let begin = body.range(of: "<\(name)>"), let end = body.range(of: "</\(name)>") else { return "" }
      return body[begin.upperBound..<end.lowerBound].replacingOccurrences(of: "&lt;", with: "<")
        .replacingOccurrences(of: "&gt;", with: ">").replacingOccurrences(of: "&quot;", with: "\"")
        .replacingOccurrences(of: "&amp;", with: "&")
    }
  }

  enum Answer: Sendable {
    case results([String: String])
    case fault(Int)
  }

  private let services: [String]
  private let type: String
  private let answer: @Sendable (Call) -> Answer
  private let log = Mutex<[Call]>([])
  private let server: HTTPServer
  private let port = Mutex(0)

  /// - Parameter services: their types, such as `urn:av-openhome-org:service:Playlist:1`.
  init(type: String, services: [String], answer: @escaping @Sendable (Call) -> Answer) {
    self.type = type
    self.services = services
    self.answer = answer
    var configuration = HTTPConfiguration()
    configuration.ipv6 = false
    server = HTTPServer(
      eventLoop: MultiThreadedEventLoopGroup.singleton.next(), configuration: configuration,
      logger: Logger(label: "fake") { _ in SwiftLogNoOpLogHandler() })
  }

  /// The actions that were called.
  var calls: [Call] { log.withLock { $0 } }
  var actions: [String] { calls.map(\.action) }
  var url: String { "http://127.0.0.1:\(port.withLock { $0 })/device.xml" }

  func start() async throws {
    let listening = try await server.start([self])
    port.withLock { $0 = listening.port }
  }

  /// Runs `body` with the device as `-r` of a session.
  func with(_ body: (Session) async throws -> Void) async throws {
    try await start()
    let session = Session(try GlobalOptions.parse(["--quiet", "-r", url]))
    let result: Result<Void, any Error>
    do { result = .success(try await body(session)) } catch { result = .failure(error) }
    await session.end()
    await server.shutdown()
    try result.get()
  }

  func renderer(_ session: Session) async throws -> Renderer {
    Renderer(try await session.controlPoint.devices(at: url), session)
  }

  func methods(at path: String) -> [String]? { path.hasPrefix("/control/") ? ["POST"] : ["GET"] }

  func respond(to request: HTTPRequest, from peer: Peer, id: RequestID) -> HTTP.Answer? {
    guard request.head.method == "POST" else { return .complete(Self.response(description)) }
    let action = (request.head.fields.first("soapaction") ?? "").filter { $0 != "\"" }.split(separator: "#")
    let call = Call(
      service: String(request.head.path.dropFirst("/control/".count)), action: String(action.last ?? ""),
      body: String(buffer: request.body))
    log.withLock { $0.append(call) }
    switch answer(call) {
    case .results(let results):
      let text = results.map { "<\($0)>\(Self.escaped($1))</\($0)>" }.joined()
      let inner = "<u:\(call.action)Response xmlns:u=\"\(action[0])\">\(text)</u:\(call.action)Response>"
      return .complete(Self.response(Self.envelope(inner)))
    case .fault(let code):
      let fault = """
        <s:Fault><faultcode>s:Client</faultcode><faultstring>UPnPError</faultstring><detail><UPnPError \
        xmlns="urn:schemas-upnp-org:control-1-0"><errorCode>\(code)</errorCode><errorDescription>no</errorDescription>\
        </UPnPError></detail></s:Fault>
        """
      return .complete(Self.response(Self.envelope(fault), .internalServerError))
    }
  }

  private static func response(_ text: String, _ status: HTTPStatus = .ok) -> HTTPResponse {
    var response = HTTPResponse(status)
    response.contentType = "text/xml"
    response.body = ByteBuffer(string: text)
    return response
  }

  static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: ">", with: "&gt;")
  }

  private static func envelope(_ body: String) -> String {
    "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>\(body)</s:Body></s:Envelope>"
  }

  private var description: String {
    let list = services.map { service in
      let name = service.split(separator: ":")[3]
      return """
        <service><serviceType>\(service)</serviceType><serviceId>urn:x:serviceId:\(name)</serviceId>\
        <SCPDURL>/\(name).xml</SCPDURL><controlURL>/control/\(name)</controlURL><eventSubURL/></service>
        """
    }
    return """
      <root xmlns="urn:schemas-upnp-org:device-1-0"><device><deviceType>\(type)</deviceType>\
      <friendlyName>Fake</friendlyName><UDN>uuid:fake</UDN><serviceList>\(list.joined())</serviceList></device></root>
      """
  }
}

/// The queue of an OpenHome renderer.
final class FakeQueue: Sendable {
  struct Track: Sendable, Equatable {
    var id: UInt32
    var uri: String
  }

  private struct State {
    var tracks: [Track] = []
    var nextID: UInt32 = 100
    var inserted = 0
  }

  private let state = Mutex(State())
  private let maximum: Int
  /// The insertion that is refused, from 1.
  private let refused: Int

  init(_ uris: [String], maximum: Int = 1000, refusing refused: Int = 0) {
    self.maximum = maximum
    self.refused = refused
    state.withLock { state in
      for (index, uri) in uris.enumerated() { state.tracks.append(Track(id: UInt32(index + 1), uri: uri)) }
    }
  }

  var uris: [String] { state.withLock { $0.tracks.map(\.uri) } }

  /// A renderer that has it.
  func device() -> FakeDevice {
    FakeDevice(
      type: "urn:av-openhome-org:device:Source:1",
      services: ["urn:av-openhome-org:service:Product:1", "urn:av-openhome-org:service:Playlist:1"]
    ) { self.answer($0) }
  }

  private func answer(_ call: FakeDevice.Call) -> FakeDevice.Answer {
    state.withLock { state in
      switch call.action {
      case "SourceIndex": return .results(["Value": "0"])
      case "SourceXml":
        return .results([
          "Value":
            "<SourceList><Source><Name>Playlist</Name><Type>Playlist</Type><Visible>1</Visible></Source></SourceList>"
        ])
      case "IdArray":
        let bytes = state.tracks.flatMap { track in (0..<4).map { UInt8(track.id >> (24 - 8 * $0) & 0xff) } }
        return .results(["Token": "1", "Array": Data(bytes).base64EncodedString()])
      case "Id": return .results(["Value": "1"])
      case "TracksMax": return .results(["Value": "\(maximum)"])
      case "ReadList":
        let entries = state.tracks.map { "<Entry><Id>\($0.id)</Id><Uri>\($0.uri)</Uri><Metadata/></Entry>" }
        return .results(["TrackList": "<TrackList>\(entries.joined())</TrackList>"])
      case "Insert":
        state.inserted += 1
        let after = UInt32(call["AfterId"]) ?? 0
        let index = state.tracks.firstIndex { $0.id == after }.map { $0 + 1 }
        guard state.inserted != refused, state.tracks.count < maximum, after == 0 || index != nil else {
          return .fault(801)
        }
        let track = Track(id: state.nextID, uri: call["Uri"])
        state.nextID += 1
        state.tracks.insert(track, at: index ?? 0)
        return .results(["NewId": "\(track.id)"])
      case "DeleteId":
        guard let index = state.tracks.firstIndex(where: { "\($0.id)" == call["Value"] }) else {
          return .fault(800)
        }
        state.tracks.remove(at: index)
        return .results([:])
      case "DeleteAll":
        state.tracks = []
        return .results([:])
      case "SeekId", "Play": return .results([:])
      default: return .fault(401)
      }
    }
  }
}
