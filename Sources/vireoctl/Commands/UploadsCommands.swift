import ArgumentParser
import ControlPoint
import Renderers
import Text
import Uploads

struct UploadsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "uploads", abstract: "Lists, sends and deletes songs that a Vireo keeps.",
    discussion: """
      Whether a Vireo takes songs, and how many, is in its configuration, [uploads]. Unlike play FILE, nothing of them has to stay \
      here: the speaker has its own copy.
      """,
    subcommands: [UploadsListCommand.self, UploadsAddCommand.self, UploadsRemoveCommand.self],
    defaultSubcommand: UploadsListCommand.self)
  @OptionGroup var options: GlobalOptions
}

struct UploadsListCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the songs that are kept, the last that came first.")
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    return UploadsView.report(
      try await renderer.control { remote throws(RendererFailure) in try await remote.uploadedSongs() })
  }
}

struct UploadsAddCommand: Command {
  enum How: String, Sendable, CaseIterable, ExpressibleByArgument {
    case now, next, end, replace, keep
  }

  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Sends audio files, in this order.")
  @Argument(help: "The files.", completion: .file()) var files: [String]
  @Option(help: "now, next, end, replace: where they join the queue; keep: nowhere.") var how = How.end
  @OptionGroup var options: GlobalOptions

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    var random = SystemRandomNumberGenerator()
    let batch = UploadedSong.newKey(using: &random)
    var keys: [JSON] = []
    for (place, path) in files.enumerated() {
      let file: ServedFile
      do { file = try ServedFile.open(path) } catch { throw Failure(.noInput, "\(error)") }
      defer { file.close() }
      let query =
        "name=\(PercentEscapes.encoded(UploadedSong.name(file.name)))&how=\(how.rawValue)&batch=\(batch)&place=\(min(place, 9999))"
      let address = try await renderer.control { remote throws(RendererFailure) in
        try remote.uploadAddress(query)
      }
      let answer: UploadAnswer?
      do { answer = try await UploadSender.send(file, to: address) } catch {
        throw Failure(.unreachable, "\(renderer.name) can't be reached: \(error)")
      }
      switch answer {
      case nil: throw Failure(.unreachable, "\(path): \(renderer.name) has ended the connection")
      case .refused(let reason)?: throw Failure(.refused, "\(path): \(reason)")
      case .taken(let key, let state, let detail)?:
        keys.append(.string(key))
        session.output.note("\(path): \(detail ?? state)")
      }
    }
    return renderer.done(["keys": .array(keys)])
  }
}

struct UploadsRemoveCommand: Command {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Deletes songs that aren't in the queue.")
  @Argument(help: "Their keys, as list shows them.") var keys: [String] = []
  @Flag(help: "Delete all that aren't in the queue.") var unused = false
  @OptionGroup var options: GlobalOptions

  func validate() throws {
    guard keys.isEmpty == unused else { throw ValidationError("name the keys of songs, or say --unused") }
    guard keys.allSatisfy({ UploadedSong.isKey($0) }) else {
      throw ValidationError("a key has 32 digits and letters, as uploads list shows it")
    }
  }

  func perform(_ session: Session) async throws -> Report? {
    let renderer = try await DeviceFinder(session).renderer()
    try await renderer.control { [keys, unused] remote throws(RendererFailure) in
      if unused { try await remote.removeUnusedUploads() }
      for key in keys { try await remote.removeUpload(key) }
    }
    return renderer.done()
  }
}
