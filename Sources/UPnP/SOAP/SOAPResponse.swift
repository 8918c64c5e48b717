import NIOCore
import SCPD
import XML

/// Writes the bodies of SOAP responses (UPnP Device Architecture, "Control").
enum SOAPResponse {
  fileprivate static let head: StaticString = """
    <?xml version="1.0" encoding="utf-8"?>\r\n\
    <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" \
    s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body>
    """
  fileprivate static let tail: StaticString = "</s:Body></s:Envelope>\r\n"

  /// The result of an action, written in as many steps as its long arguments need.
  struct Success: Sendable {
    private let action: ActionDescription
    private let version: Int
    private let outputs: [ActionOutput]
    /// The index of the next argument to write.
    private var index = 0
    /// The rest of the long argument that is being written; nil when there is none.
    private var pieces: (any ChunkedText)?
    private var piece = XMLText(capacity: 0)

    /// Makes the response for the results of an action.
    ///
    /// - Parameters:
    ///   - version: the version that the control point asked for; arguments that came later are left out.
    ///   - outputs: in the order of the description; missing ones are written empty.
    init(_ action: ActionDescription, version: Int, outputs: [ActionOutput]) {
      self.action = action
      self.version = version
      self.outputs = outputs
    }

    /// Returns the beginning of the body.
    ///
    /// - Parameter serviceType: the type with the version that the control point asked for.
    func begin(serviceType: String) -> ByteBuffer {
      var buffer = ByteBuffer()
      buffer.reserveCapacity(
        384 + 2 * action.name.utf8.count
          + zip(action.outputs, outputs).reduce(0) {
            $0 + 2 * $1.0.name.utf8.count + $1.1.expectedLength + 16
          })
      buffer.writeStaticString(SOAPResponse.head)
      buffer.writeStaticString("<u:")
      buffer.writeString(action.name)
      buffer.writeStaticString("Response xmlns:u=\"")
      buffer.writeXML(serviceType, quotes: true)
      buffer.writeStaticString("\">")
      return buffer
    }

    /// Writes the next step of the body; returns false after the last one.
    mutating func write(to buffer: inout ByteBuffer) -> Bool {
      if pieces != nil {
        guard !writePiece(to: &buffer) else { return true }
      }
      while index < action.outputs.count {
        let argument = action.outputs[index]
        let output = index < outputs.count ? outputs[index] : .text("")
        guard argument.since <= version else {
          index += 1
          continue
        }
        switch output {
        case .text(let text):
          buffer.writeElement(argument.name, text: text)
          index += 1
        case .pieces(let long):
          buffer.writeTag(argument.name)
          pieces = long
          guard !writePiece(to: &buffer) else { return true }
        }
      }
      buffer.writeTag(action.name, prefix: "</u:", suffix: "Response>")
      buffer.writeStaticString(SOAPResponse.tail)
      return false
    }

    /// Writes the next piece of a long argument; returns false after the last one.
    private mutating func writePiece(to buffer: inout ByteBuffer) -> Bool {
      let hasMore = pieces?.write(to: &piece) ?? false
      piece.clear { buffer.writeXML(bytes: $0) }
      guard !hasMore else { return true }
      buffer.writeTag(action.outputs[index].name, prefix: "</")
      pieces = nil
      index += 1
      return false
    }
  }

  /// A UPnPError inside a SOAP fault.
  static func fault(_ error: UPnPError) -> ByteBuffer {
    var buffer = ByteBuffer()
    buffer.reserveCapacity(768)
    buffer.writeStaticString(head)
    buffer.writeStaticString(
      """
      <s:Fault><faultcode>s:Client</faultcode><faultstring>UPnPError</faultstring><detail>\
      <UPnPError xmlns="urn:schemas-upnp-org:control-1-0">
      """)
    buffer.writeElement("errorCode", text: String(error.code))
    buffer.writeElement("errorDescription", text: String(error.description.prefix(255)))
    buffer.writeStaticString("</UPnPError></detail></s:Fault>")
    buffer.writeStaticString(tail)
    return buffer
  }
}

extension ActionOutput {
  /// The length in bytes, as far as it is known.
  fileprivate var expectedLength: Int {
    switch self {
    case .text(let text): text.utf8.count
    case .pieces: 0
    }
  }
}
