/// Parses GNU-style options: `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-nVALUE`, `--`. An optional value must be
/// part of the same argument.
///
/// Not swift-argument-parser, which would link FoundationEssentials: 2.6 MB of resident memory in a daemon that must be
/// small. Not glibc's getopt_long either, which isn't visible to Swift and keeps its state in globals.
enum OptionParser {
  /// Parses `arguments`, without the program's name.
  static func parse(_ arguments: [String]) throws(Options.Problem) -> Options {
    var options = Options()
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        if let extra = rest.first { throw unexpected(extra) }
        break
      }
      let (definition, inline) = try find(argument)
      var value = inline
      if let placeholder = definition.value {
        value = inline ?? (definition.isValueOptional ? nil : rest.popFirst())
        if value == nil, !definition.isValueOptional {
          throw Options.Problem(message: "--\(definition.name) needs a value (\(placeholder))")
        }
        if value == "" { throw Options.Problem(message: "--\(definition.name) is empty") }
      } else if inline != nil {
        throw Options.Problem(message: "--\(definition.name) takes no value")
      }
      if let wrong = options.apply(definition, value ?? "") {
        throw Options.Problem(message: "--\(definition.name): \(wrong)")
      }
    }
    return options
  }

  /// Returns the option that `argument` names, and the value in the same argument.
  private static func find(
    _ argument: String
  ) throws(Options.Problem) -> (definition: Options.Definition, inline: String?) {
    if argument.hasPrefix("--") {
      let parts = argument.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if let definition = Options.definitions.first(where: { $0.name == name }) {
        return (definition, parts.count > 1 ? String(parts[1]) : nil)
      }
      let meant = Suggestion.nearest(to: name, among: Options.definitions.map(\.name))
      throw Options.Problem(
        message: "there is no option --\(name)" + (meant.map { "; did you mean --\($0)?" } ?? ""))
    }
    guard argument.hasPrefix("-"), argument.count > 1 else { throw unexpected(argument) }
    let short = argument[argument.index(after: argument.startIndex)]
    guard let definition = Options.definitions.first(where: { $0.short == short }) else {
      throw Options.Problem(message: "there is no option -\(short)")
    }
    let inline = argument.dropFirst(2)
    return (definition, inline.isEmpty ? nil : String(inline))
  }

  private static func unexpected(_ argument: String) -> Options.Problem {
    Options.Problem(message: "\"\(argument)\" isn't an option")
  }
}
