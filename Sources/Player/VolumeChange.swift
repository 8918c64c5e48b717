/// A volume change, in steps.
public enum VolumeChange: Sendable, Hashable {
  case to(Int)
  case by(Int)
}
