import Party

/// The party that goes on, or begins, with the daemon.
extension Daemon {
  func beginParty() {
    let (saved, mode, logger) = (start.host.party, settings.party.mode, logger)
    page.party.assumeIsolated { desk in
      if let saved, desk.resume(saved) { return }
      guard let mode else { return }
      do throws(PartyRefusal) {
        try desk.start(mode)
      } catch {
        logger.warning("[party] start: no party can begin; [openhome] enabled is false")
      }
    }
  }
}
