import Logging

/// Logs the store's problems: each failure once, until a save succeeds again.
struct StoreLog {
  let directory: String
  let logger: Logger
  private var hasComplained = false

  init(directory: String, logger: Logger) {
    self.directory = directory
    self.logger = logger
  }

  mutating func failed(_ problem: StateDatabase.Problem) {
    guard !hasComplained else { return }
    hasComplained = true
    if problem.isInUse {
      logger.warning(
        "another program has the state in \(directory); nothing is saved in this run. Give each vireod a --state-dir of its own"
      )
      return
    }
    switch problem {
    case .obstructed(let obstacle):
      logger.error(
        "state can't be saved: \(obstacle). What changes is forgotten at the next restart; move that out of the way, or give --state-dir another directory"
      )
    case .sqlite(let error): refused(because: error.message)
    case .newer(let version):
      refused(because: "a later Vireo wrote what is there (version \(version))")
    }
  }

  private func refused(because reason: String) {
    logger.warning(
      "state can't be saved in \(directory): \(reason); what changes is forgotten at the next restart unless a later attempt succeeds. Make room there, or give --state-dir a directory that can be written"
    )
  }

  mutating func succeeded() {
    if hasComplained { logger.notice("state is saved again in \(directory)") }
    hasComplained = false
  }

  func deleted(_ file: String) {
    logger.warning("\(file) was deleted while Vireo runs; the whole state is written anew")
  }

  func replaced(_ file: String, keptAs: String) {
    logger.warning(
      "another file took the place of \(file) while Vireo runs. It was kept as \(keptAs), and the state of this run is saved again. To use the other one, stop Vireo first, and then give that the name \(file)"
    )
  }

  func setAside(_ file: String, _ reason: String, keptAs: String?) {
    if let keptAs {
      logger.warning(
        "the saved state can't be used: \(reason). It was kept as \(keptAs), and a new one is begun; delete it when nobody needs it"
      )
    } else {
      logger.warning(
        "the saved state can't be used: \(reason). Move \(file) out of the way to have state saved again")
    }
  }
}
