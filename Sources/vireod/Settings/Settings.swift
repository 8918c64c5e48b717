import GStreamerOutput
import Player
import UPnP

/// Everything that can be configured, as plain values.
///
/// The values given here are the defaults; nothing else states them. ``SettingsSchema`` says how each is written.
struct Settings: Sendable, Equatable {
  var device = Device()
  var network = Network()
  var limits = Limits()
  var audio = Audio()
  var playback = Playback()
  var volume = Volume()
  var upnpAV = UPnPAV()
  var openHome = OpenHome()
  var playlist = Playlist()
  var radio = Radio()
  var compatibility = Compatibility()
  var hooks = Hooks()
  var metrics = Metrics()
  var log = Log()

  /// `[device]`: who we are on the network.
  struct Device: Sendable, Equatable {
    /// Empty: made of the room or of the host's name.
    var name = ""
    var room = ""
    /// Without `uuid:`; empty: made of the machine's id.
    var uuid = ""
    /// Path of a PNG; empty: our bird.
    var icon = ""
  }

  /// `[network]`: where we are heard.
  struct Network: Sendable, Equatable {
    /// Names of interfaces; empty: all but loopback.
    var interfaces: [String] = []
    var port = HostConfiguration.defaultPort
    var ipv6 = true
    var ttl = 2
    /// Further networks (CIDR) whose hosts may use the renderer.
    var allow: [String] = []
    /// Further names by which requests may address this host.
    var hostnames: [String] = []
  }

  /// `[limits]`: what strangers can make us spend.
  struct Limits: Sendable, Equatable {
    var connections = HTTPLimits().connections
    var connectionsPerAddress = HTTPLimits().connectionsPerAddress
    var headerBytes = HTTPLimits().headBytes
    var bodyBytes = HTTPLimits().bodyBytes
    var headerTime = Duration.seconds(HTTPLimits().headSeconds)
    var bodyTime = Duration.seconds(HTTPLimits().bodySeconds)
    var idleTime = Duration.seconds(HTTPLimits().keepAliveSeconds)
    var subscriptions = EventLimits().subscriptions
    var subscriptionsPerAddress = EventLimits().subscriptionsPerAddress
    var eventIdleTime = Duration.seconds(EventLimits().keptSeconds)
  }

  /// `[audio]`: where the sound goes.
  struct Audio: Sendable, Equatable {
    var output = OutputConfiguration().output
    /// How long after Stop the sound device is kept.
    var releaseAfter = OutputConfiguration().releaseAfter
    /// Where the volume is made; see ``MixerChoice``.
    var mixer = "software"
  }

  /// `[playback]`: how streams are fetched and played.
  struct Playback: Sendable, Equatable {
    var buffer = OutputConfiguration().buffer
    var timeout = OutputConfiguration().networkTimeout
    /// Empty: `Vireo/VERSION`.
    var userAgent = ""
    var redirects = OutputConfiguration().maximumRedirects
    /// Directories below which `file:` URIs may point.
    var directories: [String] = []
    /// Whether the playlist's current track begins after a restart where it was.
    var resume = PlayerConfiguration().resumesPosition
    var replayGain = OutputConfiguration().replayGain.mode
    /// dB.
    var replayGainPreamp = 0
    var replayGainClippingProtection = OutputConfiguration().replayGain.preventsClipping
  }

  /// `[volume]`
  struct Volume: Sendable, Equatable {
    enum Curve: String, Sendable, CaseIterable { case cubic, linear, db }
    var curve = Curve.cubic
    /// dB between volume 1 and 100 on the `db` curve.
    var range = 60
    /// The loudest volume that control points can set, 0...100.
    var limit = 100
    /// The volume of the very first start, 0...100.
    var initial = 50
    /// The volume at every start and when standby is left, 0...100; nil: the last one.
    var startup: Int?
  }

  /// `[upnp-av]`
  struct UPnPAV: Sendable, Equatable {
    var enabled = true
  }

  /// `[hooks]`: programs with their arguments; empty: none.
  struct Hooks: Sendable, Equatable {
    /// How long each may run.
    var timeout = Duration.seconds(10)
    var play: [String] = []
    var pause: [String] = []
    var stop: [String] = []
    var track: [String] = []
    var volume: [String] = []
    var mute: [String] = []
    var standby: [String] = []
    var error: [String] = []

    func command(of hook: Hook) -> [String] {
      switch hook {
      case .play: play
      case .pause: pause
      case .stop: stop
      case .track: track
      case .volume: volume
      case .mute: mute
      case .standby: standby
      case .error: error
      }
    }
  }

  /// `[metrics]`
  struct Metrics: Sendable, Equatable {
    var enabled = false
  }

  /// `[log]`
  struct Log: Sendable, Equatable {
    var level = LogLevel.info
    /// nil: as `level`.
    var discovery: LogLevel?
    var http: LogLevel?
    var events: LogLevel?
    var player: LogLevel?
    var output: LogLevel?
    var network: LogLevel?
    var daemon: LogLevel?
  }
}

/// How much is logged; each level includes the ones after it.
enum LogLevel: String, Sendable, CaseIterable {
  case trace, debug, info, notice, warning, error
}
