import GStreamerOutput
import HTTP
import Network
import Player
import Services
import UPnP

/// Checks strings in the configuration. Each check returns what is wrong, or nil.
///
/// An empty string always means "not set".
enum SettingsChecks {
  /// Requires fewer than 64 characters (UPnP Device Architecture, "friendlyName") on one line.
  static func friendlyName(_ text: String) -> String? {
    if isBlank(text) { return "is blank; write a name that people can read, or leave the key out" }
    if text.count >= 64 { return "has \(text.count) characters; allowed are 63" }
    if text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
      return "holds control characters; allowed is one line of text"
    }
    return nil
  }

  /// Whether `text` is not empty but has no visible character.
  private static func isBlank(_ text: String) -> Bool {
    !text.isEmpty
      && text.unicodeScalars.allSatisfy {
        $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint
          || $0.properties.generalCategory == .format || $0 == "\u{2800}"
      }
  }

  /// Checks as ``friendlyName(_:)`` does, and refuses an empty name.
  static func name(_ text: String) -> String? {
    text.isEmpty ? "is empty; control points need something to show" : friendlyName(text)
  }

  /// Checks a UDN, which becomes part of URL paths and of the USN, where colons separate the fields.
  static func uuid(_ text: String) -> String? {
    let value = DeviceIdentity.withoutPrefix(text)
    if text.isEmpty { return nil }
    guard (1...64).contains(value.utf8.count) else {
      return "has \(value.utf8.count) characters after \"uuid:\"; allowed are 1 to 64"
    }
    guard value.utf8.allSatisfy({ isLetterOrDigit($0) || $0 == 0x2d || $0 == 0x5f || $0 == 0x2e }) else {
      return "holds characters that can't stand in a URL path; allowed are letters, digits, -, _ and ."
    }
    return value.utf8.allSatisfy { $0 == 0x2e } ? "must not consist of dots" : nil
  }

  /// Checks the name of a household of zones.
  static func household(_ text: String) -> String? {
    text.isEmpty || ZoneIdentity.isHousehold(text)
      ? nil : "isn't \"\(ZoneIdentity.householdPrefix)\" and 26 letters or digits"
  }

  static func absolutePath(_ text: String) -> String? {
    if text.isEmpty || text.hasPrefix("/") { return nil }
    return "\(TOMLText.quoted(text)) isn't an absolute path; it must begin with /"
  }

  /// Checks the URL of a station.
  static func stationURL(_ text: String) -> String? {
    text.isEmpty ? "is empty; it must be an address, as in \"http://radio.example/stream\"" : webURL(text)
  }

  static func webURL(_ text: String) -> String? {
    if text.isEmpty || isWeb(text) { return nil }
    return "\(TOMLText.quoted(text)) isn't an address; it must begin with http:// or https://"
  }

  /// Checks the path or URL of a station list.
  static func fileOrURL(_ text: String) -> String? {
    if text.hasPrefix("/") || isWeb(text) { return nil }
    return "\(TOMLText.quoted(text)) is neither an absolute path nor an http:// or https:// address"
  }

  private static func isWeb(_ text: String) -> Bool {
    let lowered = text.lowercased()
    return text.utf8.count <= 4096 && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
      && ["http://", "https://"].contains { lowered.hasPrefix($0) && lowered.utf8.count > $0.utf8.count }
  }

  /// Checks the path of a program, which is run without a shell and without PATH.
  static func program(_ text: String) -> String? {
    if text.isEmpty { return "names no program" }
    guard let wrong = absolutePath(text) else { return nil }
    return text.contains(" ")
      ? "\(wrong); no shell reads it: write the program and its arguments as separate texts" : wrong
  }

  /// Refuses NUL, which would end a C argument.
  static func argument(_ text: String) -> String? {
    text.utf8.contains(0) ? "holds a zero byte" : nil
  }

  static func mixer(_ text: String) -> String? {
    do throws(MixerChoice.Problem) {
      _ = try MixerChoice(text)
      return nil
    } catch {
      return error.message
    }
  }

  static func interfaceName(_ text: String) -> String? {
    let fits =
      (1...15).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x2f && $0 != 0x7f }
    return fits
      ? nil : "\(TOMLText.quoted(text)) can't be an interface; names look like \"eth0\" (see ip link)"
  }

  /// Checks a network: `192.0.2.0/24`, `2001:db8::/32`, or a single address.
  static func network(_ text: String) -> String? {
    if IPNetwork(text) != nil { return nil }
    let address = String(text.prefix { $0 != "/" })
    guard let address = IPAddress(address) else {
      return
        "\(TOMLText.quoted(text)) isn't a network; networks look like \"192.0.2.0/24\" or \"2001:db8::/32\""
    }
    return "\(TOMLText.quoted(text)) has a wrong length; allowed is /0 to /\(address.isIPv6 ? 128 : 32)"
  }

  /// Checks an origin (RFC 6454): `http://` or `https://`, a host, and perhaps a port. It becomes part of a header field, where
  /// a space or a semicolon would mean something else.
  static func origin(_ text: String) -> String? {
    let scheme = ["http://", "https://"].first { text.lowercased().hasPrefix($0) }
    if let scheme, let place = Authority(text.dropFirst(scheme.count)), hostName(place.host) == nil,
      !text.hasSuffix(":")
    {
      return nil
    }
    let rest = text.dropFirst(scheme?.count ?? 0).prefix { !"/?# ;,'\"".contains($0) }
    let meant = "\(scheme ?? "http://")\(rest)"
    let isLikely = !rest.isEmpty && meant != text && origin(meant) == nil
    return "\(TOMLText.quoted(text)) isn't an origin; "
      + (isLikely
        ? "did you mean \"\(meant)\"?" : "origins look like \"https://home.example:8123\", without a path")
  }

  static func hostName(_ text: String) -> String? {
    let fits =
      (1...253).contains(text.utf8.count)
      && text.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x2d || $0 == 0x2e || $0 == 0x5f }
    return fits
      ? nil : "\(TOMLText.quoted(text)) isn't a host name; write it without port and without http://"
  }

  /// Checks an HTTP field value (RFC 9110): at most 200 printable ASCII characters.
  static func headerValue(_ text: String) -> String? {
    let fits = text.utf8.count <= 200 && text.utf8.allSatisfy { (0x20...0x7e).contains($0) }
    return fits ? nil : "must be at most 200 printable ASCII characters"
  }

  /// Checks an output as GStreamerOutput does, with a better explanation.
  static func output(_ text: String) -> String? {
    do throws(PlaybackFailure) {
      try GStreamerOutput.check(output: text)
      guard let colon = text.firstIndex(of: ":"), text.index(after: colon) == text.endIndex else {
        return nil
      }
      return "has nothing after \"\(text)\"; write \"\(text[..<colon])\" unless you mean a certain device"
    } catch {
      if text.hasPrefix("file:") { return "needs an absolute path, as in \"file:/srv/sound.wav\"" }
      if text.hasPrefix("pipeline:") { return "has nothing after \"pipeline:\"" }
      let meant = Suggestion.nearest(to: text, among: ["auto", "alsa", "pulse", "pipewire", "null"])
      return "\(TOMLText.quoted(text)) isn't an output; allowed are auto, alsa, alsa:DEVICE, pulse, "
        + "pulse:SINK, pipewire, pipewire:NODE, file:/PATH.wav, null, pipeline:BIN"
        + (meant.map { "; did you mean \"\($0)\"?" } ?? "; --list-outputs shows what this host has")
    }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
  }
}
