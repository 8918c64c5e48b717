import CGStreamer
import Player
import Testing

@testable import GStreamerOutput

/// Everything that may come, in every state of the engine: what must always be true stays so, and all ends well.
@Suite struct EngineMachineSituationTests {
  /// A state of the engine, and how to get there.
  struct Situation: Sendable, CustomTestStringConvertible {
    var name: String
    var output = "alsa"
    var arrange: @Sendable (EngineRig) -> Void
    var testDescription: String { name }
  }

  static let situations: [Situation] = [
    Situation(name: "nothing was ever played") { _ in },
    Situation(name: "idle with an open device") { rig in
      rig.start()
      rig.pass { rig.isPlaying }
      rig.pass { rig.machine.heard == nil }
    },
    Situation(name: "prepared") { $0.perform(.prepare(Media(uri: "http://host/p"))) },
    Situation(name: "loading") { rig in
      rig.sound.shape = { $0.isSilent = true }
      rig.start()
    },
    Situation(name: "loading, to be paused") { rig in
      rig.sound.shape = { $0.isSilent = true }
      rig.start(at: .milliseconds(300), paused: true)
    },
    Situation(name: "playing") { rig in
      rig.start()
      rig.pass { rig.isPlaying }
    },
    Situation(name: "paused") { rig in
      rig.start(paused: true)
      rig.pass { rig.machine.phase == .paused }
    },
    Situation(name: "buffering") { rig in
      rig.sound.shape = { $0.frames = 10_000 }
      rig.start()
      rig.pass { rig.isPlaying }
      rig.track?.isSilent = true
      rig.pass { rig.machine.phase == .buffering }
    },
    Situation(name: "fading out for a pause") { rig in
      let id = rig.start()
      rig.pass { rig.isPlaying }
      rig.perform(.pause(id))
    },
    Situation(name: "fading out for good") { rig in
      rig.start()
      rig.pass { rig.isPlaying }
      rig.perform(.stop)
    },
    Situation(name: "fading out before another track") { rig in
      rig.start()
      rig.pass { rig.isPlaying }
      rig.perform(.stop)
      rig.start("http://host/c", at: .milliseconds(400))
    },
    Situation(name: "fading out before the device is released") { rig in
      rig.start()
      rig.pass { rig.isPlaying }
      rig.perform(.stop)
      rig.perform(.release)
    },
    Situation(name: "without its device") { rig in
      rig.start()
      rig.pass { rig.isPlaying }
      rig.send(rig.sound.loseDevice(.unusable(.absent, "no such device")))
      rig.pass(10_000)
    },
    Situation(name: "paused without its device") { rig in
      let id = rig.start()
      rig.pass { rig.isPlaying }
      rig.send(rig.sound.loseDevice(.unusable(.absent, "no such device")))
      rig.perform(.pause(id))
    },
    Situation(name: "with a device in use") { rig in
      rig.sound.problem = .unusable(.unusable, "it is in use")
      rig.start()
    },
    Situation(name: "with a device that refuses") { rig in
      rig.sound.refuses = true
      rig.start()
    },
    Situation(name: "with a stand-in", output: "auto") { rig in
      rig.sound.problem = .unusable(.absent, "nothing is there")
      rig.sound.hasRemoteServer = true
      rig.start()
      rig.pass { rig.isPlaying }
    },
    Situation(name: "seeking") { rig in
      let id = rig.start()
      rig.pass { rig.isPlaying }
      rig.perform(.seek(id, .milliseconds(600)))
    },
    Situation(name: "seeking, with another seek to come") { rig in
      let id = rig.start()
      rig.pass { rig.isPlaying }
      rig.track?.isFlushing = true
      rig.perform(.seek(id, .milliseconds(600)))
    },
    Situation(name: "waiting for the end of its file") { rig in
      let id = rig.start()
      rig.pass { rig.isPlaying }
      rig.track?.awaitsEnd = true
      rig.perform(.seek(id, .milliseconds(600)))
      rig.track?.awaitsEnd = false
    },
    Situation(name: "the next track loads") { rig in
      rig.sound.shape = { $0.isSilent = $0.wanted.uri.hasSuffix("b") }
      rig.start()
      rig.setNext()
      rig.pass { rig.machine.upcoming != nil }
    },
    Situation(name: "the next track feeds") { rig in
      rig.start()
      rig.setNext()
      rig.pass { rig.machine.upcoming != nil && rig.machine.feeding == rig.machine.upcoming }
    },
    Situation(name: "the next track has another format") { rig in
      rig.sound.shape = { $0.format = $0.wanted.uri.hasSuffix("b") ? FakeSound.other : FakeSound.usual }
      rig.start()
      rig.setNext()
      rig.pass { rig.machine.isEndSent }
    },
    Situation(name: "the next track is tried again") { rig in
      rig.sound.failure = { _ in nil }
      rig.sound.shape = { $0.frames = 20_000 }
      rig.start()
      rig.setNext()
      rig.pass { rig.machine.upcoming != nil }
      rig.send(.track(rig.machine.upcoming ?? 0, .failed(.made(httpStatus: 503))))
    },
    Situation(name: "at its end") { rig in
      rig.start()
      rig.pass { rig.machine.isEndSent }
    },
    Situation(name: "recording", output: "file:/a.wav") { rig in
      rig.start()
      rig.setNext()
      rig.pass { rig.isPlaying }
    },
  ]

  /// What may come, whatever the state is.
  static var inputs: [(EngineRig) -> Void] {
    let requests: [(EngineRig) -> OutputRequest] = [
      { _ in .prepare(Media(uri: "http://host/q")) },
      { .start($0.newID(), Media(uri: "http://host/n"), position: .zero, paused: false) },
      { .start($0.newID(), Media(uri: "file:///n"), position: .milliseconds(400), paused: true) },
      { .pause($0.current ?? PlayID(999)) }, { .resume($0.current ?? PlayID(999)) },
      { .seek($0.current ?? PlayID(999), .milliseconds(500)) },
      { .seek($0.current ?? PlayID(999), .seconds(900)) },
      { .setNext(NextTrack(id: $0.newID(), media: Media(uri: "http://host/m"))) },
      { _ in .setNext(nil) }, { _ in .setGain(left: 0.5, right: 0) }, { _ in .release }, { _ in .stop },
    ]
    let notices: [(Int, Int) -> PipelineEvent] = [
      { .ready($0, epoch: $1, FakeSound.usual) }, { .ready($0, epoch: $1, FakeSound.other) },
      { .joined($0, epoch: $1, running: 0, media: 0) }, { .finished($0, epoch: $1) },
      { serial, _ in .sourceEnded(serial) }, { serial, _ in .soundless(serial) },
      { serial, _ in .list(serial) },
      { serial, _ in .encoded(serial, .pcm) }, { .readOn($0, epoch: $1, at: 100) },
      { serial, _ in .oggEnd(serial, .unknowable) },
    ]
    let messages: [TrackMessage] = [
      .failed(.made(httpStatus: 404)), .failed(.made(httpStatus: 503)), .failed(.made(httpStatus: 302)),
      .failed(.made(GST_STREAM_ERROR_FAILED, isFromSource: true)), .failed(.made(GST_STREAM_ERROR_DECODE)),
      .failed(.made(GST_STREAM_ERROR_FORMAT)), .failed(.refusesRange),
      .refused(address: "file:///etc/passwd"),
      .answered(ServerAnswer(status: 200, fields: [("Content-Type", "audio/L16;rate=44100;channels=2")])),
      .answered(ServerAnswer(status: 200, fields: [("icy-name", "station")])),
      .tags(TagUpdate(title: "A song", bitRate: 320_000)), .durationChanged,
    ]
    let others: [EngineEvent] = [
      .notice(.starved), .notice(.fed), .notice(.silenced), .notice(.writeFailed("it is full")),
      .notice(.deviceMayHaveAppeared), .device(.failed(reason: "it is gone", .absent)),
      .device(.failed(reason: "it is in use", .unusable)), .device(.ended), .device(.stateChanged),
      .device(.settled), .device(.clockLost), .time,
    ]
    var all: [(EngineRig) -> Void] = requests.map { request in { $0.perform(request($0)) } }
    for role in [\EngineMachine.heard, \.upcoming, \.prepared] {
      for notice in notices {
        for isStale in [false, true] {
          all.append { rig in
            let serial = rig.machine[keyPath: role] ?? 999
            let epoch = rig.sound.tracks[serial]?.epoch ?? 0
            rig.send(.notice(notice(serial, isStale ? epoch - 1 : epoch)))
          }
        }
      }
      for message in messages { all.append { $0.send(.track($0.machine[keyPath: role] ?? 999, message)) } }
      all.append { $0.send(.readingOverdue($0.machine[keyPath: role] ?? 999)) }
    }
    for event in others { all.append { $0.send(event) } }
    for due in EnginePlan.Due.allCases {
      all.append { rig in
        guard let time = rig.machine.plan[due] else { return }
        rig.pass(Int(clamping: time.passed(since: rig.now).milliseconds) + 1)
      }
    }
    all.append { $0.send($0.sound.loseDevice(.unusable(.absent, "no such device"))) }
    all.append { $0.send($0.sound.findDevice()) }
    return all
  }

  @Test(arguments: situations) func anythingMayComeAtAnyTime(_ situation: Situation) {
    for (index, input) in Self.inputs.enumerated() {
      let rig = EngineRig(situation.output)
      situation.arrange(rig)
      #expect(rig.faults == [], "before input \(index)")
      input(rig)
      #expect(rig.faults == [], "with input \(index)")
      rig.pass(500)
      #expect(rig.faults == [], "after input \(index)")
      rig.finish()
      #expect(rig.faults == [], "when all is over after input \(index)")
    }
  }

  @Test(arguments: situations) func itQuitsAtAnyTime(_ situation: Situation) {
    let rig = EngineRig(situation.output)
    situation.arrange(rig)
    rig.send(.quit)
    #expect(rig.sound.device == nil)
    #expect(rig.sound.tracks.isEmpty)
    #expect(!rig.sound.hasSpare)
    #expect(rig.sound.made == rig.sound.disposed)
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
