import CLinux
import Glibc

/// The program's entry point.
@main
struct Main {
  static func main() {
    // A write to a closed pipe is an error to handle, not a reason to be killed.
    signal(SIGPIPE, SIG_IGN)
    // GStreamer's threads come and go with every track. With a heap for each thread, leftovers of one keep pages that
    // no other thread uses: 4 MiB more after an evening, and a different figure every time.
    clinux_limit_heaps()
    exit(run(arguments).rawValue)
  }

  /// The arguments without the program's name. Not from `CommandLine`, which reads them from /proc: without /proc there
  /// would be none, and `vireod --version` would start the daemon.
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
    case .checkConfiguration:
      let loaded = try loader.load()
      try Output.print(SettingsText.effective(loaded))
      let problems =
        HostChecks.problems(loaded) + HostChecks.cardProblems(loaded) + HostChecks.listProblems(loaded)
        + HostChecks.stateProblems(options)
      if !problems.isEmpty { throw SettingsProblems(list: problems) }
    case .printDescription(let kind):
      try Output.print(DescriptionCommand.text(kind, options, loaded: try loader.load()))
    case .listOutputs: try Output.print(OutputsCommand.text())
    case .run: try Launch.run(options, loader: loader, loaded: try loader.load())
    }
  }
}
