/// The word that lets guests in, and the tokens that they are told apart by.
public enum PartyCode {
  /// Nothing that is mistaken for something else when it is read aloud or typed.
  static let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZ23456789")
  static let length = 8
  /// 130 bits.
  static let tokenLength = 26

  /// A new code.
  static func make(using random: inout some RandomNumberGenerator) -> String { text(length, &random) }

  /// A new token.
  static func makeToken(using random: inout some RandomNumberGenerator) -> String {
    text(tokenLength, &random)
  }

  private static func text(_ length: Int, _ random: inout some RandomNumberGenerator) -> String {
    String((0..<length).map { _ in alphabet[Int.random(in: alphabet.indices, using: &random)] })
  }

  /// The code as people may type it: in any case, with blanks around it.
  static func normalized(_ text: String) -> String {
    String(text.unicodeScalars.filter { $0 != " " && $0 != "-" }).uppercased()
  }

  /// Whether `text` could be the code of a party.
  public static func isOne(_ text: String) -> Bool {
    text.utf8.count == length && text.allSatisfy(alphabet.contains)
  }
}
