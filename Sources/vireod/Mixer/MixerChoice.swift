/// How the volume is set (`[audio] mixer`).
enum MixerChoice: Sendable, Equatable {
  /// By scaling the samples.
  case software
  /// Not at all: samples stay unchanged, for an amplifier with its own volume knob.
  case none
  /// By a playback control of a sound card; without `card`, the one that `[audio] output` names.
  case alsa(control: String, card: String?)
  /// By a program from the configuration, which gets the volume as its argument.
  case command(String)

  /// A string that isn't a mixer.
  struct Problem: Error, Sendable, Equatable {
    var message: String
  }

  init(_ text: String) throws(Problem) {
    let (kind, rest) = Self.split(text, at: ":")
    switch (kind, rest) {
    case ("", nil), ("software", nil): self = .software
    case ("none", nil): self = .none
    case ("alsa", let rest?):
      let (control, card) = Self.split(rest, at: "@")
      guard !control.isEmpty, card != "" else {
        throw Problem(message: "needs a control, as in \"alsa:Master\" or \"alsa:Digital@hw:1\"")
      }
      self = .alsa(control: control, card: card)
    case ("command", let path?):
      if let wrong = SettingsChecks.program(path) { throw Problem(message: "command: \(wrong)") }
      self = .command(path)
    case ("alsa", nil): throw Problem(message: "needs a control, as in \"alsa:Master\"")
    default:
      let meant = Suggestion.nearest(to: kind, among: ["software", "none", "alsa", "command"])
      throw Problem(
        message: "\(TOMLText.quoted(text)) isn't a mixer; allowed are software, none, alsa:CONTROL, "
          + "alsa:CONTROL@CARD and command:/PROGRAM" + (meant.map { "; did you mean \"\($0)\"?" } ?? ""))
    }
  }

  /// A description for people.
  var description: String {
    switch self {
    case .software: "in software"
    case .none: "nowhere: it is fixed at full"
    case .alsa(let control, _): "by the sound card (\(control))"
    case .command(let program): "by \(program)"
    }
  }

  /// The name in metrics; one of ``places``.
  var place: String {
    switch self {
    case .software: "samples"
    case .none: "nowhere"
    case .alsa: "card"
    case .command: "program"
    }
  }

  static let places = ["samples", "card", "program", "nowhere"]

  private static func split(_ text: String, at mark: Character) -> (String, String?) {
    guard let index = text.firstIndex(of: mark) else { return (text, nil) }
    return (String(text[..<index]), String(text[text.index(after: index)...]))
  }

  /// The card of an output, as ALSA's mixers name it: `hw:1` for `alsa:plughw:1,0`.
  static func card(of output: String) -> String {
    let (kind, device) = split(output, at: ":")
    guard kind == "alsa", let device else { return "default" }
    let (plugin, parameters) = split(device, at: ":")
    guard ["hw", "plughw", "sysdefault", "front", "dmix"].contains(plugin), let parameters else {
      return "default"
    }
    // "1,0" and "CARD=1,DEV=0" are the same.
    let (first, second) = split(split(parameters, at: ",").0, at: "=")
    return "hw:\(second ?? first)"
  }
}
