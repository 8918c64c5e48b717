import Testing

@testable import Player

/// An output that does what it is told in its mind, and reports what a real one could, at times too late.
struct ModelOutput {
  var current: PlayID?
  var next: NextTrack?
  var isPaused = false
  var gain = (left: 1.0, right: 1.0)
  var lastIssued = PlayID(0)
  /// Events that were true when they were made.
  var late: [OutputEvent] = []

  mutating func take(_ request: OutputRequest) {
    switch request {
    case .prepare: #expect(current == nil)
    case .start(let id, _, let position, let paused):
      #expect(id > lastIssued)
      #expect(position >= .zero)
      lastIssued = id
      (current, next, isPaused) = (id, nil, paused)
    case .pause(let id):
      #expect(id == current)
      isPaused = true
    case .resume(let id):
      #expect(id == current)
      isPaused = false
    case .stop: (current, next) = (nil, nil)
    case .seek(let id, let position):
      #expect(id == current)
      #expect(position >= .zero)
    case .setNext(let track):
      #expect(current != nil)
      if let track {
        #expect(track.id > lastIssued)
        lastIssued = track.id
        late.append(.started(track.id))
      }
      next = track
    case .setGain(let left, let right): gain = (left, right)
    case .release: break
    }
  }

  mutating func makeEvent(_ random: inout SplitMix64) -> OutputEvent? {
    if !late.isEmpty, Int.random(in: 0..<6, using: &random) == 0 {
      let event = late.remove(at: Int.random(in: 0..<late.count, using: &random))
      if let next, event == .started(next.id) { (current, self.next) = (next.id, nil) }
      return event
    }
    guard let id = current else { return nil }
    let position = Duration.milliseconds(Int.random(in: 0..<5000, using: &random))
    let event: OutputEvent
    switch Int.random(in: 0..<14, using: &random) {
    case 0: event = .started(id)
    case 1, 2: event = isPaused ? .paused(id, position: position) : .playing(id, position: position)
    case 3: event = .buffering(id)
    case 4: event = .duration(id, .milliseconds(Int.random(in: 0..<5000, using: &random)))
    case 5: event = .seekable(id, Bool.random(using: &random))
    case 6: event = .tags(id, StreamTags(title: "\(position)"))
    case 7: event = .failed(id, broken)
    case 8: event = next.map { .failed($0.id, broken) } ?? .paused(id, position: position)
    case 9: event = next.map { .duration($0.id, position) } ?? .playing(id, position: position)
    case 10 where next == nil: event = .ended(id)
    default:
      guard let track = next else { return nil }
      (current, next) = (track.id, nil)
      event = .started(track.id)
    }
    late.append(event)
    if late.count > 20 { late.removeFirst() }
    return event
  }
}

@Suite struct RandomTests {
  static let medias = [
    a, b, c, Media.track("d", duration: .seconds(3)), .container("x"), .container("y"),
    Media(uri: "ftp://server/no"),
  ]

  @Test(arguments: 1...8) func invariantsHold(run: Int) {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let limit = Int.random(in: 0...100, using: &random)
    var rig = Rig(PlayerConfiguration(volumeLimit: limit, maximumEntries: 20, shuffleSeed: seed))
    var output = ModelOutput()
    output.gain = rig.state.volume.gain
    var accepted = 0
    for step in 0..<10_000 {
      let comment = "seed \(seed), step \(step)"
      rig.wait(.milliseconds(Int.random(in: 0..<300, using: &random)))
      let before = rig.state
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        let command = Self.command(&random)
        do {
          try rig.attempt(command)
          accepted += 1
        } catch {
          #expect(rig.state == before, "\(command) \(comment)")
          rig.requests = []
        }
      case 5: rig.answer(Self.resolution(&random), of: ResolveID(.random(in: 0...3, using: &random)))
      case 6: rig.answer(Self.resolution(&random))
      default:
        guard let event = output.makeEvent(&random) else { continue }
        rig.receive(event)
      }
      for request in rig.requests { output.take(request) }
      check(rig, output, limit, comment)
      if step % 20 == 0 { expectHonestActions(rig, comment) }
    }
    #expect(accepted > 1000, "seed \(seed)")
  }

  private func check(_ rig: Rig, _ output: ModelOutput, _ limit: Int, _ comment: String) {
    let state = rig.state
    let comment = Comment(rawValue: comment)
    #expect(output.current == state.transport.playID, comment)
    #expect(output.next == state.offer?.track, comment)
    if case .playing = state.transport { #expect(!output.isPaused, comment) }
    if case .paused = state.transport { #expect(output.isPaused, comment) }
    if let offer = state.offer {
      #expect(offer.track.id > rig.id, comment)
      #expect(offer.track.media == state.follower, comment)
    }
    #expect(state.volume.step(of: .master) <= limit, comment)
    #expect(state.volume.gain == output.gain, comment)
    if state.av.isEmpty {
      #expect(state.transport == .stopped && state.av.nextMedia == nil, comment)
    }
    #expect((0...state.av.numberOfTracks).contains(state.av.trackNumber), comment)
    #expect((state.av.trackNumber == 0) == state.av.isEmpty, comment)
    if let order = state.av.current.list?.order {
      #expect(order.indices.sorted() == Array(0..<order.count), comment)
      #expect(order.index != nil, comment)
    }
    let position = state.position(at: rig.now)
    #expect(position >= .zero && position <= state.duration ?? position, comment)
    if state.transport.playID != nil { #expect(state.currentTrack != nil, comment) }
  }

  static func command(_ random: inout SplitMix64) -> Command {
    let media = medias[Int.random(in: 0..<medias.count, using: &random)]
    let channel = VolumeChannel.allCases.randomElement(using: &random) ?? .master
    switch Int.random(in: 0..<20, using: &random) {
    case 0, 1: return .av(.setMedia(media))
    case 2: return Int.random(in: 0..<5, using: &random) == 0 ? .av(.setMedia(nil)) : .av(.setMedia(media))
    case 3, 4: return .av(.setNextMedia(media))
    case 5: return .av(.setNextMedia(nil))
    case 6, 7, 8, 9: return .av(.play)
    case 10, 11: return .av(.pause)
    case 12: return .av(.stop)
    case 13: return .av(.seek(to: .milliseconds(Int.random(in: -100..<6000, using: &random))))
    case 14: return .av(.seekTrack(Int.random(in: 0..<5, using: &random)))
    case 15: return .av(.next)
    case 16: return .av(.previous)
    case 17: return .av(.setPlayMode(PlayMode.allCases.randomElement(using: &random) ?? .normal))
    case 18: return .setVolume(channel, Int.random(in: -2...103, using: &random))
    default:
      return Bool.random(using: &random)
        ? .setMute(channel, Bool.random(using: &random))
        : .setVolumeDecibels(channel, Int.random(in: -32768...10, using: &random))
    }
  }

  static func resolution(_ random: inout SplitMix64) -> Resolution {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: .failed(broken)
    case 1: .notAContainer
    default: .entries((0..<Int.random(in: 0..<30, using: &random)).map { .track("entry\($0 % 11)") })
    }
  }
}
