import Logging
import Player

/// Runs a program that sets the volume: `PROGRAM VOLUME`, with more in its environment.
struct CommandMixer: Mixer {
  /// How long the program may run.
  static let limit = Duration.seconds(10)

  private let program: String
  private let queue: ProgramQueue

  init(program: String, logger: Logger) {
    self.program = program
    queue = ProgramQueue(name: "mixer", limit: Self.limit, logger: logger)
  }

  func apply(_ volume: Volume) {
    let audible = volume.isMuted(.master) ? 0 : volume.step(of: .master)
    queue.submit(
      ProgramRun(command: [program, String(audible)], environment: PlayerVariables.volume(volume)))
  }

  /// Waits for the program to end, for at most a second.
  func close() {
    queue.close()
    queue.wait()
  }
}
