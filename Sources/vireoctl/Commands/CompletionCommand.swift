import ArgumentParser

struct CompletionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completion", abstract: "Prints the completions for a shell: bash, zsh or fish.",
    discussion: "For example: vireoctl completion bash > ~/.local/share/bash-completion/completions/vireoctl")

  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash, zsh, fish
  }

  @Argument(help: "bash, zsh or fish.") var shell: Shell
  @OptionGroup var options: GlobalOptions

  func run() throws { try Output(options).write(Self.script(shell)) }

  /// Without the first line of a program: shells read it, and don't run it.
  static func script(_ shell: Shell) -> String {
    var script = Vireoctl.completionScript(for: CompletionShell(rawValue: shell.rawValue) ?? .bash)[...]
    if script.hasPrefix("#!") { script = script.drop { $0 != "\n" }.drop { $0 == "\n" } }
    return script.hasSuffix("\n") ? String(script) : script + "\n"
  }
}
