import HTTP
import Network

/// An SSDP message to send (UPnP Device Architecture, "Discovery": "NOTIFY", "M-SEARCH response").
struct SSDPMessage: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case alive, byebye
    case update(nextBootID: Int)
    /// A response to a search; `date` is the wall clock in seconds since 1970.
    case response(date: Int)
  }

  /// Values shared by all messages about one root device.
  struct Constants: Sendable, Hashable {
    /// Where the description is.
    var httpPort: Int
    var descriptionPath: String
    /// Seconds that an announcement is valid.
    var maxAge: Int
    /// The SERVER header, for example `Linux/6.1 UPnP/1.1 Product/1.0`.
    var server: String
    var configID: Int
    /// The device's further fields, as lines.
    var furtherLines = ""
    /// The longest time until a search is answered, whatever its MX says; nil for MX.
    var answersWithin: Duration?
    /// Also answers searches that lack MAN.
    var answersWithoutMAN = false
    /// Only for IPv4.
    var isIPv4Only = false
    /// Announcements name their target as ST too.
    var announcesSearchTarget = false
  }

  var kind: Kind
  var advertisement: Advertisement
  /// The host in LOCATION.
  var location: IPAddress
  /// nil in responses.
  var group: SSDPGroup?
  var bootID: Int
  /// The port for unicast searches, if it isn't 1900.
  var searchPort: Int?

  func encoded() -> [UInt8] {
    let constants = advertisement.constants
    var text = ""
    text.reserveCapacity(512)
    func line(_ name: String, _ value: String) { text += "\(name): \(value)\r\n" }
    let target = advertisement.target
    let url = "http://\(location.urlHost):\(constants.httpPort)\(constants.descriptionPath)"

    text += isResponse ? "HTTP/1.1 200 OK\r\n" : "NOTIFY * HTTP/1.1\r\n"
    if let group, !isResponse { line("HOST", group.host) }
    switch kind {
    case .alive:
      line("CACHE-CONTROL", "max-age=\(constants.maxAge)")
      line("LOCATION", url)
      line("NT", target)
      line("NTS", "ssdp:alive")
      line("SERVER", constants.server)
      if constants.announcesSearchTarget { line("ST", target) }
    case .byebye:
      line("NT", target)
      line("NTS", "ssdp:byebye")
      if constants.announcesSearchTarget { line("ST", target) }
    case .update:
      line("LOCATION", url)
      line("NT", target)
      line("NTS", "ssdp:update")
    case .response(let date):
      line("CACHE-CONTROL", "max-age=\(constants.maxAge)")
      line("DATE", HTTPDate.text(secondsSince1970: date))
      text += "EXT:\r\n"
      line("LOCATION", url)
      line("SERVER", constants.server)
      line("ST", target)
    }
    line("USN", advertisement.usn)
    if kind != .byebye { text += constants.furtherLines }
    line("BOOTID.UPNP.ORG", "\(bootID)")
    line("CONFIGID.UPNP.ORG", "\(constants.configID)")
    if case .update(let nextBootID) = kind { line("NEXTBOOTID.UPNP.ORG", "\(nextBootID)") }
    if let searchPort, kind != .byebye { line("SEARCHPORT.UPNP.ORG", "\(searchPort)") }
    text += "\r\n"
    return Array(text.utf8)
  }

  private var isResponse: Bool {
    if case .response = kind { true } else { false }
  }
}
