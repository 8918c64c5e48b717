import ControlPoint
import Network
import Renderers

/// Local files that are played: serves them for as long as the renderer plays them.
struct LocalFiles: Sendable {
  private let server: FileServer
  let renderer: Renderer
  /// The files as objects that a renderer can be given.
  let objects: [MediaObject]

  /// Starts to serve.
  ///
  /// - Throws: ``Failure`` for a file that can't be read, and when no way leads to the renderer.
  static func serve(_ paths: [String], to renderer: Renderer) async throws -> LocalFiles {
    // A renderer can rarely use an address that is valid on one link only.
    let locations = renderer.devices.flatMap(\.locations).map(\.address).sorted {
      rank($0.address) < rank($1.address)
    }
    guard let location = locations.first else {
      throw Failure(.unreachable, "\(renderer.name) can't be reached")
    }
    var files: [ServedFile] = []
    do throws(ServedFile.Problem) {
      for path in paths { files.append(try ServedFile.open(path)) }
    } catch {
      for file in files { file.close() }
      throw Failure(.noInput, "\(error)")
    }
    let server: FileServer
    do {
      server = try await FileServer.start(
        files, to: locations.map(\.address), interface: location.interface,
        on: renderer.session.controlPoint.exchange.eventLoop)
    } catch {
      for file in files { file.close() }
      throw Failure(.unreachable, "can't serve files to \(renderer.name): \(error)")
    }
    let objects = files.compactMap { file in server.address(of: file).map { file.object(address: $0) } }
    renderer.session.output.note(
      "serving \(files.map(\.name).joined(separator: ", ")) at \(server.base) to \(location.address) alone, for as long as it plays; Ctrl-C ends it"
    )
    return LocalFiles(server: server, renderer: renderer, objects: objects)
  }

  private static func rank(_ address: IPAddress) -> Int { address.isIPv6 ? address.isLinkLocal ? 2 : 1 : 0 }

  /// True for the address of one of the files.
  func isOwn(_ address: String) -> Bool { server.isOwn(address) }

  /// True if the renderer is at one of the files.
  func isOwn(_ status: PlayerStatus) -> Bool {
    [status.uri, status.givenURI].contains { $0.map(isOwn) ?? false }
  }

  /// True when the renderer has read something of one of the files.
  var isRead: Bool { server.isRead }

  func stop() async { await server.stop() }
}
