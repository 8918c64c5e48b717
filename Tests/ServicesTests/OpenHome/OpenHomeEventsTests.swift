import Testing
import UPnP

@testable import Player
@testable import Services

/// Whatever control points do and the output says, in whatever order: what is told is what getters answer, and the
/// counters stand for what is told.
@Suite struct OpenHomeEventsTests {
  /// Seeds that are known to reach all there is.
  private static let fixed: [UInt64] = [1, 2]

  @Test(arguments: fixed + (0..<2).map { _ in .random(in: 0 ... .max) })
  func eventsGettersAndCountersAgree(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var configuration = OpenHomeConfiguration.example
    configuration.compatibility.currentSongInMetadata = seed % 2 == 0
    let speaker = Speaker(
      configuration: PlayerConfiguration(shuffleSeed: seed, tracksMax: 8), openHome: configuration)
    try speaker.setPresets()
    var before = Self.told(speaker)
    var changes: [String: Int] = [:]
    for step in 0..<2500 {
      let what = try Self.doSomething(speaker, &random)
      // Beyond every window in which changes are merged.
      speaker.clock.advance(seconds: 1)
      let comment: Comment = "seed \(seed), step \(step): \(what)"
      let after = Self.told(speaker)
      try speaker.expectGettersToAgree(comment)
      Self.expectCountersStandForChanges(before, after, comment)
      for (name, value) in after where before[name] != value { changes[name, default: 0] += 1 }
      before = after
    }
    guard Self.fixed.contains(seed) else { return }
    for name in [
      "Info.Uri", "Info.CodecName", "Info.Metatext", "Playlist.IdArray", "Playlist.Id", "Radio.Id",
      "Transport.StreamId", "Product.SourceIndex", "Product.Standby", "Volume.Volume", "Time.Seconds",
    ] {
      #expect(changes[name, default: 0] > 5, "\(name) hardly ever changed, so nothing is shown")
    }
  }

  /// What subscribers know, by service and variable.
  private static func told(_ speaker: Speaker) -> [String: String] {
    var told: [String: String] = [:]
    for service in speaker.openHomeServices {
      for value in service.eventedValues() { told["\(service.identity.name).\(value.name)"] = value.value }
    }
    return told
  }

  /// OpenHome Info: a counter changes when what it counts does, and never alone.
  private static func expectCountersStandForChanges(
    _ before: [String: String], _ after: [String: String], _ comment: Comment
  ) {
    func changed(_ names: String...) -> Bool { names.contains { before[$0] != after[$0] } }
    let isNew = changed("Info.TrackCount")
    #expect(isNew == changed("Time.TrackCount"), comment)
    if changed("Info.Uri") { #expect(isNew, comment) }
    if !isNew {
      #expect(changed("Info.MetatextCount") == changed("Info.Metatext"), comment)
      let details = ["Duration", "BitRate", "BitDepth", "SampleRate", "Lossless", "CodecName"]
      #expect(changed("Info.DetailsCount") == details.contains { changed("Info.\($0)") }, comment)
    }
    #expect(after["Info.Duration"] == after["Time.Duration"], comment)
  }

  // MARK: What happens

  private static func doSomething(_ speaker: Speaker, _ random: inout SplitMix64) throws -> String {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: return try edit(speaker)
    case 1..<9: return report(speaker, &random)
    default: return try act(speaker, &random)
    }
  }

  /// What single actions at random seldom come to: a playlist that is filled and emptied.
  private static func edit(_ speaker: Speaker) throws -> String {
    if speaker.player.currentState.playlist.tracks.count < 8 {
      try speaker.add("added")
      return "add"
    }
    try speaker.call(speaker.playlist, "DeleteAll")
    return "DeleteAll"
  }

  private static func act(_ speaker: Speaker, _ random: inout SplitMix64) throws -> String {
    let services: [any ServiceProvider] = [
      speaker.playlist, speaker.playlist, speaker.radio, speaker.radio, speaker.transport, speaker.volume,
      speaker.product,
    ]
    guard let service = services.randomElement(using: &random),
      let action = service.description.actions.filter({ !$0.inputs.isEmpty || $0.outputs.isEmpty })
        .randomElement(using: &random)
    else { return "nothing" }
    var arguments: [String: String] = [:]
    for input in action.inputs {
      let variable = service.description.variables[input.variable].name
      arguments[input.name] = text(
        variable == "A_ARG_TYPE_string" ? input.name : variable, speaker, &random)
    }
    let fault = try speaker.fault(service, action.name, arguments)
    return "\(service.identity.name) \(action.name) \(arguments) (\(fault ?? 0))"
  }

  private static func text(_ variable: String, _ speaker: Speaker, _ random: inout SplitMix64) -> String {
    let state = speaker.player.currentState
    let ids = state.playlist.tracks.ids + state.radio.presets.compactMap { $0?.id }
    let choices: [String]
    switch variable {
    case "Id": choices = ids.map { "\($0)" } + ["0"]
    case "Uri": choices = ["http://192.0.2.1/x", "http://192.0.2.1/y", ""]
    case "Metadata": choices = ["", "<DIDL-Lite><item><dc:title>x</dc:title></item></DIDL-Lite>"]
    case "SourceName", "SourceSystemName": choices = ["Playlist", "Radio", "UPnP AV", "x"]
    case "SourceIndex", "Index": choices = ["0", "1", "2", "9"]
    case "Channel": choices = ["Left", "Right", "x"]
    case "StreamId": choices = [speaker.evented(speaker.transport, "StreamId") ?? "0", "0"]
    case "ProductImageResolution": choices = ["Low", "High"]
    case "Mode": choices = ["playlist", "radio", "upnpav", "x"]
    case "IdList", "Command": choices = ["", "1 2 3", "index=0", "id=\(ids.first ?? 1)"]
    case "Volume": choices = ["0", "30", "100", "200"]
    default: choices = ["0", "1", "1", "2", "0"]
    }
    return choices.randomElement(using: &random) ?? "1"
  }

  /// What the output says of the track that it is at.
  private static func report(_ speaker: Speaker, _ random: inout SplitMix64) -> String {
    let number = Int.random(in: 0..<3, using: &random)
    let kind = Int.random(in: 0..<12, using: &random)
    speaker.output { id in
      switch kind {
      case 0, 1, 2: .started(id)
      case 3: .playing(id, position: .seconds(number))
      case 4: .paused(id, position: .seconds(number))
      case 5: .buffering(id)
      case 6: .duration(id, .milliseconds(number * 700))
      case 7: .seekable(id, number == 0)
      case 8: .details(id, StreamDetails(codecName: ["FLAC", "MP3", ""][number], bitRate: number))
      case 9, 10:
        .tags(id, StreamTags(title: ["A - B", "C", nil][number], station: ["R", nil][number % 2]))
      default: number == 0 ? .failed(id, PlaybackFailure(.unreachable, "gone")) : .ended(id)
      }
    }
    return "output \(kind) \(number)"
  }
}
