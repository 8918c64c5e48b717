import GStreamerOutput
import HTTP
import Page
import Player
import UPnP

/// All settings as plain values.
///
/// The values here are the only statement of the defaults. ``SettingsSchema`` defines how each is written.
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
  var rooms = Rooms()
  var compatibility = Compatibility()
  var hooks = Hooks()
  var page = Page()
  var party = Party()
  var uploads = Uploads()
  var reports = Reports()
  var sonos = Sonos()
  var metrics = Metrics()
  var log = Log()

  /// `[device]`: identity on the network.
  struct Device: Sendable, Equatable {
    /// Empty: derived from the room or the host name.
    var name = ""
    var room = ""
    /// Without `uuid:`. Empty: derived from the machine ID.
    var uuid = ""
    /// Path of a PNG. Empty: the built-in bird.
    var icon = ""
  }

  /// `[sonos]`: the device for controllers of the Sonos class.
  struct Sonos: Sendable, Equatable {
    var enabled = false
    /// Empty: derived from the identity of the installation.
    var household = ""
    /// Shows itself beside zones of another household.
    var besideOthers = false
  }

  /// `[uploads]`: songs from phones.
  struct Uploads: Sendable, Equatable {
    var enabled = false
    /// Bytes of all that is kept.
    var limit = 1_000_000_000
    /// Empty: below the cache directory.
    var directory = ""
  }

  /// `[rooms]`: playing together with other rooms.
  struct Rooms: Sendable, Equatable {
    enum Mode: String, Sendable, CaseIterable { case unicast, multicast }

    var enabled = true
    /// From sending to hearing, in milliseconds.
    var latency = 300
    var mode = Mode.unicast
    /// Samples per second; faster sound is sent with half or a quarter of them.
    var maximumRate = 96000
    /// By how much the sound is late behind the device, in microseconds.
    var outputDelay = 0
    /// What the loudspeakers play of another room's sound.
    var channels = ChannelMapping.stereo
  }

  /// `[network]`: where and to whom the renderer is available.
  struct Network: Sendable, Equatable {
    /// Names or patterns of interfaces. Empty: all that lead to a local network, without loopback and those of
    /// containers and virtual machines.
    var interfaces: [String] = []
    var port = HostConfiguration.defaultPort
    var ipv6 = true
    var ttl = 2
    /// Additional networks (CIDR) whose hosts may use the renderer.
    var allow: [String] = []
    /// Additional host names that requests may address.
    var hostnames: [String] = []
  }

  /// `[limits]`: bounds on the resources that other hosts can use.
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

  /// `[audio]`: the sound device.
  struct Audio: Sendable, Equatable {
    var output = OutputConfiguration().output
    /// How long the sound device stays open after Stop.
    var releaseAfter = OutputConfiguration().releaseAfter
    /// The device's buffer and the period in which it is filled; zero: the device's own choice.
    var buffer = OutputConfiguration().deviceBuffer
    var period = OutputConfiguration().devicePeriod
    /// How long playback waits for a sound device that went away.
    var patience = OutputConfiguration().devicePatience
    /// How the volume is set; see ``MixerChoice``.
    var mixer = "software"
    var channels = OutputConfiguration().channels
    var resampler = OutputConfiguration().resampler
    /// Allowed sample rates in Hz. Empty: every rate that the device supports.
    var rates = OutputConfiguration().rates.rates
  }

  /// `[playback]`: how streams are fetched and played.
  struct Playback: Sendable, Equatable {
    var buffer = OutputConfiguration().buffer
    var timeout = OutputConfiguration().networkTimeout
    /// How long to wait for a track whose server can't be reached.
    var patience = PlayerConfiguration().patience
    /// How long a pause keeps the sound device and the connection.
    var pauseRelease = PlayerConfiguration().pauseRelease
    /// Empty: `Vireo/VERSION`.
    var userAgent = ""
    var redirects = OutputConfiguration().maximumRedirects
    /// Directories below which `file:` URIs may point.
    var directories: [String] = []
    /// Whether the playlist's current track resumes at its position after a restart.
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
    /// How long each program may run.
    var timeout = Duration.seconds(10)
    /// How long a silence must last before `on-stop`.
    var offDelay = Duration.seconds(10)
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

  /// `[page]`: the page in the browser, and the API.
  struct Page: Sendable, Equatable {
    var enabled = true
    /// What pages and scripts may do.
    var access = PageAccess.control
    /// The most pages that follow events at once.
    var streams = 16
    /// The origins whose pages may show ours in a frame.
    var frameAncestors: [String] = []
  }

  /// `[metrics]`
  struct Metrics: Sendable, Equatable {
    var enabled = false
  }

  /// `[log]`
  struct Log: Sendable, Equatable {
    var level = LogLevel.info
    /// Nil: as `level`.
    var discovery: LogLevel?
    var http: LogLevel?
    var events: LogLevel?
    var player: LogLevel?
    var output: LogLevel?
    var network: LogLevel?
    var daemon: LogLevel?
    var reports: LogLevel?
  }
}

/// How much is logged; each level includes the ones after it.
enum LogLevel: String, Sendable, CaseIterable {
  case trace, debug, info, notice, warning, error
}
