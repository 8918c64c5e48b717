/// What a server's answer means for what it was sent.
public enum ReportVerdict: Sendable, Hashable {
  /// It has taken all of it.
  case accepted
  /// It won't take it as it is: something in it is wrong, or it is too much.
  case malformed
  /// It takes nothing any more, until somebody does something about it.
  case refused(Refusal)
  /// It takes nothing for a while: this long, if it says so.
  case limited(Duration?)
  /// It couldn't be asked, or had trouble of its own. In plain words.
  case failed(String)

  public enum Refusal: String, Sendable, Hashable {
    /// It doesn't know the token, or the session.
    case token
    /// It wants no more reports.
    case gone
  }

  /// The longest that a server is waited for because it says so.
  static let longestWait = Duration.seconds(3600)

  /// Reads a number of seconds in a header field. Nil for anything else, such as a date.
  static func seconds(_ text: String?) -> Duration? {
    guard let text, (1...9).contains(text.utf8.count), let number = Int(text), number >= 0 else { return nil }
    return min(.seconds(number), longestWait)
  }
}
