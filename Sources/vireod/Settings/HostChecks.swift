import CALSA
import Glibc
import Kept
import Player
import PlayerStore
import Services

/// Finds problems of a valid configuration: what is missing on this host, and values that have no effect.
///
/// The daemon runs nevertheless and logs them; `--check-config` fails.
enum HostChecks {
  /// The number of names in a directory that are considered for a suggestion.
  private static let mostNames = 5000

  /// Checks what the settings refer to. Problems come in the order of the keys.
  static func problems(_ loaded: SettingsLoader.Loaded) -> [SettingsProblem] {
    let settings = loaded.settings
    func problem(_ key: String, _ message: String) -> SettingsProblem { Self.problem(loaded, key, message) }
    var problems: [SettingsProblem] = []
    if let wrong = icon(settings.device.icon) { problems.append(problem("device.icon", wrong)) }
    if settings.sonos.enabled, settings.network.port == ZoneIdentity.port {
      problems.append(
        problem(
          "network.port", "is \(ZoneIdentity.port), which the zone of [sonos] needs; choose another one"))
    }
    if let wrong = period(settings.audio) { problems.append(problem("audio.period", wrong)) }
    if let wrong = mixer(settings.audio.mixer) { problems.append(problem("audio.mixer", wrong)) }
    if !settings.offersUPnPAV, !settings.openHome.enabled {
      problems.append(
        problem(
          "upnp-av.enabled",
          "is false, and so is openhome.enabled, so no control point can find this renderer; set one of them to true"
        ))
    }
    if let wrong = startupSource(settings) { problems.append(problem("openhome.startup-source", wrong)) }
    for hook in Hook.allCases {
      guard let path = settings.hooks.command(of: hook).first, var wrong = program(path) else { continue }
      if let (program, arguments) = arguments(in: path) {
        wrong += ". Arguments are strings of their own: write [\"\(program)\", \"\(arguments)\"]"
      }
      problems.append(problem("hooks.\(hook.rawValue)", wrong))
    }
    return problems + uploadProblems(loaded) + reportProblems(loaded)
  }

  static func problem(_ loaded: SettingsLoader.Loaded, _ key: String, _ message: String)
    -> SettingsProblem
  {
    SettingsProblem(
      file: loaded.file ?? SettingsLoader.defaultPath,
      position: loaded.lines[key].map { TextPosition(line: $0, column: 1) }, key: key, message: message)
  }

  private static func period(_ audio: Settings.Audio) -> String? {
    let most = audio.buffer / 2
    guard audio.buffer > .zero, audio.period > most else { return nil }
    return "is more than half of audio.buffer (\(DurationText.write(audio.buffer))), so that half is used; "
      + "write \(DurationText.write(most)) or less, or make the buffer longer"
  }

  private static func startupSource(_ settings: Settings) -> String? {
    guard settings.openHome.enabled, settings.openHome.startupSource == .upnpAV, !settings.offersUPnPAV else {
      return nil
    }
    let reason =
      settings.upnpAV.enabled ? "compatibility.hide-upnp-av is true" : "upnp-av.enabled is false"
    return "is \"\(SourceKind.upnpAV.rawValue)\", but \(reason), so the last source is used; "
      + "set that to \(settings.upnpAV.enabled ? "false" : "true"), or choose another source"
  }

  /// Checks the files of stations. The daemon itself needs no such check: it says so when it reads them.
  static func listProblems(_ loaded: SettingsLoader.Loaded) -> [SettingsProblem] {
    loaded.settings.radio.playlists.filter { $0.hasPrefix("/") }.compactMap { path in
      guard case .failure(let failure) = FileBytes.read(path, limit: PlaylistDocument.maximumLength) else {
        return nil
      }
      let isMissing = failure.code == ENOENT || failure.code == ENOTDIR
      return problem(
        loaded, "radio.playlists", isMissing ? missing(path) : "\(path) can't be read: \(failure.reason)")
    }
  }

  /// Checks the directory of the saved state.
  static func stateProblems(_ options: Options) -> [SettingsProblem] {
    guard
      let directory = StateDirectory.choose(option: options.stateDirectory, environment: Launch.environment),
      let obstacle = PlayerStore.obstacle(in: directory)
    else { return [] }
    return [
      SettingsProblem(
        file: options.stateDirectory == nil ? "the state's directory" : "--state-dir",
        message: "\(obstacle); nothing can be saved there")
    ]
  }

  private static func icon(_ path: String) -> String? {
    guard !path.isEmpty, case .failure(let failure) = Icons.load(path) else { return nil }
    return "\(failure.code == ENOENT ? missing(path) : "\(path) can't be used: \(failure.reason)"); "
      + "the bird is shown instead; give a PNG of at most 256 KiB"
  }

  /// Checks that the card has the control of an ALSA mixer. The daemon itself needs no such check: it says so when it
  /// sets the volume.
  static func cardProblems(_ loaded: SettingsLoader.Loaded) -> [SettingsProblem] {
    let audio = loaded.settings.audio
    guard case .alsa(let control, let named)? = try? MixerChoice(audio.mixer) else { return [] }
    let card = named ?? MixerChoice.card(of: audio.output)
    var error: Int32 = 0
    if let mixer = calsa_open(card, control, &error) {
      calsa_close(mixer)
      return []
    }
    return [
      problem(
        loaded, "audio.mixer",
        "the volume can't be set with \"\(control)\" of \(card): \(String(cString: calsa_reason(error))); "
          + "amixer -D \(card) scontrols lists the controls, aplay -l the cards")
    ]
  }

  private static func mixer(_ text: String) -> String? {
    guard case .command(let path)? = try? MixerChoice(text), let wrong = program(path) else { return nil }
    guard let (program, arguments) = arguments(in: path) else { return wrong }
    return
      "\(wrong). command: takes a program alone, which gets the volume as its argument: write \"command:\(program)\", "
      + "or have a script of your own add \"\(arguments)\""
  }

  /// What may be a program and its arguments in a path that doesn't exist.
  private static func arguments(in path: String) -> (program: Substring, arguments: Substring)? {
    guard let space = path.firstIndex(of: " "), access(path, F_OK) != 0 else { return nil }
    return (path[..<space], path[path.index(after: space)...])
  }

  /// Describes why `path` can't be run; nil when it can.
  private static func program(_ path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return errno == ENOENT || errno == ENOTDIR
        ? missing(path) : "\(path) can't be run: \(String(cString: strerror(errno)))"
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      return "\(path) is no program, but a directory or the like"
    }
    return access(path, X_OK) == 0 ? nil : "\(path) isn't executable; chmod +x makes it so"
  }

  static func missing(_ path: String) -> String {
    let slash = path.lastIndex(of: "/") ?? path.startIndex
    let (directory, name) = (String(path[..<slash]), String(path[slash...].dropFirst()))
    guard let names = names(in: directory + "/") else { return "there is no directory \(directory)" }
    let meant = Suggestion.nearest(to: name, among: names).map { "; did you mean \(directory)/\($0)?" }
    return "there is no \(path)" + (meant ?? "")
  }

  /// The names in `directory`; nil when it can't be read.
  private static func names(in directory: String) -> [String]? {
    guard let handle = opendir(directory) else { return nil }
    defer { closedir(handle) }
    var names: [String] = []
    while names.count < mostNames, let entry = readdir(handle) {
      // An entry is only as long as its name, so `d_name` can't be read as a whole array.
      guard let offset = MemoryLayout.offset(of: \dirent.d_name) else { break }
      names.append(
        String(cString: (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)))
    }
    return names
  }
}
