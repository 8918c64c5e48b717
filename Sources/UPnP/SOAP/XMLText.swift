// placeholder replaced at merge
public enum XMLText {
  public static func escaped(_ text: String) -> String { text }
}
