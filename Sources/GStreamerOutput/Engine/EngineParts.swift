import CGStreamer
import Logging
import Player

/// The device, the tracks and everything else that the engine works with. It does what the ``EngineMachine`` decides, and
/// answers its questions. Confined to the control thread.
final class EngineParts {
  let configuration: OutputConfiguration
  let logger: Logger
  let mailbox: Mailbox
  let deviceBus: MessageBus
  let timeline: Timeline
  /// What is shared with other rooms.
  let rooms: OutputRooms
  let level: BufferLevel
  let onEvent: @Sendable (OutputEvent) -> Void

  var device: Device?
  var tracks: [Int: Track] = [:]
  /// Parts for a track that isn't known yet; only while there is a ``device``.
  var spare: SparePipeline?
  /// Exists while a device is wanted and missing.
  var watch: DeviceWatch?

  /// Nil without GStreamer.
  init?(
    configuration: OutputConfiguration, logger: Logger, mailbox: Mailbox, level: BufferLevel,
    rooms: OutputRooms,
    onEvent: @escaping @Sendable (OutputEvent) -> Void
  ) {
    guard
      let deviceBus = MessageBus(
        Engine.messagesOfDevice, mailbox: mailbox, threads: DeviceThreads(logger: logger))
    else { return nil }
    self.configuration = configuration
    self.logger = logger
    self.mailbox = mailbox
    self.level = level
    self.rooms = rooms
    timeline = Timeline(tap: rooms.tap)
    self.deviceBus = deviceBus
    self.onEvent = onEvent
  }

  /// The timeline and the device's entry know each other.
  deinit { timeline.reset(entry: nil, forgetFormat: true) }

  /// The notice handler of tracks and devices.
  var notify: @Sendable (PipelineEvent) -> Void {
    { [mailbox] in mailbox.post(.notice($0)) }
  }

  // MARK: Reading the end of files

  /// When the first wait for an Ogg file's end is over; nil while none is awaited.
  var readingDeadline: MonotonicTime? { tracks.values.compactMap { $0.reading?.deadline }.min() }

  /// The tracks whose wait for the file's end is over.
  func overdueReadings(_ now: MonotonicTime) -> [Int] {
    tracks.values.compactMap { track in
      guard let deadline = track.reading?.deadline, deadline <= now else { return nil }
      return track.serial
    }
  }
}

extension EngineParts: EngineWorld {
  var openDevice: (any DeviceView)? { device }
  var fill: DeviceFill { timeline.fill }
  var isSending: Bool { rooms.tap.isActive }
  var hasSpare: Bool { spare != nil }
  var spareFormat: StreamFormat? { spare?.format }
  func view(_ serial: Int) -> (any TrackView)? { tracks[serial] }
}

extension Device: DeviceView {
  var silence: UInt? { source.silence }
}
