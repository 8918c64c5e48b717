/// Reads dates in HTTP's format (RFC 9110, IMF-fixdate).
enum HTTPDateReading {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Seconds since 1970 of `Tue, 14 Nov 2023 22:13:20 GMT`; nil for anything else.
  static func seconds(_ text: String) -> Int? {
    let words = text.split(separator: " ")
    guard words.count >= 5, let day = Int(words[1]), (1...31).contains(day),
      let month = months.firstIndex(of: words[2].lowercased()), let year = Int(words[3]),
      (1900...9999).contains(year)
    else { return nil }
    let time = words[4].split(separator: ":").compactMap { Int($0) }
    guard time.count == 3, time.allSatisfy({ (0...60).contains($0) }) else { return nil }
    return days(year, month + 1, day) * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
  }

  /// Days since 1970. Counts years from 1 March, so that the leap day is the last day of a year.
  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let (era, yearOfEra) = shifted.quotientAndRemainder(dividingBy: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
