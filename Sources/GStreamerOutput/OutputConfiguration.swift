/// Settings of the output: sound device, network, files and sound processing.
public struct OutputConfiguration: Sendable, Hashable {
  /// `auto`, `alsa`, `alsa:DEVICE`, `pulse`, `pulse:DEVICE`, `pipewire`, `pipewire:TARGET`, `file:/PATH.wav` (paced in
  /// real time), `null` (paced, silent), or `pipeline:` and the description of a GStreamer bin that ends in a sink.
  public var output: String
  /// The sound device is released after this long without playback; zero releases it at once.
  public var releaseAfter: Duration
  /// How much sound the device buffers; zero leaves it to the device.
  public var deviceBuffer: Duration
  /// How much sound the device takes at a time; zero leaves it to the device.
  public var devicePeriod: Duration
  /// How long playback waits for a sound device that has played and then went away.
  public var devicePatience: Duration
  /// Directory of the sound cards' device nodes.
  public var deviceNodes: String
  /// How much of a network stream is read ahead.
  public var buffer: Duration
  /// A server that sends nothing for longer than this counts as failed.
  public var networkTimeout: Duration
  /// User agent that media servers see.
  public var userAgent: String
  /// A longer chain of redirects is refused. At most 20.
  public var maximumRedirects: Int
  /// Directories below which `file:` URIs are played; none by default.
  public var fileDirectories: [String]
  /// Whether and how tracks are brought to the same loudness.
  public var replayGain: ReplayGain
  /// What the left and the right loudspeaker play.
  public var channels: ChannelMapping
  /// How well sound is converted to another sample rate, where that is needed.
  public var resampler: ResamplerQuality
  /// The rates that the device may be given; other rates are converted.
  public var rates: AllowedRates
  /// Whether somebody shows the pictures inside files (``EmbeddedPicture``).
  public var readsPictures: Bool

  public init(
    output: String = "auto", releaseAfter: Duration = .seconds(10),
    deviceBuffer: Duration = .zero, devicePeriod: Duration = .zero,
    devicePatience: Duration = .seconds(600), deviceNodes: String = "/dev/snd",
    buffer: Duration = .seconds(5),
    networkTimeout: Duration = .seconds(10), userAgent: String = "Vireo/0.1 UPnP/1.1",
    maximumRedirects: Int = 10, fileDirectories: [String] = [],
    replayGain: ReplayGain = ReplayGain(), channels: ChannelMapping = .stereo,
    resampler: ResamplerQuality = .good, rates: AllowedRates = AllowedRates(),
    readsPictures: Bool = false
  ) {
    self.output = output
    self.releaseAfter = releaseAfter
    self.deviceBuffer = deviceBuffer
    self.devicePeriod = devicePeriod
    self.devicePatience = devicePatience
    self.deviceNodes = deviceNodes
    self.buffer = buffer
    self.networkTimeout = networkTimeout
    self.userAgent = userAgent
    self.maximumRedirects = maximumRedirects
    self.fileDirectories = fileDirectories
    self.replayGain = replayGain
    self.channels = channels
    self.resampler = resampler
    self.rates = rates
    self.readsPictures = readsPictures
  }
}
