import Logging

/// What the operator is told. A failure once, until it is over.
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
    let reason =
      switch problem {
      case .sqlite(let error): error.message
      case .newer(let version): "a later Vireo wrote what is there (version \(version))"
      }
    logger.warning(
      "state can't be saved in \(directory): \(reason); what changes is forgotten at the next restart unless a later attempt succeeds. Make room there, or give --state-dir a directory that can be written"
    )
  }

  mutating func succeeded() {
    if hasComplained { logger.notice("state is saved again in \(directory)") }
    hasComplained = false
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
