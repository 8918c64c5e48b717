import ControlPoint
import Glibc
import Network
import Renderers

/// What a user wants to be played.
enum What: Sendable, Hashable {
  /// An address that the renderer reaches.
  case address(String)
  /// A line of the last listing.
  case line(Int)
  /// `SERVER/PATH` or `SERVER:ID`.
  case place(String)
  /// A file of this machine.
  case file(String)

  /// - Parameter isFile: whether there is a file of that name.
  init(_ text: String, isFile: (String) -> Bool) {
    if text.lowercased().hasPrefix("file:///") {
      self = .file(PercentEncoding.decoded(text.dropFirst(7)))
    } else if PlayWhat.isAddress(text) {
      self = .address(text)
    } else if (1...6).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = Int(text)
    {
      self = .line(number)
    } else if ["/", "./", "../", "~/"].contains(where: { text.hasPrefix($0) }) || isFile(text) {
      self = .file(text)
    } else {
      self = .place(text)
    }
  }
}

/// Finds what is to be played.
struct PlayWhat: Sendable {
  let session: Session

  init(_ session: Session) { self.session = session }

  /// True for an absolute address: a scheme, and what comes after it.
  static func isAddress(_ text: String) -> Bool {
    guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return false }
    let scheme = text[..<colon].utf8
    return (2...10).contains(scheme.count)
      && scheme.allSatisfy { (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0) }
      && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
  }

  static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// The files of this machine among them.
  func files(_ words: [String]) -> [String] {
    words.compactMap { word in
      guard case .file(let path) = What(word, isFile: Self.isFile) else { return nil }
      return path
    }
  }

  /// The object of a media server that is meant; nil where it is none.
  func object(_ what: What) async throws -> (server: MediaServer, object: MediaObject)? {
    switch what {
    case .line(let number):
      guard let line = LastListing.read()[number] else {
        throw Failure(.noInput, "the last browse or search has no line \(number)")
      }
      let server = try MediaServer(
        try await DeviceFinder(session).device(
          line.serverUDN, of: DeviceFinder.servers, noun: "media server"), session)
      return (server, try await server.object(line))
    case .place(let text):
      let (server, place) = try await DeviceFinder(session).place(text)
      return (server, try await server.object(at: place))
    case .address, .file: return nil
    }
  }

  /// The tracks of all of them.
  ///
  /// - Parameter served: the files of this machine that are served, by their paths.
  func tracks(_ words: [String], served: [String: MediaObject] = [:]) async throws -> [Playable] {
    var tracks: [Playable] = []
    for word in words {
      switch What(word, isFile: Self.isFile) {
      case .address(let address): tracks.append(Playable(object: MediaObject(address: address)))
      case .line, .place:
        guard let (server, object) = try await object(What(word, isFile: Self.isFile)) else { continue }
        tracks += try await server.playables(object)
      case .file(let path):
        guard let object = served[path] else {
          throw Failure(
            .noInput, "\(path) is a file of this machine: \"vireoctl play\" serves it for as long as it plays"
          )
        }
        tracks.append(Playable(object: object))
      }
    }
    guard !tracks.isEmpty else { throw Failure(.noInput, "there is nothing to play in it") }
    return tracks
  }

  /// The same for a Vireo, which asks media servers itself.
  func items(_ words: [String]) async throws -> [VireoTracks.Item] {
    var items: [VireoTracks.Item] = []
    for word in words {
      switch What(word, isFile: Self.isFile) {
      case .address(let address): items.append(.address(address))
      case .line(let number):
        guard let line = LastListing.read()[number] else {
          throw Failure(.noInput, "the last browse or search has no line \(number)")
        }
        items.append(.object(line.id, server: line.serverUDN))
      case .place(let text):
        let (server, place) = try await DeviceFinder(session).place(text)
        items.append(.object(try await server.object(at: place).id, server: server.device.udn))
      case .file(let path):
        throw Failure(.noInput, "\(path) is a file of this machine, which the speaker can't keep")
      }
    }
    return items
  }
}
