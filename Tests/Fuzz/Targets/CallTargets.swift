import HTTP
import NIOCore
import Proxies
import SCPD

@testable import ControlPoint
@testable import HTTP
@testable import UPnP

/// What devices of strangers answer to a control point's calls.
extension FuzzTarget {
  /// A connection's bytes: the response to a call, up to its results.
  static let response = FuzzTarget(
    name: "response", maximumLength: 4096,
    words: [
      "HTTP/1.1 200 OK\r\n", "HTTP/1.0 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 500 X\r\n",
      "HTTP/1.1 404 X\r\n", "HTTP/1.1 204 X\r\n", "Content-Length: 5\r\n", "Content-Length: 0\r\n",
      "Transfer-Encoding: chunked\r\n", "Content-Encoding: gzip\r\n", "Connection: close\r\n",
      "Connection: Keep-Alive\r\n", "\r\n", "\n\n", "\r\n\r\n", "0\r\n\r\n", "5\r\nhello\r\n", "ffffffff\r\n",
      "<s:Envelope><s:Body><u:AResponse>", "</u:AResponse></s:Body></s:Envelope>", "<Result>", "</Result>",
      "<s:Fault><errorCode>701</errorCode></s:Fault>", "\u{1}",
    ]
  ) { bytes in
    for (limit, hasBody) in [(4096, true), (40, true), (4096, false)] {
      let whole = try responses(bytes, step: .max, limit: limit, hasBody: hasBody)
      for step in [1, 2 + bytes.count % 13] {
        let cut = try responses(bytes, step: step, limit: limit, hasBody: hasBody)
        try promise(cut == whole, "cut every \(step) bytes: \(cut) instead of \(whole)")
      }
    }
  }

  /// What is read of `bytes` when they come `step` at a time and the connection ends then.
  private static func responses(
    _ bytes: [UInt8], step: Int, limit: Int, hasBody: Bool
  ) throws -> String {
    var reader = ResponseReader(limit: limit, hasBody: hasBody)
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(step)
      rest = rest.dropFirst(step)
      switch reader.read(ByteBuffer(bytes: piece)) {
      case .needMore: try promise(!reader.keepsConnection, "an unfinished response is over")
      case .response(let response): return try reading(response, limit: limit)
      case .fault(let fault): return "\(fault)"
      }
    }
    guard let response = reader.end() else { return "unfinished" }
    try promise(!reader.keepsConnection, "a connection that has ended is kept")
    return try reading(response, limit: limit)
  }

  private static func reading(_ response: ClientResponse, limit: Int) throws -> String {
    try promise(response.body.readableBytes <= limit, "a body of \(response.body.readableBytes)")
    try promise((200...999).contains(response.status), "a status of \(response.status)")
    var text = "\(response.status) \(response.fields.first("sid") ?? "-") "
    text += "\(Array(response.body.readableBytesView)) "
    do throws(ActionFailure) {
      return text + "\(try ActionResults(response).arguments)"
    } catch {
      try promise(error != .cancelled && error != .timeout && error != .unreachable, "\(error)")
      return text + "\(error)"
    }
  }

  /// A service description, up to the calls that it leads to.
  static let scpd = FuzzTarget(
    name: "scpd", maximumLength: 8192,
    words: [
      "<scpd xmlns=\"urn:schemas-upnp-org:service-1-0\">", "</scpd>", "<actionList>", "<action>", "<name>",
      "</name>", "<argumentList>", "<argument>", "<direction>in</direction>", "<direction>out</direction>",
      "<relatedStateVariable>", "<serviceStateTable>", "<stateVariable sendEvents=\"no\">",
      "<dataType>ui2</dataType>",
      "<dataType>string</dataType>", "<defaultValue>", "<allowedValueList>", "<allowedValue>",
      "<allowedValueRange>",
      "<minimum>-1</minimum>", "<maximum>9223372036854775807</maximum>", "<step>0</step>", "&#13;&#10;",
      "<Optional/>",
      "<!DOCTYPE", "<![CDATA[",
    ]
  ) { bytes in
    guard let description = try? ServiceDescription.read(ByteBuffer(bytes: bytes)) else { return }
    try promise(
      description.actions.count <= ServiceDescription.maximumActions
        && description.variables.count <= ServiceDescription.maximumVariables + 1, "too many")
    for variable in description.variables {
      try promise(variable.allowedValues.count <= ServiceDescription.maximumAllowedValues, variable.name)
      guard let range = variable.range else { continue }
      try promise(range.minimum <= range.maximum && range.step ?? 1 > 0, "\(range)")
    }
    for action in description.actions {
      let arguments = action.inputs + action.outputs
      try promise(arguments.count <= ServiceDescription.maximumArguments, "\(arguments.count) arguments")
      try promise(
        arguments.allSatisfy { description.variables.indices.contains($0.variable) },
        "an argument without a variable")
      let call = SOAPCall(
        serviceType: "urn:x", action: action.name,
        arguments: action.inputs.map { SOAPArgument(name: $0.name, text: "<&>") })
      try promise(SOAPAction(header: call.header)?.name == action.name, "a header that can't be read")
      let read = try SOAPParser.parse(call.body)
      try promise(read.arguments.map(\.name) == action.inputs.map(\.name), "arguments that can't be read")
    }
  }

  /// What the proxies make of an event message.
  static func changes(_ values: [EventedValue]) throws {
    if let changes = try? Proxies.AVTransport1.Changes(values), let state = changes.transportState {
      try promise(Proxies.AVTransport1.TransportState(wire: state.wire) == state, "\(state) isn't read back")
    }
    if let changes = try? Proxies.RenderingControl1.Changes(values) {
      try promise(changes.volume.count <= LastChange.limits.elements, "\(changes.volume.count) volumes")
    }
    _ = try? Proxies.ContentDirectory1.Changes(values)
    _ = try? Proxies.Playlist1.Changes(values)
    _ = try? Proxies.Transport1.Changes(values)
  }
}
