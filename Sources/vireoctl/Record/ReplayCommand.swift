import ArgumentParser
import Glibc

/// Plays a device from a recording.
struct ReplayCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Plays a recorded device for programs on this machine, until Ctrl-C.",
    discussion: "It prints the URL of the device, which other commands take: vireoctl inspect URL")

  static let endsByInterruption = true

  @Argument(help: "A file that \"vireoctl record\" has written.") var file: String
  @Option(help: "The port; any free one if it is left out.") var port = 0
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    guard (0...65535).contains(port) else { throw ValidationError("--port must be 0 to 65535") }
  }

  func perform(_ session: Session) async throws -> Report? {
    let recording = try Self.read(file)
    let server = ReplayServer(session.controlPoint.exchange, port: port)
    let url: String
    do {
      url = try await server.start(recording)
    } catch { throw Failure(.refused, "can't open port \(port): \(error)") }
    let result = Result { try session.output.show(.lines([url], json: .members(["url": .string(url)]))) }
    while case .success = result, !Task.isCancelled { try? await Task.sleep(for: .seconds(3600)) }
    await server.stop()
    try result.get()
    return nil
  }

  static func read(_ path: String) throws -> Recording {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw Failure(.noInput, "can't read \(path): \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    while bytes.count <= Recording.maximumBytes {
      let count = piece.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    guard bytes.count <= Recording.maximumBytes else { throw Failure(.noInput, "\(path) is too long") }
    do throws(Recording.Malformed) {
      return try Recording(text: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw Failure(.noInput, "\(path) isn't a recording: see line \(error.line)")
    }
  }
}
