/// Numbers with a sign, as in `seek -10`, which look like options.
enum NegativeNumbers {
  /// U+2212, which takes the place of the hyphen while the arguments are parsed.
  static let minus: Character = "\u{2212}"

  /// The arguments, with the hyphens of negative numbers replaced.
  static func protected(_ arguments: [String]) -> [String] {
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    return arguments.enumerated().map { index, argument in
      guard index < end, argument.utf8.first == UInt8(ascii: "-"),
        let digit = argument.utf8.dropFirst().first,
        (0x30...0x39).contains(digit)
      else { return argument }
      return "\(minus)\(argument.dropFirst())"
    }
  }
}
