import Page
import Text

/// The contents of the status page at one moment.
struct StatusSnapshot: Sendable, Equatable {
  var name = ""
  var room = ""
  var version = Version.number
  /// The address at which the page was requested: `192.0.2.7:49494`.
  var address = ""
  var uptime = Duration.zero
  /// "playing", "paused", "stopped", "loading", …
  var state = ""
  var title = ""
  var artist = ""
  var album = ""
  /// The name of the active source.
  var input = ""
  /// The number of tracks in OpenHome's playlist; nil without OpenHome.
  var playlistCount: Int?
  /// The stream's URI, without secrets.
  var source = ""
  /// `FLAC, 44.1 kHz, 16 bit, 2 channels`
  var format = ""
  /// The format that the sound device gets: `alsa:hw:0: S16LE, 44.1 kHz, 2 channels`.
  var device = ""
  /// Whether playback is bit-perfect, or why not.
  var bitPerfect = ""
  /// How the volume is set.
  var mixer = ""
  var position: Duration?
  var duration: Duration?
  /// 0...100
  var volume: Int?
  var isMuted = false
  /// Why nothing plays, in plain words.
  var problem = ""
  var subscribers = 0
  /// The type with its version, and the UDN, of each device.
  var devices: [Device] = []

  struct Device: Sendable, Equatable {
    var name: String
    var udn: String
  }
}

/// The page at `/status`: plain HTML without scripts or external resources.
enum StatusPage {
  /// Allows only the style sheet in the page.
  static let contentSecurityPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

  static func html(_ snapshot: StatusSnapshot) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(contentSecurityPolicy)">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(escaped(snapshot.name))</title>
    <style>\(style)</style>
    </head>
    <body>
    <main>
    <h1>\(escaped(snapshot.name))</h1>
    <p class="state">\(escaped(snapshot.state))\(snapshot.isMuted ? ", muted" : "")</p>
    \(playing(snapshot))<dl>
    \(rows(snapshot))</dl>
    <p class="foot">Vireo \(escaped(snapshot.version)). Reload the page to see what has changed.</p>
    </main>
    </body>
    </html>

    """
  }

  private static let style =
    "body{font:1rem/1.5 system-ui,sans-serif;margin:0;background:#f4f5ef;color:#23281c}"
    + "main{max-width:34rem;margin:0 auto;padding:1.5rem}h1{margin:0;font-size:1.6rem;overflow-wrap:anywhere}"
    + ".state{margin:.2rem 0 1rem;color:#5c6b32;font-weight:600}.title{font-size:1.2rem;margin:0}"
    + ".by,.foot{margin:0;color:#5b6152}.foot{margin-top:1.5rem;font-size:.85rem}.bad{color:#a3231c}"
    + "dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{color:#5b6152}"
    + "dd{margin:0;overflow-wrap:anywhere}"
    + "@media(prefers-color-scheme:dark){body{background:#1b1e17;color:#e6e8df}dt,.by,.foot{color:#a5ab98}"
    + ".state{color:#b3c77a}.bad{color:#ff8a80}}"

  private static func playing(_ snapshot: StatusSnapshot) -> String {
    var text = ""
    if !snapshot.title.isEmpty { text += "<p class=\"title\">\(escaped(snapshot.title))</p>\n" }
    let by = [snapshot.artist, snapshot.album].filter { !$0.isEmpty }.joined(separator: " \u{2013} ")
    if !by.isEmpty { text += "<p class=\"by\">\(escaped(by))</p>\n" }
    if !snapshot.problem.isEmpty { text += "<p class=\"bad\">\(escaped(snapshot.problem))</p>\n" }
    return text
  }

  private static func rows(_ snapshot: StatusSnapshot) -> String {
    var rows: [(String, String)] = []
    if let position = snapshot.position {
      rows.append(("Position", clock(position) + (snapshot.duration.map { " of \(clock($0))" } ?? "")))
    }
    rows.append(("Source", snapshot.input))
    rows.append(("Playlist", snapshot.playlistCount.map { counted($0, "track") } ?? ""))
    rows.append(("Volume", snapshot.volume.map(String.init) ?? ""))
    rows.append(("Volume applied", snapshot.mixer))
    rows.append(("Format", snapshot.format))
    rows.append(("Sound device", snapshot.device))
    rows.append(("Bit-perfect", snapshot.bitPerfect))
    rows.append(("From", snapshot.source))
    rows.append(("Room", snapshot.room))
    rows.append(("Address", snapshot.address))
    rows.append(("Running for", span(snapshot.uptime)))
    rows.append(("Subscribers", String(snapshot.subscribers)))
    for device in snapshot.devices { rows.append((device.name, "uuid:\(device.udn)")) }
    return rows.filter { !$0.1.isEmpty }
      .map { "<dt>\(escaped($0.0))</dt><dd>\(escaped($0.1))</dd>\n" }.joined()
  }

  /// Formats a position in a track: `1:02:03`.
  static func clock(_ duration: Duration) -> String {
    let seconds = max(0, duration.components.seconds)
    let tail = pad(seconds / 60 % 60) + ":" + pad(seconds % 60)
    return seconds >= 3600 ? "\(seconds / 3600):\(tail)" : tail
  }

  /// Formats an uptime: `3 days 4 h`, `12 min`.
  static func span(_ duration: Duration) -> String {
    let minutes = max(0, duration.components.seconds) / 60
    let (days, hours) = (minutes / 1440, minutes / 60 % 24)
    if days > 0 { return "\(counted(days, "day")) \(hours) h" }
    return hours > 0 ? "\(hours) h \(minutes % 60) min" : "\(minutes) min"
  }

  private static func pad(_ number: Int64) -> String {
    number < 10 ? "0\(number)" : String(number)
  }

  /// Escapes `text` for HTML text and quoted attributes; its end is left out if it is very long.
  static func escaped(_ text: String) -> String {
    HTMLText.escaped(String(String.UnicodeScalarView(text.unicodeScalars.prefix(2000))))
  }
}
