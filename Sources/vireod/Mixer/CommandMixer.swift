import Logging
import Player

/// Has a program make the volume: `PROGRAM VOLUME`, with more in its environment.
struct CommandMixer: Mixer {
  /// How long it may run.
  static let limit = Duration.seconds(10)

  private let program: String
  private let lane: ProgramLane

  init(program: String, logger: Logger) {
    self.program = program
    lane = ProgramLane(name: "mixer", limit: Self.limit, logger: logger)
  }

  func apply(_ volume: Volume) {
    let audible = volume.isMuted(.master) ? 0 : volume.step(of: .master)
    lane.submit(
      ProgramRun(command: [program, String(audible)], environment: PlayerVariables.volume(volume)))
  }

  func close() { lane.close() }
}
