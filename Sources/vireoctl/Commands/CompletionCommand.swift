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

  func run() throws {
    let script = Vireoctl.completionScript(for: CompletionShell(rawValue: shell.rawValue) ?? .bash)
    try Output(options).write(script.hasSuffix("\n") ? script : script + "\n")
  }
}
