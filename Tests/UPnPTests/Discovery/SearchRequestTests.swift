import SeededRandom
import Testing

@testable import UPnP

@Suite struct SearchRequestTests {
  private func read(_ text: String) -> SearchRequest? { SearchRequest(datagram: Array(text.utf8)) }

  private static let renderer = "urn:schemas-upnp-org:device:MediaRenderer:1"

  /// Shaped like what control points in the field send.
  @Test(arguments: [
    // By the book, with the headers of UDA 2.0.
    (
      "M-SEARCH * HTTP/1.1\r\nHOST: 239.255.255.250:1900\r\nMAN: \"ssdp:discover\"\r\nMX: 3\r\nST: \(renderer)\r\n"
        + "USER-AGENT: Linux/6.1 UPnP/2.0 app/1.0\r\nCPFN.UPNP.ORG: Phone\r\n\r\n", renderer, 3
    ),
    // Libraries that write header names in their own way, and another order.
    (
      "M-SEARCH * HTTP/1.1\r\nMx: 2\r\nSt: ssdp:all\r\nMan: \"ssdp:discover\"\r\nUser-Agent: gssdp-discover\r\n"
        + "Host: 239.255.255.250:1900\r\n\r\n", "ssdp:all", 2
    ),
    // Bare line feeds, no empty line, MAN without quotes, no MX, no HOST.
    ("M-SEARCH * HTTP/1.1\nMAN: ssdp:discover\nST: upnp:rootdevice", "upnp:rootdevice", 1),
    // No space behind the colon, much space elsewhere, another version.
    ("M-SEARCH  *  HTTP/1.0 \r\nMAN:\"ssdp:discover\"\r\nMX :\t4 \r\nST:  \tuuid:X \r\n\r\n", "uuid:X", 4),
    // HOST of a unicast search, or simply wrong.
    ("M-SEARCH * HTTP/1.1\r\nHOST: 192.168.1.20:1900\r\nMAN: \"ssdp:discover\"\r\nST: a\r\n\r\n", "a", 1),
    ("M-SEARCH * HTTP/1.1\r\nHOST: \r\nMAN: \"SSDP:Discover\"\r\nST: a\r\n\r\n", "a", 1),
    // Lines that are none.
    ("M-SEARCH * HTTP/1.1\r\nnonsense\r\nMAN: \"ssdp:discover\"\r\nST: a\r\n\r\nST: b", "a", 1),
    // The first of several counts.
    ("M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\nST: a\r\nST: b\r\nMX: 2\r\nMX: 3\r\n\r\n", "a", 2),
  ])
  func reads(text: String, target: String, mx: Int) {
    #expect(read(text) == SearchRequest(target: target, mx: mx))
  }

  @Test func aMissingMANIsNoted() throws {
    let search = try #require(read("M-SEARCH * HTTP/1.1\r\nST: a\r\n\r\n"))
    #expect(search.lacksMAN && search.target == "a")
    #expect(read("M-SEARCH * HTTP/1.1\r\nMAN: ssdp:discover\r\nST: a")?.lacksMAN == false)
  }

  @Test(arguments: [
    ("0", 1), ("1", 1), ("5", 5), ("6", 5), ("120", 5), ("99999999999999999999999", 5), ("-1", 1), ("", 1),
    ("two", 1), ("3.5", 1), ("+3", 1),
  ])
  func bounds(mx: String, seconds: Int) {
    #expect(
      read("M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\nMX: \(mx)\r\nST: ssdp:all\r\n\r\n")?.mx
        == seconds)
  }

  @Test(arguments: [
    "", "\r\n", "\r\n\r\n", "M-SEARCH", "M-SEARCH * HTTP/1.1", "M-SEARCH * HTTP/1.1\r\n\r\n",
    "M-SEARCH / HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\nST: a\r\n\r\n",
    "M-SEARCH * HTTP/2.0\r\nMAN: \"ssdp:discover\"\r\nST: a\r\n\r\n",
    "M-SEARCH *\r\nMAN: \"ssdp:discover\"\r\nST: a\r\n\r\n",
    "m-search * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\nST: a\r\n\r\n",
    "NOTIFY * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\nST: a\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\nST: a\r\nMAN: \"ssdp:discover\"\r\n\r\n",
    "M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:alive\"\r\nST: a\r\n\r\n",
    "M-SEARCH * HTTP/1.1\r\nMAN:\r\nST: a\r\n\r\n",
    "M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\n\r\n",
    "M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\nST:\r\n\r\n",
    "M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\nST: a b\r\n\r\n",
    "M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\nST: ü\r\n\r\n",
    "M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\n\r\nST: behind the end",
  ])
  func ignores(text: String) {
    #expect(read(text) == nil)
  }

  @Test func boundsSizes() {
    let head = "M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\nST: "
    #expect(read(head + String(repeating: "a", count: 256)) != nil)
    #expect(read(head + String(repeating: "a", count: 257)) == nil)
    let long = head + "a\r\nX: "
    #expect(read(long + String(repeating: "y", count: 2048 - long.utf8.count)) != nil)
    #expect(read(long + String(repeating: "y", count: 2049 - long.utf8.count)) == nil)
  }

  @Test func survivesGarbage() {
    var random = SeededRandom(seed: 7)
    let good = Array("M-SEARCH * HTTP/1.1\r\nMAN: \"ssdp:discover\"\r\nMX: 2\r\nST: ssdp:all\r\n\r\n".utf8)
    var accepted = 0
    for _ in 0..<5000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if let search = SearchRequest(datagram: bytes.prefix(Int.random(in: 0...bytes.count, using: &random))) {
        accepted += 1
        #expect((1...5).contains(search.mx) && search.target.utf8.count <= 256)
      }
    }
    #expect(accepted > 0 && accepted < 5000)
  }
}
