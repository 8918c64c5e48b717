import NIOCore
import SeededRandom

@testable import HTTP
@testable import UPnP

extension FuzzTarget {
  /// A datagram on port 1900, up to the answers it gets.
  static let ssdp = FuzzTarget(
    name: "ssdp", maximumLength: 2100,
    words: [
      "M-SEARCH * HTTP/1.1\r\n", "NOTIFY * HTTP/1.1\r\n", "MAN: \"ssdp:discover\"\r\n", "MX: ", "ST: ",
      "ssdp:all",
      "upnp:rootdevice", "uuid:", "urn:schemas-upnp-org:device:MediaRenderer:1",
      "urn:av-openhome-org:service:Volume:4", "\r\n\r\n", "\n", ":",
    ]
  ) { bytes in
    guard let request = SearchRequest(datagram: bytes) else { return }
    try promise((1...SearchRequest.maximumMX).contains(request.mx), "MX \(request.mx)")
    try promise(request.target.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "ST \(request.target)")
    var responder = SearchResponder(now: .uptimeNanoseconds(0))
    var random = SeededRandom(seed: UInt64(bytes.count))
    let searcher = SearchResponder.Searcher(address: .v4(0xc000_0232), port: 4000, interfaceIndex: 2)
    for isUnicast in [false, true] {
      _ = responder.receive(
        request, from: searcher, isUnicast: isUnicast, advertisements: NetworkFixture.advertisements,
        interfaces: NetworkFixture.interfaces, now: .uptimeNanoseconds(0), using: &random)
    }
    let answers = responder.due(now: .uptimeNanoseconds(0) + .seconds(Int64(request.mx)))
    try promise(responder.pendingCount == 0, "answers later than MX")
    for answer in answers {
      let message = SSDPMessage(
        kind: .response(date: 0), advertisement: answer.advertisement, location: answer.location,
        bootID: 1)
      let text = String(decoding: message.encoded(), as: UTF8.self)
      // A search must not get lines of its own making into the answer, nor much more out than it put in.
      try promise(text.split(separator: "\r\n", omittingEmptySubsequences: false).count <= 13, text)
      try promise(text.utf8.count < 1024, "an answer of \(text.utf8.count) bytes")
    }
  }
}
