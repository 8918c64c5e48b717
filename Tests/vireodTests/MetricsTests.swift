import Foundation
import Player
import Testing

@testable import UPnP
@testable import vireod

/// The lines that Prometheus would get, without help.
private func lines(_ text: MetricsText) -> [String] {
  text.text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("# HELP") }
}

@Suite struct MetricsTextTests {
  @Test func theFormatIsPrometheus() {
    var text = MetricsText()
    text.add(.volume, 0.5)
    text.add(.muted, 1)
    text.add(.uptime, .infinity)
    text.add(.soundDepth, .nan)
    text.add(.actions, 3, ["service": "q\"\\\n", "action": "é"])
    #expect(
      text.text == """
        # HELP vireo_actions_total Actions, failed ones included.
        # TYPE vireo_actions_total counter
        vireo_actions_total{service="q\\"\\\\\\n",action="é"} 3
        # HELP vireo_muted 1 while muted.
        # TYPE vireo_muted gauge
        vireo_muted 1
        # HELP vireo_sound_depth_bits Bits of a sample that the sound device gets; 0 while none is open.
        # TYPE vireo_sound_depth_bits gauge
        vireo_sound_depth_bits NaN
        # HELP vireo_uptime_seconds Time since the start.
        # TYPE vireo_uptime_seconds gauge
        vireo_uptime_seconds +Inf
        # HELP vireo_volume Volume, 0 to 100.
        # TYPE vireo_volume gauge
        vireo_volume 0.5

        """)
  }

  @Test func seriesAreInTheOrderOfTheirLabels() {
    var text = MetricsText()
    for (service, action) in [("a", "z"), ("ab", "b"), ("a", "y")] {
      text.add(.actions, 1, ["service": service, "action": action])
    }
    #expect(
      lines(text) == [
        "# TYPE vireo_actions_total counter",
        "vireo_actions_total{service=\"a\",action=\"y\"} 1",
        "vireo_actions_total{service=\"a\",action=\"z\"} 1",
        "vireo_actions_total{service=\"ab\",action=\"b\"} 1",
      ])
  }

  @Test func aDurationIsAHistogramInSeconds() {
    var histogram = Histogram()
    for nanoseconds: Int64 in [40_000, 50_000, 900_000_000] { histogram.record(nanoseconds: nanoseconds) }
    var text = MetricsText()
    text.add(.actionDuration, histogram, ["service": "x"])
    let found = lines(text)
    let name = "vireo_action_duration_seconds"
    #expect(found.count == 1 + Histogram.bounds.count + 3)
    #expect(found.first == "# TYPE \(name) histogram")
    #expect(found.contains("\(name)_bucket{service=\"x\",le=\"5e-05\"} 2"))
    #expect(found.contains("\(name)_bucket{service=\"x\",le=\"0.1\"} 2"))
    #expect(
      found.suffix(3) == [
        "\(name)_bucket{service=\"x\",le=\"+Inf\"} 3", "\(name)_sum{service=\"x\"} 0.90009",
        "\(name)_count{service=\"x\"} 3",
      ])
  }
}

@Suite struct ActionMeterTests {
  @Test func actionsFaultsAndLatenciesAreCounted() {
    var meter = ActionMeter()
    meter.record(ActionRecord(service: "AVTransport", action: "Play", fault: nil, nanoseconds: 40_000))
    meter.record(ActionRecord(service: "AVTransport", action: "Play", fault: 701, nanoseconds: 50_000))
    meter.record(ActionRecord(service: "AVTransport", action: "", fault: 401, nanoseconds: 900_000_000))
    var text = MetricsText()
    meter.write(to: &text)
    let found = Set(lines(text))
    #expect(found.contains("vireo_actions_total{service=\"AVTransport\",action=\"Play\"} 2"))
    #expect(found.contains("vireo_actions_total{service=\"AVTransport\",action=\"unknown\"} 1"))
    #expect(
      found.contains("vireo_action_faults_total{service=\"AVTransport\",action=\"Play\",code=\"701\"} 1"))
    #expect(found.contains("vireo_action_duration_seconds_count{service=\"AVTransport\"} 3"))
  }
}

@Suite struct HostStatisticsTests {
  @Test func refusalsAreThereBeforeTheyHappen() {
    var statistics = HostStatistics()
    statistics.requests = 9
    statistics.connections = 1
    statistics.refusals = [.tooLarge: 9]
    var text = MetricsText()
    statistics.write(to: &text)
    let found = Set(lines(text))
    #expect(found.contains("vireo_http_requests_total 9"))
    #expect(found.contains("vireo_http_connections 1"))
    #expect(found.contains("vireo_refusals_total{reason=\"tooLarge\"} 9"))
    #expect(found.contains("vireo_refusals_total{reason=\"malformed\"} 0"))
  }
}

extension PlayerMeter {
  /// What the edge passes on.
  mutating func take(_ effects: [Effect]) {
    for case .report(let report) in effects { take(report) }
  }
}

@Suite struct PlayerMeterTests {
  private func play(_ events: [(PlayID) -> OutputEvent], buffered: Duration = .zero) throws -> Set<String> {
    var meter = PlayerMeter()
    var state = PlayerState()
    let now = PlayerInstant(nanoseconds: 0)
    for command in [AVCommand.setMedia(Media(uri: "http://192.0.2.1/a.flac")), .play] {
      let old = state
      let effects = try state.apply(.av(command), at: now)
      meter.take(old, state)
      meter.take(effects)
    }
    let id = try #require(state.transport.playID)
    for event in events {
      let old = state
      let effects = state.apply(event(id), at: now)
      meter.take(old, state)
      meter.take(effects)
    }
    var text = MetricsText()
    meter.write(state, buffered: buffered, to: &text)
    return Set(lines(text))
  }

  @Test func tracksUnderrunsAndFailuresAreCounted() throws {
    let found = try play([
      { .started($0) }, { .playing($0, position: .zero) }, { .buffering($0) },
      { .playing($0, position: .zero) },
      { .failed($0, PlaybackFailure(.corrupt, "gone")) },
    ])
    #expect(found.contains("vireo_tracks_started_total 1"))
    #expect(found.contains("vireo_tracks_gapless_total 0"))
    #expect(found.contains("vireo_underruns_total 1"))
    #expect(found.contains("vireo_playback_failures_total{kind=\"corrupt\"} 1"))
    #expect(found.contains("vireo_playback_failures_total{kind=\"notFound\"} 0"), "there before it happens")
    #expect(found.contains("vireo_player_state{state=\"stopped\"} 1"))
    #expect(found.contains("vireo_buffer_seconds 0"))
  }

  @Test func whatBecomesOfTheSoundIsShown() throws {
    let format = SampleFormat(name: "S16LE", depth: 16, isFloat: false, rate: 44100, channels: 2)
    let path = SoundPath(decoded: format, delivered: format, target: .card)
    var found = try play([
      { .started($0) }, { .playing($0, position: .zero) }, { _ in .device(.open(name: "alsa:hw:0", path)) },
    ])
    #expect(found.contains("vireo_sound_device{state=\"open\"} 1"))
    #expect(found.contains("vireo_sound_device{state=\"closed\"} 0"))
    #expect(found.contains("vireo_sound_rate_hertz 44100"))
    #expect(found.contains("vireo_sound_depth_bits 16"))
    #expect(found.contains("vireo_sound_resampled 0"))
    #expect(found.contains("vireo_bit_perfect 1"))
    var converted = path
    converted.delivered = SampleFormat(name: "S32LE", depth: 32, isFloat: false, rate: 48000, channels: 2)
    found = try play([
      { .started($0) }, { .playing($0, position: .zero) },
      { [converted] _ in .device(.open(name: "x", converted)) },
    ])
    #expect(found.contains("vireo_sound_rate_hertz 48000"))
    #expect(found.contains("vireo_sound_depth_bits 32"))
    #expect(found.contains("vireo_sound_resampled 1"))
    found = try play([
      { .started($0) }, { .playing($0, position: .zero) }, { _ in .device(.away("unplugged")) },
      { .buffering($0) },
    ])
    #expect(found.contains("vireo_sound_device{state=\"away\"} 1"))
    #expect(found.contains("vireo_bit_perfect 0"))
    #expect(found.contains("vireo_underruns_total 0"), "the data is there")
  }

  @Test func aStationThatComesBackIsLostOnceAndStartedTwice() throws {
    var meter = PlayerMeter()
    var state = PlayerState()
    let now = PlayerInstant(nanoseconds: 0)
    func take(_ change: (inout PlayerState) throws -> [Effect]) rethrows -> [Effect] {
      let old = state
      let effects = try change(&state)
      meter.take(old, state)
      meter.take(effects)
      return effects
    }
    func shown() -> Set<String> {
      var text = MetricsText()
      meter.write(state, buffered: .zero, to: &text)
      return Set(lines(text))
    }
    for command in [RadioCommand.setChannel(Media(uri: "http://192.0.2.1/live")), .play] {
      _ = try take { try $0.apply(.radio(command), at: now) }
    }
    #expect(shown().contains("vireo_player_state{state=\"loading\"} 1"))
    var id = try #require(state.transport.playID)
    _ = take { $0.apply(.started(id), at: now) }
    let effects = take { $0.apply(.failed(id, PlaybackFailure(.unreachable, "gone")), at: now) }
    var found = shown()
    #expect(found.contains("vireo_player_state{state=\"reconnecting\"} 1"))
    #expect(found.contains("vireo_player_state{state=\"loading\"} 0"))
    #expect(found.contains("vireo_stations_lost_total 1"))
    for case .wake(_, let wake) in effects { _ = try take { try $0.apply(.wake(wake), at: now) } }
    id = try #require(state.transport.playID)
    _ = take { $0.apply(.started(id), at: now) }
    found = shown()
    #expect(found.contains("vireo_stations_lost_total 1"))
    #expect(found.contains("vireo_tracks_started_total 2"))
    #expect(found.contains("vireo_underruns_total 0"))
    #expect(found.contains("vireo_playback_failures_total{kind=\"unreachable\"} 0"))
  }

  @Test func skippedTracksAreCountedEachAndAStopNotOnceMore() throws {
    var meter = PlayerMeter()
    var state = PlayerState()
    let now = PlayerInstant(nanoseconds: 0)
    func take(_ change: (inout PlayerState) throws -> [Effect]) rethrows {
      let old = state
      let effects = try change(&state)
      meter.take(old, state)
      meter.take(effects)
    }
    for number in 0..<6 {
      let media = Media(uri: "http://192.0.2.1/\(number).flac")
      try take { try $0.apply(.playlist(.insert(after: UInt32(number), media)), at: now) }
    }
    try take { try $0.apply(.playlist(.play), at: now) }
    let id = try #require(state.transport.playID)
    take { $0.apply(.started(id), at: now) }
    for number in 1...3 {
      let next = PlayID(id.value + UInt64(number))
      take { $0.apply(.failed(next, PlaybackFailure(.notFound, "404")), at: now) }
    }
    take { $0.apply(.playing(id, position: .seconds(1)), at: now) }
    take { $0.apply(.ended(id), at: now) }
    #expect(state.transport == .stopped && state.failure != nil)
    var text = MetricsText()
    meter.write(state, buffered: .zero, to: &text)
    #expect(Set(lines(text)).contains("vireo_playback_failures_total{kind=\"notFound\"} 3"))
  }

  @Test func aTrackThatIsNeverHeardIsNotStarted() throws {
    let found = try play([{ .failed($0, PlaybackFailure(.notFound, "404")) }])
    #expect(found.contains("vireo_tracks_started_total 0"))
    #expect(found.contains("vireo_playback_failures_total{kind=\"notFound\"} 1"))
  }

  @Test func theBufferIsShown() throws {
    let found = try play(
      [{ .started($0) }, { .playing($0, position: .zero) }], buffered: .milliseconds(2250))
    #expect(found.contains("vireo_buffer_seconds 2.25"))
    #expect(found.contains("vireo_player_state{state=\"playing\"} 1"))
  }
}

@Suite struct ProcessMeterTests {
  @Test func theKernelSaysWhatWeCost() throws {
    let cost = ProcessUsage.now()
    #expect(try #require(cost.resident) > 1_000_000)
    #expect(try #require(cost.threads) >= 1)
    #expect(try #require(cost.descriptors) >= 3)
  }
}

/// The dashboard asks for nothing that isn't served.
@Suite struct DashboardTests {
  @Test func everyMetricOfTheDashboardExists() throws {
    let file = repository.appendingPathComponent("Config/grafana/vireo.json")
    let dashboard = try String(contentsOf: file, encoding: .utf8)
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(dashboard.utf8)) }
    let served = Set(Metric.allCases.map { Substring($0.rawValue) })
    let asked = Set(dashboard.matches(of: /(?:vireo|process)_[a-z_]+/).map(\.output))
      .filter { $0 != "vireo_" }.map { $0.hasSuffix("_bucket") ? $0.dropLast(7) : $0 }
    #expect(asked.count > 10)
    for name in asked { #expect(served.contains(name), "\(name) isn't served") }
  }
}
