import CLinux
import Glibc

/// From the command line to an exit code.
@main
struct Main {
  static func main() {
    // A reader of our output that goes away is an error to handle, not a reason to die.
    signal(SIGPIPE, SIG_IGN)
    // GStreamer's threads come and go with every track. With a heap for each, what one of them leaves behind keeps
    // pages that no other uses: 4 MiB more after an evening, and another figure every time.
    clinux_bound_heaps()
    exit(run(arguments).rawValue)
  }

  /// Without the program's own name. Not from `CommandLine`, which reads them from /proc: where that isn't mounted there
  /// would be none, and `vireod --version` a daemon.
  private static var arguments: [String] {
    var list: [String] = []
    while let text = clinux_argument(CInt(list.count + 1)) { list.append(String(cString: text)) }
    return list
  }

  private static func run(_ arguments: [String]) -> ExitCode {
    do {
      let options = try OptionParser.parse(arguments)
      try perform(options)
      return .ok
    } catch let problem as Options.Problem {
      Output.complain("\(problem.message). Try: vireod --help")
      return .usage
    } catch let problems as SettingsProblems {
      for problem in problems.list { Output.complain(problem.description) }
      return .configuration
    } catch let code as ExitCode {
      return code
    } catch {
      Output.complain("\(error)")
      return .software
    }
  }

  private static func perform(_ options: Options) throws {
    let loader = SettingsLoader(path: options.config, name: options.name, logLevel: options.logLevel)
    switch options.mode {
    case .help: try Output.print(Options.help)
    case .version: try Output.print("vireod \(Version.text)\n")
    case .checkConfiguration: try Output.print(SettingsText.effective(try loader.load()))
    case .printDescription(let kind):
      try Output.print(DescriptionCommand.text(kind, options, loaded: try loader.load()))
    case .listOutputs: try Output.print(OutputsCommand.text())
    case .run: try Launch.run(options, loader: loader, loaded: try loader.load())
    }
  }
}
