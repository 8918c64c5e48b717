import NIOCore
import NIOPosix
import Testing

@testable import HTTP
@testable import Network
@testable import Page
@testable import Player

/// Which pictures may be asked for, where from, and what counts as one.
@Suite struct PictureTests {
  // MARK: - Keys

  @Test func aKeyLeadsBackToItsAddress() throws {
    let keys = PictureKeys()
    let path = try #require(keys.address(of: "http://192.0.2.1/a.jpg"))
    #expect(path.hasPrefix("/art/"))
    #expect(path.dropFirst(5).count == 32)
    let digits = path.dropFirst(5).filter { $0.isHexDigit }
    #expect(digits.count == 32)
    #expect(keys.address(of: "http://192.0.2.1/a.jpg") == path)
    #expect(keys.address(of: "http://192.0.2.1/b.jpg") != path)
    #expect(keys.address(behind: String(path.dropFirst(5))) == "http://192.0.2.1/a.jpg")
  }

  /// Nobody can make a key: it depends on a secret of the run.
  @Test func anotherRunHasOtherKeys() throws {
    let (one, other) = (PictureKeys(), PictureKeys())
    let path = try #require(one.address(of: "http://192.0.2.1/a.jpg"))
    #expect(other.address(of: "http://192.0.2.1/a.jpg") != path)
    #expect(other.address(behind: String(path.dropFirst(5))) == nil)
  }

  @Test func onlySoManyAreRemembered() throws {
    let keys = PictureKeys()
    let first = try #require(keys.address(of: "http://192.0.2.1/first")).dropFirst(5)
    let kept = try #require(keys.address(of: "http://192.0.2.1/kept")).dropFirst(5)
    for number in 0..<PictureKeys.remembered * 3 {
      _ = keys.address(of: "http://192.0.2.1/\(number)")
      // What is asked for stays.
      if number % 500 == 0 { #expect(keys.address(behind: String(kept)) != nil) }
    }
    #expect(keys.address(behind: String(first)) == nil)
    #expect(keys.address(behind: String(kept)) != nil)
  }

  /// The picture inside the file that plays has a key as long as the player has the picture.
  @Test func aPictureInsideAFileGoesWithItsTrack() throws {
    let keys = PictureKeys()
    let bytes = [UInt8]([0xff, 0xd8, 0xff]) + [UInt8](repeating: 7, count: 20)
    var picture: EmbeddedPicture? = EmbeddedPicture(bytes)
    let path = try #require(picture.flatMap { keys.address(of: $0) })
    let key = String(path.dropFirst(5))
    #expect(key.count == 32)
    #expect(keys.address(of: EmbeddedPicture(bytes)) == path, "one for the browser")
    #expect(picture.flatMap { keys.address(of: $0) } == path)
    #expect(keys.embedded(behind: key)?.body == ByteBuffer(bytes: bytes))
    #expect(keys.embedded(behind: key)?.contentType == "image/jpeg")
    #expect(keys.embedded(behind: "0") == nil && keys.embedded(behind: "") == nil)
    picture = nil
    #expect(keys.embedded(behind: key) == nil)
  }

  @Test(arguments: ["<svg xmlns='http://www.w3.org/2000/svg'/>", "GIF89a", "<!DOCTYPE html><script>"])
  func nothingElseInsideAFileIsShown(_ text: String) {
    let keys = PictureKeys()
    let picture = EmbeddedPicture(Array(text.utf8))
    #expect(keys.address(of: picture) == nil)
    #expect(keys.embedded(behind: "") == nil)
  }

  /// What is shown stays, though nobody asks for it and thousands of others are browsed.
  @Test func whatIsShownIsNotForgotten() throws {
    let keys = PictureKeys()
    let logo = try #require(keys.address(of: "http://192.0.2.1/logo"))
    let cover = try #require(keys.address(of: "http://192.0.2.1/cover"))
    keys.keep([logo], for: .radio)
    keys.keep([cover], for: .player)
    func browse(_ folder: String) {
      for number in 0..<PictureKeys.remembered * 3 {
        _ = keys.address(of: "http://192.0.2.1/\(folder)/\(number)")
      }
    }
    browse("a")
    #expect(keys.address(behind: String(logo.dropFirst(5))) == "http://192.0.2.1/logo")
    #expect(keys.address(behind: String(cover.dropFirst(5))) == "http://192.0.2.1/cover")
    keys.keep([], for: .player)
    browse("b")
    browse("c")
    #expect(keys.address(behind: String(cover.dropFirst(5))) == nil)
    #expect(keys.address(behind: String(logo.dropFirst(5))) != nil)
  }

  @Test(arguments: [
    "", "a.jpg", "/a.jpg", "ftp://192.0.2.1/a.jpg", "file:///etc/passwd", "data:image/png;base64,AA",
    "javascript:alert(1)", "http://user:word@192.0.2.1/a.jpg", "http:///a.jpg", "http://192.0.2.1:0/a",
    "http://192.0.2.1:99999/a", "http://a b/c", "http://192.0.2.1/a\r\nX: y", "http://h\u{e4}st/a",
    "http://[fe80::1%25eth0/a",
  ])
  func whatIsNoAddressOfAPictureHasNoKey(address: String) {
    #expect(PictureKeys().address(of: address) == nil)
  }

  @Test func aVeryLongAddressHasNoKey() {
    #expect(PictureKeys().address(of: "http://192.0.2.1/" + String(repeating: "a", count: 2048)) == nil)
  }

  // MARK: - Addresses

  @Test func anAddressIsTakenApart() throws {
    let url = try #require(PictureURL("HTTP://Example.ORG:8080/a b?c=d#e"))
    #expect(url == PictureURL("http://example.org:8080/a%20b?c=d"))
    #expect(url.authority == "example.org:8080")
    #expect(url.target == "/a%20b?c=d")
    #expect(!url.isSecure)
    let secure = try #require(PictureURL("https://[2001:db8::1]?x"))
    #expect(secure.text == "https://[2001:db8::1]/?x")
    #expect(secure.port == 443)
    #expect(secure.literal == IPAddress("2001:db8::1"))
  }

  @Test(arguments: [
    ("https://other.example/x", "https://other.example/x"), ("/x?y", "http://a.example/x?y"),
    ("x.png", "http://a.example/b/x.png"), ("//c.example/x", "http://c.example/x"),
  ])
  func aRedirectIsFollowed(location: String, to expected: String) throws {
    let url = try #require(PictureURL("http://a.example/b/c.jpg?d=/e"))
    #expect(url.redirected(to: location)?.text == expected)
  }

  @Test(arguments: ["", "ftp://x/y", "file:///etc/passwd", "http://user@x/"])
  func aRedirectToSomethingElseIsNot(location: String) throws {
    let url = try #require(PictureURL("http://a.example/b/c.jpg"))
    #expect(url.redirected(to: location) == nil)
  }

  // MARK: - Reach

  private static let reach = {
    var reach = PictureReach()
    reach.port = 49494
    reach.interfaces = [
      NetworkInterface(
        index: 2, name: "eth0",
        addresses: [
          InterfaceAddress(address: .v4(0xc000_0207), prefixLength: 24),
          InterfaceAddress(address: .v4(0xa9fe_0101), prefixLength: 16),
        ], isRunning: true, isLoopback: false)
    ]
    return reach
  }()

  @Test(arguments: ["192.0.2.1", "198.51.100.1", "2001:db8::1", "169.254.9.9"])
  func othersMayBeAsked(address: String) throws {
    #expect(Self.reach.allows(try #require(IPAddress(address)), port: 80))
  }

  @Test(arguments: [
    "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::", "224.0.0.1", "239.255.255.250",
    "ff02::1", "255.255.255.255", "fe80::1",
  ])
  func thisHostAndAllAtOnceMayNot(address: String) throws {
    #expect(!Self.reach.allows(try #require(IPAddress(address)), port: 80))
  }

  @Test func ourOwnServerMayNot() throws {
    let own = try #require(IPAddress("192.0.2.7"))
    var reach = Self.reach
    reach.servers = [8200, 49494]
    #expect(!reach.allows(own, port: 49494))
    #expect(!reach.allows(try #require(IPAddress("127.0.0.1")), port: 49494))
    #expect(!reach.mayBeServer(own, port: 49494))
    #expect(!reach.allows(try #require(IPAddress("::ffff:192.0.2.7")), port: 49494))
  }

  /// Whoever queues a track names the place: it may be a media server here, and nothing else of this host.
  @Test(arguments: ["192.0.2.7", "::ffff:192.0.2.7", "127.0.0.1", "::1", "169.254.1.1"])
  func onlyMediaServersOfThisHostMayBeAsked(text: String) throws {
    let own = try #require(IPAddress(text))
    var reach = Self.reach
    #expect(!reach.allows(own, port: 8200))
    #expect(reach.mayBeServer(own, port: 8200))
    reach.servers = [8200]
    #expect(reach.allows(own, port: 8200))
    #expect(!reach.allows(own, port: 631))
    #expect(!reach.mayBeServer(try #require(IPAddress("192.0.2.1")), port: 8200))
  }

  /// Also by an address that isn't served, as that of a bridge for containers.
  @Test func everyAddressOfThisHostIsKnown() throws {
    #expect(OwnHost.has(try #require(IPAddress("127.0.0.1"))))
    #expect(OwnHost.has(try #require(IPAddress("::ffff:127.0.0.1"))))
    #expect(!OwnHost.has(try #require(IPAddress("192.0.2.1"))))
    #expect(!OwnHost.has(try #require(IPAddress("2001:db8::1"))))
    // Which ones there are is for the machine to say.
    for device in try System.enumerateDevices() {
      guard let address = device.address.flatMap(IPAddress.init), !address.isLinkLocal else { continue }
      #expect(OwnHost.has(address), "\(address)")
    }
  }

  /// Where clouds keep what a machine may know of itself.
  @Test func anotherLinkMayNot() throws {
    var reach = Self.reach
    reach.interfaces[0].addresses.removeLast()
    #expect(!reach.allows(try #require(IPAddress("169.254.169.254")), port: 80))
  }

  // MARK: - Types

  static let jpeg: [UInt8] = [0xff, 0xd8, 0xff, 0xe0] + Array(repeating: 0, count: 20)

  @Test func theFirstBytesSayWhatItIs() {
    let tail = Array(repeating: UInt8(0), count: 16)
    let cases: [([UInt8], String?)] = [
      (Self.jpeg, "image/jpeg"), ([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + tail, "image/png"),
      (Array("GIF89a".utf8) + tail, "image/gif"), (Array("RIFF1234WEBP".utf8) + tail, "image/webp"),
      (Array("RIFF1234WAVE".utf8) + tail, nil), (Array("<svg xmlns='http://www.w3.org/2000/svg'>".utf8), nil),
      (Array("<!DOCTYPE html><script>".utf8), nil), ([0xff, 0xd8, 0xff], nil), ([], nil), (tail, nil),
    ]
    for (bytes, type) in cases { #expect(Picture(ByteBuffer(bytes: bytes))?.contentType == type) }
  }
}
