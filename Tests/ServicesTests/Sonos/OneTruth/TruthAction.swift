/// What one of three controllers does, or the world.
enum TruthAction: Sendable {
  /// Through the services of the zone.
  case zone(Zone)
  /// Through the services of the OpenHome device.
  case openHome(OpenHome)
  /// Through the services of the MediaRenderer.
  case renderer(Renderer)
  /// The output has reached what it was asked for.
  case heard
  /// The current track is over.
  case ended
  /// Six seconds pass.
  case quiet

  enum Zone: Sendable {
    /// `place` counts from 1; 0 is for the end.
    case add([String], place: Int, asNext: Bool)
    case addEach([String], place: Int)
    case remove(place: Int)
    case removeRange(start: Int, count: Int)
    case removeAll
    case move(start: Int, count: Int, before: Int)
    case seekTrack(Int)
    case seekTime, play, pause, stop, next, previous
    case setMode(repeats: TruthModel.Repeat, shuffles: Bool)
    case selectQueue
    case setTrack(String)
    /// `isShort`: without the scheme of the address.
    case setStation(String, isShort: Bool)
    case setVolume(Int)
    case changeVolume(Int)
    case setMute(Bool)
    case setGroupVolume(Int)
    case setGroupMute(Bool)
  }

  enum OpenHome: Sendable {
    case insert(String, after: UInt32)
    case delete(UInt32)
    case deleteAll
    case seekID(UInt32)
    case seekIndex(Int)
    case seekTime, play, pause, stop, next, previous
    case transportPlay, transportPause, transportStop, skipNext, skipPrevious
    case setRepeat(Bool)
    case setShuffle(Bool)
    case setSource(TruthModel.Source)
    case setStandby(Bool)
    case setChannel(String)
    case playRadio, stopRadio
    case setVolume(Int)
    case changeVolume(up: Bool)
    case setMute(Bool)
  }

  enum Renderer: Sendable {
    case setURI(String)
    case seekTime, play, pause, stop, next, previous
    case setVolume(Int)
    case setMute(Bool)
  }
}

extension TruthAction {
  /// Something that somebody might do now.
  static func random(_ dice: inout some RandomNumberGenerator, _ model: TruthModel, step: Int) -> TruthAction
  {
    switch Int.random(in: 0..<20, using: &dice) {
    case 0..<7: .zone(zone(&dice, model, step))
    case 7..<12: .openHome(openHome(&dice, model, step))
    case 12..<15: .renderer(renderer(&dice, step))
    case 15..<18: .heard
    case 18: .ended
    default: .quiet
    }
  }

  private static func zone(_ dice: inout some RandomNumberGenerator, _ model: TruthModel, _ step: Int) -> Zone
  {
    let count = model.tracks.count
    func place(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &dice) }
    switch Int.random(in: 0..<34, using: &dice) {
    case 0..<5:
      let names = (0..<place(1...1)).map { "z\(step)-\($0)" }
      return .add(names, place: place(0...count + 2), asNext: Bool.random(using: &dice))
    case 5, 6: return .addEach((0..<place(2...4)).map { "z\(step)-\($0)" }, place: place(0...count + 1))
    case 7, 8: return .remove(place: place(0...count + 1))
    case 9: return .removeRange(start: place(0...count + 1), count: place(0...3))
    case 10: return place(0...5) == 0 ? .removeAll : .seekTime
    case 11, 12, 13:
      return .move(start: place(0...count + 1), count: place(0...3), before: place(0...count + 2))
    case 14, 15, 16: return .seekTrack(place(0...count + 1))
    case 17, 18, 19: return .play
    case 20: return .pause
    case 21: return .stop
    case 22, 23: return .next
    case 24: return .previous
    case 25, 26:
      let repeats = TruthModel.Repeat.allCases.randomElement(using: &dice) ?? .none
      return .setMode(repeats: repeats, shuffles: place(0...2) == 0)
    case 27: return .selectQueue
    case 28: return .setTrack("t\(place(0...4))")
    case 29: return .setStation("s\(place(0...2))", isShort: Bool.random(using: &dice))
    case 30: return Bool.random(using: &dice) ? .setVolume(place(0...120)) : .setGroupVolume(place(0...120))
    case 31: return .changeVolume(place(-30...30))
    case 32: return .setMute(Bool.random(using: &dice))
    default: return .setGroupMute(Bool.random(using: &dice))
    }
  }

  private static func openHome(
    _ dice: inout some RandomNumberGenerator, _ model: TruthModel, _ step: Int
  ) -> OpenHome {
    let id = model.tracks.randomElement(using: &dice)?.id ?? 0
    switch Int.random(in: 0..<34, using: &dice) {
    case 0..<5: return .insert("o\(step)", after: Int.random(in: 0..<6, using: &dice) == 0 ? 4_000_000 : id)
    case 5, 6: return .delete(id)
    case 7: return Int.random(in: 0..<6, using: &dice) == 0 ? .deleteAll : .delete(4_000_000)
    case 8, 9: return id == 0 ? .play : .seekID(id)
    case 10: return .seekIndex(Int.random(in: 0...model.tracks.count, using: &dice))
    case 11: return .seekTime
    case 12, 13: return .play
    case 14: return .pause
    case 15: return .stop
    case 16: return .next
    case 17: return .previous
    case 18, 19: return .transportPlay
    case 20: return .transportPause
    case 21: return .transportStop
    case 22: return Bool.random(using: &dice) ? .skipNext : .skipPrevious
    case 23: return .setRepeat(Bool.random(using: &dice))
    case 24: return .setShuffle(Int.random(in: 0..<3, using: &dice) == 0)
    case 25: return .setSource(TruthModel.Source.allCases.randomElement(using: &dice) ?? .playlist)
    case 26: return .setStandby(Int.random(in: 0..<3, using: &dice) == 0)
    case 27, 28: return .setChannel("s\(Int.random(in: 0...2, using: &dice))")
    case 29: return .playRadio
    case 30: return .stopRadio
    case 31: return .setVolume(Int.random(in: 0...210, using: &dice))
    case 32: return .changeVolume(up: Bool.random(using: &dice))
    default: return .setMute(Bool.random(using: &dice))
    }
  }

  private static func renderer(_ dice: inout some RandomNumberGenerator, _ step: Int) -> Renderer {
    switch Int.random(in: 0..<12, using: &dice) {
    case 0, 1:
      .setURI(Int.random(in: 0..<6, using: &dice) == 0 ? "" : "t\(Int.random(in: 0...4, using: &dice))")
    case 2, 3, 4: .play
    case 5: .pause
    case 6: .stop
    case 7: .next
    case 8: .previous
    case 9: .seekTime
    case 10: .setVolume(Int.random(in: 0...100, using: &dice))
    default: .setMute(Bool.random(using: &dice))
    }
  }
}
