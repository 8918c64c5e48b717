import CoreMetrics
import Foundation
import Player
import Testing

@testable import UPnP
@testable import vireod

/// The lines that Prometheus would get, without help.
private func lines(_ registry: MetricsRegistry) -> [String] {
  var text = MetricsText()
  text.write(registry.all()) { _ in nil }
  return text.text.split(separator: "\n").map(String.init)
}

@Suite struct MetricsTextTests {
  @Test func theFormatIsPrometheus() {
    let registry = MetricsRegistry()
    Counter(label: "a_total", dimensions: [("x", "q\"\\\n"), ("y", "é")], factory: registry).increment(by: 3)
    Gauge(label: "b", factory: registry).record(0.5)
    Gauge(label: "c", factory: registry).record(Double.infinity)
    Meter(label: "d", factory: registry).decrement(by: 2)
    Recorder(label: "e", factory: registry).record(7)
    var text = MetricsText()
    text.write(registry.all()) { $0 == "a_total" ? "Back\\slash\nand line." : nil }
    #expect(
      text.text == """
        # HELP a_total Back\\\\slash\\nand line.
        # TYPE a_total counter
        a_total{x="q\\"\\\\\\n",y="é"} 3
        # TYPE b gauge
        b 0.5
        # TYPE c gauge
        c +Inf
        # TYPE d gauge
        d -2
        # TYPE e summary
        e_sum 7
        e_count 1

        """)
  }

  @Test func aDurationIsAHistogramInSeconds() {
    let registry = MetricsRegistry()
    let timer = Timer(label: "t_seconds", dimensions: [("le", "x")], factory: registry)
    for nanoseconds in [40_000, 50_000, 900_000_000] { timer.recordNanoseconds(nanoseconds) }
    let found = lines(registry)
    #expect(found.first == "# TYPE t_seconds histogram")
    #expect(found.contains("t_seconds_bucket{le_=\"x\",le=\"5e-05\"} 2"))
    #expect(found.contains("t_seconds_bucket{le_=\"x\",le=\"0.1\"} 2"))
    #expect(
      found.suffix(3) == [
        "t_seconds_bucket{le_=\"x\",le=\"+Inf\"} 3", "t_seconds_sum{le_=\"x\"} 0.90009",
        "t_seconds_count{le_=\"x\"} 3",
      ])
  }
}

/// What any library in the process may do through swift-metrics.
@Suite struct MetricsRegistryTests {
  @Test func namesBecomeThoseThatPrometheusAllows() {
    let registry = MetricsRegistry()
    Gauge(
      label: "3 nio.channels-öpen", dimensions: [("", "1"), ("a:b", "2"), ("a_b", "3")], factory: registry
    )
    .record(1)
    #expect(lines(registry).last == "_3_nio_channels___pen{_=\"1\",a_b=\"2\"} 1")
  }

  @Test func theSameNameAndLabelsAreTheSameSeries() {
    let registry = MetricsRegistry()
    for _ in 0..<3 { Counter(label: "a_total", dimensions: [("x", "1")], factory: registry).increment() }
    #expect(lines(registry) == ["# TYPE a_total counter", "a_total{x=\"1\"} 3"])
  }

  @Test func oneNameHasOneKind() {
    let registry = MetricsRegistry()
    Counter(label: "a", factory: registry).increment()
    Gauge(label: "a", factory: registry).record(9)
    Timer(label: "a", factory: registry).recordNanoseconds(9)
    #expect(lines(registry) == ["# TYPE a counter", "a 1"])
  }

  @Test func whoeverRecordsThereIsAnEnd() {
    let registry = MetricsRegistry()
    for number in 0..<(MetricsRegistry.mostSeries + 500) {
      Counter(label: "a\(number % 7)", dimensions: [("x", "\(number)")], factory: registry).increment()
    }
    #expect(registry.all().values.reduce(0) { $0 + $1.series.count } == MetricsRegistry.mostSeries)
  }

  @Test func whatIsDestroyedIsGone() {
    let registry = MetricsRegistry()
    let timer = Timer(label: "t", factory: registry)
    let counter = Counter(label: "a", dimensions: [("x", "1")], factory: registry)
    let other = Counter(label: "a", dimensions: [("x", "2")], factory: registry)
    timer.destroy()
    counter.destroy()
    other.increment()
    #expect(lines(registry) == ["# TYPE a counter", "a{x=\"2\"} 1"])
  }

  /// Counters are told by several threads where libraries have threads.
  @Test func nothingIsLostBetweenThreads() async {
    let registry = MetricsRegistry()
    let counter = Counter(label: "a", factory: registry)
    let timer = Timer(label: "t", factory: registry)
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<5000 {
            counter.increment()
            timer.recordNanoseconds(1)
          }
        }
      }
    }
    #expect(lines(registry).contains("a 40000"))
    #expect(lines(registry).contains("t_count 40000"))
  }
}

@Suite struct ActionMeterTests {
  @Test func actionsFaultsAndLatenciesAreCounted() {
    let registry = MetricsRegistry()
    var meter = ActionMeter(factory: registry)
    meter.record(ActionRecord(service: "AVTransport", action: "Play", fault: nil, nanoseconds: 40_000))
    meter.record(ActionRecord(service: "AVTransport", action: "Play", fault: 701, nanoseconds: 50_000))
    meter.record(ActionRecord(service: "AVTransport", action: "", fault: 401, nanoseconds: 900_000_000))
    let found = Set(lines(registry))
    #expect(found.contains("vireo_actions_total{service=\"AVTransport\",action=\"Play\"} 2"))
    #expect(found.contains("vireo_actions_total{service=\"AVTransport\",action=\"unknown\"} 1"))
    #expect(
      found.contains("vireo_action_faults_total{service=\"AVTransport\",action=\"Play\",code=\"701\"} 1"))
    #expect(found.contains("vireo_action_duration_seconds_count{service=\"AVTransport\"} 3"))
  }
}

@Suite struct HostMeterTests {
  @Test func whatIsCountedElsewhereIsShownAsItIs() {
    let registry = MetricsRegistry()
    var meter = HostMeter(factory: registry)
    var statistics = HostStatistics()
    for requests in [5, 5, 9] {
      statistics.requests = requests
      statistics.connections = 10 - requests
      statistics.refusals = [.tooLarge: requests]
      meter.show(statistics)
    }
    let found = Set(lines(registry))
    #expect(found.contains("vireo_http_requests_total 9"))
    #expect(found.contains("vireo_http_connections 1"))
    #expect(found.contains("vireo_refusals_total{reason=\"tooLarge\"} 9"))
    #expect(found.contains("vireo_refusals_total{reason=\"malformed\"} 0"), "there before it happens")
  }
}

@Suite struct PlayerMeterTests {
  private func play(_ events: [(PlayID) -> OutputEvent], buffered: Duration = .zero) throws -> Set<String> {
    let registry = MetricsRegistry()
    let meter = PlayerMeter(factory: registry)
    var state = PlayerState()
    let now = PlayerInstant(nanoseconds: 0)
    for command in [AVCommand.setMedia(Media(uri: "http://192.0.2.1/a.flac")), .play] {
      let old = state
      _ = try state.apply(.av(command), at: now)
      meter.take(old, state)
    }
    let id = try #require(state.transport.playID)
    for event in events {
      let old = state
      _ = state.apply(event(id), at: now)
      meter.take(old, state)
    }
    meter.show(state, buffered: buffered)
    return Set(lines(registry))
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
    let registry = MetricsRegistry()
    let meter = PlayerMeter(factory: registry)
    var state = PlayerState()
    let now = PlayerInstant(nanoseconds: 0)
    func take(_ change: (inout PlayerState) throws -> [Effect]) rethrows -> [Effect] {
      let old = state
      let effects = try change(&state)
      meter.take(old, state)
      return effects
    }
    func shown() -> Set<String> {
      meter.show(state, buffered: .zero)
      return Set(lines(registry))
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
