import NIOCore
import Renderers

/// The volume of a group while a slider moves it. All moves start from the rooms as they were when the slider was taken, so that
/// differences come back that the end of the scale has made smaller.
struct GroupSlide: Sendable {
  /// A slider that hasn't been moved for so long has been let go.
  static let time = TimeAmount.seconds(3)

  /// The UDN of the room that plays.
  private let host: String
  private let rooms: [Room]
  /// What each was told last.
  private var told: [String: Int]
  private var moved: NIODeadline

  /// What the volumes become; those that stay are left out.
  ///
  /// - Parameters:
  ///   - slide: the last one, of whatever group; it becomes this one.
  ///   - host: the UDN of the room that plays.
  static func plan(
    _ change: GroupVolume.Change, of rooms: [Room], host: String, after slide: inout GroupSlide?,
    now: NIODeadline
  ) -> [GroupVolume.Level] {
    var next = GroupSlide(
      host: host, rooms: rooms,
      told: Dictionary(
        rooms.compactMap { room in room.volume.map { (room.udn, $0) } },
        uniquingKeysWith: { first, _ in first }),
      moved: now)
    if case .to = change, let slide, slide.host == host, slide.moved + time > now,
      slide.rooms.map(\.udn) == rooms.map(\.udn)
    {
      next = slide
      next.moved = now
    }
    let levels = GroupVolume.plan(change, rooms: next.rooms, host: host).filter {
      next.told[$0.udn] != $0.volume
    }
    for level in levels { next.told[level.udn] = level.volume }
    slide = if case .to = change { next } else { nil }
    return levels
  }
}
