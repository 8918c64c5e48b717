/// How the output sounds and what it may reach.
public struct OutputConfiguration: Sendable, Hashable {
  /// `auto`, `alsa`, `alsa:DEVICE`, `pulse`, `pulse:DEVICE`, `pipewire`, `pipewire:TARGET`, `file:/PATH.wav` (paced in
  /// real time), `null` (paced, silent), or `pipeline:` and the description of a GStreamer bin that ends in a sink.
  public var output: String
  /// The sound device is let go when nothing has played for this long; zero lets go at once.
  public var releaseAfter: Duration
  /// How much of a network stream is read ahead.
  public var buffer: Duration
  /// A server that sends nothing for longer than this has failed.
  public var networkTimeout: Duration
  /// Sent to media servers.
  public var userAgent: String
  /// More redirects than this are refused. At most 20.
  public var maximumRedirects: Int
  /// Directories below which `file:` URIs are played; none by default.
  public var fileDirectories: [String]
  /// Whether and how tracks are brought to the same loudness.
  public var replayGain: ReplayGain

  public init(
    output: String = "auto", releaseAfter: Duration = .seconds(10), buffer: Duration = .seconds(5),
    networkTimeout: Duration = .seconds(10), userAgent: String = "Vireo/0.1 UPnP/1.1",
    maximumRedirects: Int = 10, fileDirectories: [String] = [],
    replayGain: ReplayGain = ReplayGain()
  ) {
    self.output = output
    self.releaseAfter = releaseAfter
    self.buffer = buffer
    self.networkTimeout = networkTimeout
    self.userAgent = userAgent
    self.maximumRedirects = maximumRedirects
    self.fileDirectories = fileDirectories
    self.replayGain = replayGain
  }
}
