import Testing

@testable import Player

/// All commands of all sources against an output of the imagination, and a store that is only told the changes.
@Suite struct OpenHomeRandomTests {
  @Test(arguments: 1...4) func invariantsHoldAndTheStoreFollows(run: Int) {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let configuration = PlayerConfiguration(
      uriPolicy: URIPolicy(schemes: ["http"]), maximumEntries: 20, shuffleSeed: seed,
      startupVolume: run % 2 == 0 ? nil : 20, tracksMax: 30, reconnectAttempts: 3,
      resumesPosition: run % 3 == 0)
    var rig = Rig(configuration)
    var output = ModelOutput()
    output.gain = rig.state.volume.gain
    var accepted = 0
    var reached: Set<String> = []
    for step in 0..<10_000 {
      let comment: Comment = "seed \(seed), step \(step)"
      rig.wait(.milliseconds(Int.random(in: 0..<300, using: &random)))
      let before = rig.state
      rig.stored = []
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<6:
        let command = Self.command(&random, rig)
        do {
          try rig.attempt(command)
          accepted += 1
        } catch {
          #expect(rig.state == before, "\(command), seed \(seed), step \(step)")
          rig.requests = []
        }
      case 6: rig.answer(RandomTests.resolution(&random))
      case 7: rig.wakeUp()
      default:
        guard let event = output.makeEvent(&random) else { continue }
        rig.receive(event)
      }
      for request in rig.requests { output.take(request) }
      let snapshot = rig.state.snapshot
      #expect(rig.stored == (snapshot == before.snapshot ? [] : [snapshot]), comment)
      check(rig, output, comment)
      reached.insert("\(rig.state.activeSource) \(rig.state.phase) \(rig.state.isStandby)")
    }
    #expect(accepted > 1000, "seed \(seed)")
    #expect(reached.count >= 12, "seed \(seed): \(reached.sorted())")
  }

  private func check(_ rig: Rig, _ output: ModelOutput, _ comment: Comment) {
    let state = rig.state
    #expect(output.current == state.transport.playID, comment)
    #expect(output.next == state.offer?.track, comment)
    #expect(state.volume.gain == output.gain, comment)
    if case .playing = state.transport { #expect(!output.isPaused, comment) }
    if case .paused = state.transport { #expect(output.isPaused, comment) }
    if case .reconnecting = state.transport { #expect(state.activeSource == .radio, comment) }
    if state.isStandby { #expect(state.transport == .stopped, comment) }
    if state.transport.playID != nil { #expect(state.currentTrack != nil, comment) }
    if let offer = state.offer { #expect(offer.track.media == state.follower, comment) }
    for source in SourceKind.allCases where source != state.activeSource {
      #expect(state.phase(of: source) == .stopped, comment)
    }
    // The two devices differ where the cast only waits for Play.
    switch state.avShown {
    case nil: #expect(state.avTransportState == .noMediaPresent, comment)
    case state.activeSource: #expect(state.avTrack == state.currentTrack, comment)
    case .some: #expect(state.avTransportState == .stopped && state.avTrack == state.av.track, comment)
    }
    if state.transport != .stopped, state.activeSource == .upnpAV {
      #expect(state.avShown == .upnpAV, comment)
    }
    if state.castOver != nil { #expect(state.activeSource == .upnpAV, comment) }
    let playlist = state.playlist
    #expect(playlist.order.sorted() == playlist.tracks.ids.sorted(), comment)
    #expect(
      playlist.isEmpty ? playlist.currentID == 0 : playlist.tracks.contains(playlist.currentID), comment)
    #expect(state.radio.idArray.count == Radio.channelsMax, comment)
    let position = state.position(at: rig.now)
    #expect(position >= .zero && position <= state.duration ?? position, comment)
  }

  private static func command(_ random: inout SplitMix64, _ rig: Rig) -> Command {
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1: return RandomTests.command(&random)
    case 2, 3, 4, 5: return .playlist(playlist(&random, rig))
    case 6, 7: return .radio(radio(&random, rig))
    case 8: return .transport(transport(&random, rig))
    default: return device(&random)
    }
  }

  private static func playlist(_ random: inout SplitMix64, _ rig: Rig) -> PlaylistCommand {
    let id = rig.ids.randomElement(using: &random) ?? 1
    switch Int.random(in: 0..<22, using: &random) {
    case 0..<6:
      let media = RandomTests.medias.randomElement(using: &random) ?? a
      return .insert(after: Bool.random(using: &random) ? 0 : id, media)
    case 6, 7, 8: return .delete(id)
    case 9: return Int.random(in: 0..<6, using: &random) == 0 ? .deleteAll : .delete(0)
    case 10, 11: return .play
    case 12: return .pause
    case 13: return .stop
    case 14: return .next
    case 15: return .previous
    case 16: return .playID(id)
    case 17: return .playIndex(Int.random(in: 0..<30, using: &random))
    case 18: return .seek(to: .milliseconds(Int.random(in: 0..<6000, using: &random)))
    case 19: return .skip(by: .milliseconds(Int.random(in: -6000..<6000, using: &random)))
    case 20: return .setRepeat(Bool.random(using: &random))
    default: return .setShuffle(Bool.random(using: &random))
    }
  }

  private static func radio(_ random: inout SplitMix64, _ rig: Rig) -> RadioCommand {
    let media = RandomTests.medias.randomElement(using: &random) ?? a
    switch Int.random(in: 0..<10, using: &random) {
    case 0: return .setPresets((0..<3).map { _ in RandomTests.medias.randomElement(using: &random) })
    case 1, 2: return .setChannel(media)
    case 3: return .setID(rig.state.radio.idArray.prefix(3).randomElement(using: &random) ?? 0, uri: "")
    case 4, 5, 6: return .play
    case 7: return .pause
    case 8: return .seek(to: .milliseconds(Int.random(in: 0..<6000, using: &random)))
    default: return Int.random(in: 0..<3, using: &random) == 0 ? .stop : .refreshPresets
    }
  }

  private static func transport(_ random: inout SplitMix64, _ rig: Rig) -> TransportCommand {
    let time = Duration.milliseconds(Int.random(in: -3000..<6000, using: &random))
    switch Int.random(in: 0..<7, using: &random) {
    case 0, 1: return .play
    case 2: return .pause
    case 3: return .stop
    case 4: return Bool.random(using: &random) ? .skipNext : .skipPrevious
    case 5: return .seek(to: time, stream: rig.state.streamID)
    default: return .skip(by: time, stream: rig.state.streamID)
    }
  }

  private static func device(_ random: inout SplitMix64) -> Command {
    let side = VolumeChannel.allCases.randomElement(using: &random) ?? .left
    switch Int.random(in: 0..<9, using: &random) {
    case 0: return .setStandby(Bool.random(using: &random))
    case 1: return .leaveStandby
    case 2: return .setSource(SourceKind.allCases.randomElement(using: &random) ?? .radio)
    case 3: return .changeVolume(.to(Int.random(in: 0...110, using: &random)), unmutes: true)
    case 4: return .changeVolume(.by(Int.random(in: -3...3, using: &random)), unmutes: false)
    case 5: return .setBalance(Int.random(in: -22...22, using: &random))
    case 6: return .moveBalance(by: Int.random(in: -2...2, using: &random))
    case 7: return .setTrim(side, Int.random(in: -13000...13000, using: &random))
    default: return .setVolumeOffset(side, Int.random(in: -16000...16000, using: &random))
    }
  }
}
