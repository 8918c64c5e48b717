/// Dates in HTTP's format (RFC 9110, IMF-fixdate).
package enum HTTPDate {
  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Returns `Tue, 14 Nov 2023 22:13:20 GMT`; times before 1970 become its first second.
  package static func text(secondsSince1970 seconds: Int) -> String {
    let seconds = max(seconds, 0)
    let (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
    let (year, month, day) = civil(daysSince1970: days)
    let time = [second / 3600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
    return "\(weekdays[days % 7]), \(twoDigits(day)) \(months[month - 1]) \(year) \(time) GMT"
  }

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

  /// Counts years from 1 March, so that the leap day is the last day of a year.
  private static func civil(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let sinceMarch0000 = days + 719_468
    let (era, dayOfEra) = sinceMarch0000.quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
  }
}
