/// What pages and scripts may do (`[page] access`).
public enum PageAccess: String, Sendable, Hashable, CaseIterable {
  /// Everything that control points can do.
  case control
  /// They see the state and change nothing.
  case view
  /// Neither page nor API exists.
  case off
}
