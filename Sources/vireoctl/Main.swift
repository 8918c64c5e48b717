import ArgumentParser
import Glibc
import NIOCore

/// The program's entry point.
@main
enum Main {
  static func main() {
    StandardDescriptors.open()
    // A write to a closed pipe is an error to handle: subscriptions are ended before the program.
    signal(SIGPIPE, SIG_IGN)
    Interruption.hold()
    let arguments = NegativeNumbers.protected(Array(CommandLine.arguments.dropFirst()))
    let work = Task.detached { exit(await Vireoctl.perform(arguments).rawValue) }
    // This thread has nothing else to do.
    Interruption.wait()
    work.cancel()
    Interruption.wait()
    // Whoever asks twice doesn't want to wait for anything.
    _exit(ExitStatus.interrupted.rawValue)
  }
}

/// The command without a verb.
struct Vireoctl: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "vireoctl",
    abstract: "Finds and controls renderers and media servers (UPnP and OpenHome).",
    discussion: """
      The renderer is the one that -r names: by its name, UDN, address or the URL of its description, or the beginning of its \
      name if that is unique. Otherwise it is $VIREO_RENDERER, the one that "vireoctl use" has set, the one on this machine, \
      or the only one there is.

      Devices that were found less than ten minutes ago aren't looked for again. Of two with one name that may be the wrong \
      one: a UDN or an address, or "vireoctl use", tells them apart.

      Exit status: 0; 1 the renderer refused; 64 usage; 66 no such track, station or object; 68 no such device; \
      69 unreachable; 75 timed out; 76 nonsense from the device; 77 not allowed; 130 interrupted.
      """,
    version: "vireoctl \(Version.text)",
    subcommands: CommandList.all)

  @OptionGroup var options: GlobalOptions

  /// Runs what the arguments say.
  static func perform(_ arguments: [String]) async -> ExitStatus {
    do {
      var command = try parseAsRoot(arguments)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      let mayEnd = (type(of: command) as? any Command.Type)?.endsByInterruption ?? false
      return Task.isCancelled && !mayEnd ? .interrupted : .ok
    } catch let failure as Failure {
      if failure.status != .interrupted { Output.complain(failure) }
      return failure.status
    } catch is CancellationError {
      return .interrupted
    } catch let error as IOError {
      Output.complain(Failure(.software, "\(error)"))
      return .software
    } catch {
      exit(withError: error)
    }
  }
}
