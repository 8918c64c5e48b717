import Party

extension HostClock {
  /// The clocks that a party goes by.
  static var party: PartySession.Clocks {
    PartySession.Clocks(boot: boot, now: upTime.sinceBoot, date: reading.date)
  }
}
