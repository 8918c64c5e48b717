import UPnP

/// AlarmClock: the time, and no alarms.
struct ZoneAlarmService: ZoneAlarmClock1.Provider {
  let home: ZoneHome

  func commands(for context: ActionContext) -> ZoneAlarmCommands {
    ZoneAlarmCommands(identity: home.identity, clock: home.surroundings.clock)
  }

  var view: ZoneAlarmView { ZoneAlarmView(identity: home.identity) }
}

/// The view of AlarmClock.
struct ZoneAlarmView: ZoneAlarmClock1.View {
  /// The rule of Central Europe. Controllers only pass it on.
  static let timeZone = "ffc40a000503000003000502ffc4"

  let identity: ZoneIdentity

  var timeZone: String { Self.timeZone }
  var timeServer: String { "0.pool.ntp.org,1.pool.ntp.org" }
  var timeGeneration: UInt32 { 1 }
  var alarmListVersion: String { identity.firstVersion }
  var dailyIndexRefreshTime: String { "06:00:00" }
  var timeFormat: String { "24H" }
  var dateFormat: String { "DMY" }
}

/// The actions of AlarmClock that aren't simple getters.
struct ZoneAlarmCommands: ZoneAlarmClock1.Commands {
  let identity: ZoneIdentity
  let clock: @Sendable () -> (seconds: Int, offset: Int)

  func getTimeZone() -> (index: Int32, autoAdjustDst: Bool) { (index: 26, autoAdjustDst: true) }

  func getTimeZoneAndRule() -> (index: Int32, autoAdjustDst: Bool, currentTimeZone: String) {
    (index: 26, autoAdjustDst: true, currentTimeZone: ZoneAlarmView.timeZone)
  }

  func getTimeZoneRule(index: Int32) -> String { ZoneAlarmView.timeZone }

  func getHouseholdTimeAtStamp(timeStamp: String) -> String { CalendarTime.text(clock().seconds) }

  func getTimeNow() -> (
    currentUTCTime: String, currentLocalTime: String, currentTimeZone: String, currentTimeGeneration: UInt32
  ) {
    let (seconds, offset) = clock()
    return (
      currentUTCTime: CalendarTime.text(seconds), currentLocalTime: CalendarTime.text(seconds + offset),
      currentTimeZone: ZoneAlarmView.timeZone, currentTimeGeneration: 1
    )
  }

  func listAlarms() -> (currentAlarmList: String, currentAlarmListVersion: String) {
    (currentAlarmList: "<Alarms></Alarms>", currentAlarmListVersion: identity.firstVersion)
  }
}

/// A time as AlarmClock writes it: `2026-01-31 12:19:33`.
enum CalendarTime {
  /// - Parameter seconds: since 1970, at most until the year 9999.
  static func text(_ seconds: Int) -> String {
    let seconds = min(max(seconds, 0), 253_402_300_799)
    let (year, month, day) = date(seconds / 86400)
    let clock = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map(two).joined(separator: ":")
    return "\(year)-\(two(month))-\(two(day)) \(clock)"
  }

  private static func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }

  /// The date by the number of days since 1970, in years that begin with March, so that a leap day is their last one.
  private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let sinceMarchOfYear0 = days + 719_468
    let (era, day) = (sinceMarchOfYear0 / 146_097, sinceMarchOfYear0 % 146_097)
    let year = (day - day / 1460 + day / 36524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let isNextYear = month >= 10
    return (
      era * 400 + year + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3,
      dayOfYear - (153 * month + 2) / 5 + 1
    )
  }
}
