import Foundation
import Player
import Testing
import UPnP

@testable import vireod

@Suite struct MetricsTextTests {
  @Test func theFormatIsPrometheus() {
    var text = MetricsText()
    text.metric("a_total", .counter, "Back\\slash\nand line.")
    text.sample(["x": "q\"\\\n", "y": "é"], 3)
    text.single("b", .gauge, "B", 0.5)
    text.single("c", .gauge, "C", true)
    text.single("d", .gauge, "D", Double.infinity)
    #expect(
      text.text == """
        # HELP a_total Back\\\\slash\\nand line.
        # TYPE a_total counter
        a_total{x="q\\"\\\\\\n",y="é"} 3
        # HELP b B
        # TYPE b gauge
        b 0.5
        # HELP c C
        # TYPE c gauge
        c 1
        # HELP d D
        # TYPE d gauge
        d +Inf

        """)
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
    let lines = Set(text.text.split(separator: "\n").map(String.init))
    #expect(lines.contains("vireo_actions_total{service=\"AVTransport\",action=\"Play\"} 2"))
    #expect(lines.contains("vireo_actions_total{service=\"AVTransport\",action=\"unknown\"} 1"))
    #expect(
      lines.contains("vireo_action_faults_total{service=\"AVTransport\",action=\"Play\",code=\"701\"} 1"))
    #expect(lines.contains("vireo_action_duration_seconds_bucket{service=\"AVTransport\",le=\"5e-05\"} 2"))
    #expect(lines.contains("vireo_action_duration_seconds_bucket{service=\"AVTransport\",le=\"0.1\"} 2"))
    #expect(lines.contains("vireo_action_duration_seconds_bucket{service=\"AVTransport\",le=\"+Inf\"} 3"))
    #expect(lines.contains("vireo_action_duration_seconds_count{service=\"AVTransport\"} 3"))
    #expect(lines.contains("vireo_action_duration_seconds_sum{service=\"AVTransport\"} 0.90009"))
  }
}

@Suite struct PlayerMeterTests {
  private func play(_ events: [(PlayID) -> OutputEvent]) throws -> PlayerMeter {
    var state = PlayerState()
    var meter = PlayerMeter()
    let now = PlayerInstant(nanoseconds: 0)
    for command in [Command.setAVURI(Media(uri: "http://192.0.2.1/a.flac")), .play] {
      let old = state
      _ = try state.apply(command, at: now)
      meter.take(old, state)
    }
    let id = try #require(state.transport.playID)
    for event in events {
      let old = state
      _ = state.apply(event(id), at: now)
      meter.take(old, state)
    }
    return meter
  }

  @Test func tracksUnderrunsAndFailuresAreCounted() throws {
    let meter = try play([
      { .started($0) }, { .playing($0, position: .zero) }, { .buffering($0) },
      { .playing($0, position: .zero) },
      { .failed($0, PlaybackFailure(.unreachable, "gone")) },
    ])
    #expect(meter.started == 1)
    #expect(meter.gapless == 0)
    #expect(meter.underruns == 1)
    #expect(meter.failures == ["unreachable": 1])
  }

  @Test func aStationThatComesBackIsLostOnceAndStartedTwice() throws {
    var state = PlayerState()
    var meter = PlayerMeter()
    let now = PlayerInstant(nanoseconds: 0)
    func take(_ change: (inout PlayerState) throws -> [Effect]) rethrows -> [Effect] {
      let old = state
      let effects = try change(&state)
      meter.take(old, state)
      return effects
    }
    func text() -> String {
      var text = MetricsText()
      meter.write(to: &text, state: state)
      return text.text
    }
    for command in [RadioCommand.setChannel(Media(uri: "http://192.0.2.1/live")), .play] {
      _ = try take { try $0.apply(.radio(command), at: now) }
    }
    #expect(text().contains("vireo_player_state{state=\"loading\"} 1"))
    var id = try #require(state.transport.playID)
    _ = take { $0.apply(.started(id), at: now) }
    let effects = take { $0.apply(.failed(id, PlaybackFailure(.unreachable, "gone")), at: now) }
    #expect(text().contains("vireo_player_state{state=\"reconnecting\"} 1"))
    #expect(text().contains("vireo_player_state{state=\"loading\"} 0"))
    #expect(meter.lostStations == 1)
    for case .wake(_, let wake) in effects { _ = try take { try $0.apply(.wake(wake), at: now) } }
    id = try #require(state.transport.playID)
    _ = take { $0.apply(.started(id), at: now) }
    #expect((meter.lostStations, meter.started, meter.underruns) == (1, 2, 0))
    #expect(meter.failures == [:])
  }

  @Test func aTrackThatIsNeverHeardIsNotStarted() throws {
    let meter = try play([{ .failed($0, PlaybackFailure(.notFound, "404")) }])
    #expect(meter.started == 0)
    #expect(meter.failures == ["notFound": 1])
  }
}

@Suite struct ProcessMeterTests {
  @Test func theKernelSaysWhatWeCost() throws {
    let meter = ProcessMeter.now()
    #expect(try #require(meter.resident) > 1_000_000)
    #expect(try #require(meter.threads) >= 1)
    #expect(try #require(meter.descriptors) >= 3)
  }
}

/// The dashboard asks for nothing that isn't served.
@Suite struct DashboardTests {
  @Test func everyMetricOfTheDashboardExists() throws {
    let file = repository.appendingPathComponent("Config/grafana/vireo.json")
    let dashboard = try String(contentsOf: file, encoding: .utf8)
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(dashboard.utf8)) }
    var text = MetricsText()
    PlayerMeter().write(to: &text, state: PlayerState())
    ActionMeter().write(to: &text)
    HostStatistics().write(to: &text)
    ProcessMeter.now().write(to: &text)
    let served = Set(
      text.text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }.map { $0.split(separator: " ")[2] }
    ).union(["vireo_build_info", "vireo_uptime_seconds"])
    let asked = Set(dashboard.matches(of: /(?:vireo|process)_[a-z_]+/).map(\.output))
      .filter { $0 != "vireo_" }.map { $0.hasSuffix("_bucket") ? $0.dropLast(7) : $0 }
    #expect(asked.count > 10)
    for name in asked { #expect(served.contains(name), "\(name) isn't served") }
  }
}
