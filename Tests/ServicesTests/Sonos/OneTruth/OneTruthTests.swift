import DIDLLite
import Player
import SeededRandom
import Testing
import UPnP

@testable import Services

/// An AV, an OpenHome and a Sonos-class controller at the same player: what each of them reads, and what each is told, is what
/// the model says.
@Suite struct OneTruthTests {
  private static let volumeLimit = 80
  private static let actions = 2500

  /// 10,000 actions in all.
  @Test(arguments: [1, 7, 12, 40])
  func threeControllersSeeOneTruth(mostTracks: Int) async throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    do {
      try await play(seed: seed, mostTracks: mostTracks)
    } catch let difference as Difference {
      Issue.record("seed \(seed), \(mostTracks) tracks: \(difference)")
    }
  }

  private func play(seed: UInt64, mostTracks: Int) async throws {
    var dice = SeededRandom(seed: seed)
    let rig = TruthRig(
      PlayerConfiguration(
        volumeLimit: Self.volumeLimit, shuffleSeed: seed, tracksMax: mostTracks,
        pauseRelease: .seconds(1_000_000)))
    var model = TruthModel(
      mostTracks: mostTracks, volumeLimit: Self.volumeLimit, volume: try rig.volume())
    var (reached, refused): (Set<String>, Int) = ([], 0)
    for step in 0..<Self.actions {
      let action = TruthAction.random(&dice, model, step: step)
      let fault = try await rig.perform(action)
      refused += fault == nil ? 0 : 1
      let views = try await rig.views()
      rig.last.append("\(step) \(action)\(fault.map { ": \($0)" } ?? "")")
      var differences: [String] = []
      var found: TruthModel?
      for outcome in model.outcomes(of: action) {
        let difference = rig.difference(outcome, fault: fault, from: views)
        if difference.isEmpty {
          found = rig.adopted(outcome.model, views)
          break
        }
        differences.append(difference)
      }
      guard let found else {
        throw Difference(text: (rig.last.suffix(12) + differences).joined(separator: "\n"))
      }
      model = found
      reached.insert("\(model.source) \(model.phase) \(model.isStandby)")
      if step % 25 == 0 { try rig.speaker.expectGettersToAgree("seed \(seed), step \(step)") }
    }
    #expect(refused < Self.actions / 2 && refused > Self.actions / 40, "seed \(seed): \(refused)")
    #expect(reached.count >= 12, "seed \(seed): \(reached.sorted())")
  }

  struct Difference: Error, CustomStringConvertible {
    var text: String
    var description: String { text }
  }
}

/// One player, three controllers, and hands that do what the output would.
private final class TruthRig {
  /// What each device says.
  struct Views {
    var openHome: [String: String] = [:]
    var zone: [String: String] = [:]
    var renderer: [String: String] = [:]
  }

  private let zone: ZoneSpeaker
  var speaker: Speaker { zone.speaker }
  var last: [String] = []
  private var woken = 0
  private var titles: (token: String?, text: String) = (nil, "")

  init(_ configuration: PlayerConfiguration) { zone = ZoneSpeaker(configuration: configuration) }

  func volume() throws -> Int { Int(try speaker.call(speaker.volume, "Volume")["Value"] ?? "") ?? -1 }

  // MARK: Comparing

  /// What of `views` isn't as the outcome says; empty when all is.
  func difference(_ outcome: TruthModel.Outcome, fault: Int?, from views: Views) -> String {
    guard fault == outcome.fault else {
      return
        "fault \(fault.map(String.init) ?? "none"), and \(outcome.fault.map(String.init) ?? "none") is right"
    }
    let model = adopted(outcome.model, views)
    guard model.current == 0 || model.tracks.contains(where: { $0.id == model.current }) else {
      return "the current track isn't in the list"
    }
    let parts = [
      ("OpenHome", views.openHome, model.openHome), ("zone", views.zone, model.zone(queue: zone.queueURI)),
      ("renderer", views.renderer, model.renderer),
    ]
    return parts.flatMap { name, seen, right in
      right.filter { seen[$0.key] != $0.value }.map {
        "\(name) \($0.key) is \(seen[$0.key] ?? "nothing"), and \($0.value) is right"
      }
    }.sorted().joined(separator: "\n")
  }

  /// The model with what only dice know: where a shuffled list goes.
  func adopted(_ model: TruthModel, _ views: Views) -> TruthModel {
    guard model.current == nil else { return model }
    var model = model
    model.current = views.openHome["Id"].flatMap { UInt32($0) } ?? 0
    return model
  }

  // MARK: Looking

  func views() async throws -> Views {
    Views(openHome: try openHomeView(), zone: try await zoneView(), renderer: try rendererView())
  }

  private func openHomeView() throws -> [String: String] {
    let speaker = speaker
    let index = try speaker.call(speaker.product, "SourceIndex")["Value"] ?? ""
    let ids = IdArrayText.ids(try speaker.call(speaker.playlist, "IdArray")["Array"] ?? "")
    return [
      "TransportState": try told(speaker.transport, "TransportState", "State", "TransportState"),
      "Source": try speaker.call(speaker.product, "Source", ["Index": index])["SystemName"] ?? "",
      "Standby": try told(speaker.product, "Standby", "Value", "Standby"),
      "Uri": try told(speaker.info, "Track", "Uri", "Uri"),
      "PlaylistState": try told(speaker.playlist, "TransportState", "Value", "TransportState"),
      "RadioState": try told(speaker.radio, "TransportState", "Value", "TransportState"),
      "Channel": try told(speaker.radio, "Channel", "Uri", "Uri"),
      "Id": try told(speaker.playlist, "Id", "Value", "Id"),
      "Ids": ids.map { String($0) }.joined(separator: " "),
      "Repeat": try told(speaker.playlist, "Repeat", "Value", "Repeat"),
      "Shuffle": try told(speaker.playlist, "Shuffle", "Value", "Shuffle"),
      "Volume": try told(speaker.volume, "Volume", "Value", "Volume"),
      "Mute": try told(speaker.volume, "Mute", "Value", "Mute"),
    ]
  }

  /// What the getter answers, if subscribers are told the same; else both.
  private func told(
    _ service: any ServiceProvider, _ getter: String, _ argument: String, _ variable: String,
    channel: String? = nil, with inputs: [String: String] = [:]
  ) throws -> String {
    let read = try speaker.call(service, getter, inputs)[argument] ?? "nothing"
    let told = speaker.evented(service, variable, channel: channel) ?? "nothing"
    return read == told ? read : "\(read), told as \(told)"
  }

  private func zoneView() async throws -> [String: String] {
    let (transport, master) = (zone.transport, ["Channel": "Master"])
    let volumes = [
      try told(zone.rendering, "GetVolume", "CurrentVolume", "Volume", channel: "Master", with: master),
      try told(zone.group, "GetGroupVolume", "CurrentVolume", "GroupVolume"),
    ]
    let mutes = [
      try told(zone.rendering, "GetMute", "CurrentMute", "Mute", channel: "Master", with: master),
      try told(zone.group, "GetGroupMute", "CurrentMute", "GroupMute"),
    ]
    return [
      "TransportState": try told(
        transport, "GetTransportInfo", "CurrentTransportState", "TransportState"),
      "CurrentPlayMode": try told(transport, "GetTransportSettings", "PlayMode", "CurrentPlayMode"),
      "TrackURI": try told(transport, "GetPositionInfo", "TrackURI", "CurrentTrackURI"),
      "CurrentTrack": try told(transport, "GetPositionInfo", "Track", "CurrentTrack"),
      "AVTransportURI": try told(transport, "GetMediaInfo", "CurrentURI", "AVTransportURI"),
      "NumberOfTracks": try told(transport, "GetMediaInfo", "NrTracks", "NumberOfTracks"),
      "Volume": Set(volumes).sorted().joined(separator: ", but of the group "),
      "Mute": Set(mutes).sorted().joined(separator: ", but of the group "),
      "Titles": try await browsed(),
    ]
  }

  /// The titles of the queue, which are read again when its number has changed.
  private func browsed() async throws -> String {
    let token = zone.evented(zone.queue, "UpdateID")
    guard token == nil || token != titles.token else { return titles.text }
    titles = (token, try await zone.titles("Q:0").joined(separator: " "))
    return titles.text
  }

  private func rendererView() throws -> [String: String] {
    let transport = speaker.avTransport
    let media = try told(transport, "GetMediaInfo", "CurrentURI", "AVTransportURI")
    let track = try told(transport, "GetPositionInfo", "TrackURI", "CurrentTrackURI")
    return [
      "TransportState": try told(
        transport, "GetTransportInfo", "CurrentTransportState", "TransportState"),
      "Uri": media == track ? track : "\(media), with the track \(track)",
      "Volume": try told(
        speaker.renderingControl, "GetVolume", "CurrentVolume", "Volume", channel: "Master",
        with: ["Channel": "Master"]),
      "Mute": try told(
        speaker.renderingControl, "GetMute", "CurrentMute", "Mute", channel: "Master",
        with: ["Channel": "Master"]),
    ]
  }

  // MARK: Acting

  /// The code of the fault; nil when it succeeds.
  func perform(_ action: TruthAction) async throws -> Int? {
    speaker.clock.advance(seconds: 1)
    switch action {
    case .zone(let action): return try await perform(action)
    case .openHome(let action): return try perform(action)
    case .renderer(let action): return try perform(action)
    case .heard:
      speaker.output { .started($0) }
      speaker.output { .playing($0, position: .zero) }
      speaker.output { .paused($0, position: .zero) }
    case .ended:
      // A station doesn't end, and what hasn't begun can't.
      if zone.state.phase == .playing, zone.state.activeSource != .radio { speaker.output { .ended($0) } }
    case .quiet:
      speaker.clock.advance(seconds: 6)
      let effects = speaker.effects
      let wakes = effects[woken...].compactMap { if case .wake(_, let id) = $0 { id } else { nil } }
      woken = effects.count
      for id in wakes { try speaker.player.change(.wake(id)) }
    }
    return nil
  }

  private func perform(_ action: TruthAction.Zone) async throws -> Int? {
    let (transport, rendering) = (zone.transport, zone.rendering)
    func call(_ name: String, _ arguments: [String: String] = [:]) async throws -> Int? {
      try await zone.fault(transport, name, arguments)
    }
    func set(_ uri: String) async throws -> Int? {
      try await call("SetAVTransportURI", ["CurrentURI": uri, "CurrentURIMetaData": ""])
    }
    switch action {
    case .add(let names, let place, let asNext):
      let name = names.first ?? ""
      return try await call(
        "AddURIToQueue",
        [
          "EnqueuedURI": TruthModel.address(name), "EnqueuedURIMetaData": ZoneSpeaker.metadata(name),
          "DesiredFirstTrackNumberEnqueued": String(place), "EnqueueAsNext": asNext ? "1" : "0",
        ])
    case .addEach(let names, let place):
      return try await call(
        "AddMultipleURIsToQueue",
        [
          "UpdateID": "0", "NumberOfURIs": String(names.count),
          "EnqueuedURIs": names.map(TruthModel.address).joined(separator: " "),
          "EnqueuedURIsMetaData": names.map(ZoneSpeaker.metadata).joined(separator: " "), "ContainerURI": "",
          "ContainerMetaData": "", "DesiredFirstTrackNumberEnqueued": String(place), "EnqueueAsNext": "0",
        ])
    case .remove(let place):
      return try await call("RemoveTrackFromQueue", ["ObjectID": "Q:0/\(place)", "UpdateID": "0"])
    case .removeRange(let start, let count):
      return try await call(
        "RemoveTrackRangeFromQueue",
        ["UpdateID": "0", "StartingIndex": String(start), "NumberOfTracks": String(count)])
    case .removeAll: return try await call("RemoveAllTracksFromQueue")
    case .move(let start, let count, let target):
      return try await call(
        "ReorderTracksInQueue",
        [
          "StartingIndex": String(start), "NumberOfTracks": String(count), "InsertBefore": String(target),
          "UpdateID": "0",
        ])
    case .seekTrack(let number):
      return try await call("Seek", ["Unit": "TRACK_NR", "Target": String(number)])
    case .seekTime: return try await call("Seek", ["Unit": "REL_TIME", "Target": "0:00:10"])
    case .play: return try await call("Play", ["Speed": "1"])
    case .pause: return try await call("Pause")
    case .stop: return try await call("Stop")
    case .next: return try await call("Next")
    case .previous: return try await call("Previous")
    case .setMode(let repeats, let shuffles):
      return try await call("SetPlayMode", ["NewPlayMode": TruthModel.mode(repeats, shuffles)])
    case .selectQueue: return try await set(zone.queueURI)
    case .setTrack(let name): return try await set(TruthModel.address(name))
    case .setStation(let name, let isShort): return try await set(TruthModel.station(name, isShort: isShort))
    case .setVolume(let step):
      return try await zone.fault(
        rendering, "SetVolume", ["Channel": "Master", "DesiredVolume": String(step)])
    case .changeVolume(let distance):
      return try await zone.fault(
        rendering, "SetRelativeVolume", ["Channel": "Master", "Adjustment": String(distance)])
    case .setMute(let isMuted):
      return try await zone.fault(
        rendering, "SetMute", ["Channel": "Master", "DesiredMute": isMuted ? "1" : "0"])
    case .setGroupVolume(let step):
      return try await zone.fault(zone.group, "SetGroupVolume", ["DesiredVolume": String(step)])
    case .setGroupMute(let isMuted):
      return try await zone.fault(zone.group, "SetGroupMute", ["DesiredMute": isMuted ? "1" : "0"])
    }
  }

  private func perform(_ action: TruthAction.OpenHome) throws -> Int? {
    let speaker = speaker
    func value(_ service: any ServiceProvider, _ name: String, _ value: String) throws -> Int? {
      try speaker.fault(service, name, ["Value": value])
    }
    let (playlist, transport) = (speaker.playlist, speaker.transport)
    switch action {
    case .insert(let name, let after):
      return try speaker.fault(
        playlist, "Insert",
        [
          "AfterId": String(after), "Uri": TruthModel.address(name), "Metadata": ZoneSpeaker.metadata(name),
        ])
    case .delete(let id): return try value(playlist, "DeleteId", String(id))
    case .deleteAll: return try speaker.fault(playlist, "DeleteAll")
    case .seekID(let id): return try value(playlist, "SeekId", String(id))
    case .seekIndex(let index): return try value(playlist, "SeekIndex", String(index))
    case .seekTime: return try value(playlist, "SeekSecondAbsolute", "10")
    case .play: return try speaker.fault(playlist, "Play")
    case .pause: return try speaker.fault(playlist, "Pause")
    case .stop: return try speaker.fault(playlist, "Stop")
    case .next: return try speaker.fault(playlist, "Next")
    case .previous: return try speaker.fault(playlist, "Previous")
    case .transportPlay: return try speaker.fault(transport, "Play")
    case .transportPause: return try speaker.fault(transport, "Pause")
    case .transportStop: return try speaker.fault(transport, "Stop")
    case .skipNext: return try speaker.fault(transport, "SkipNext")
    case .skipPrevious: return try speaker.fault(transport, "SkipPrevious")
    case .setRepeat(let isOn): return try value(playlist, "SetRepeat", isOn ? "1" : "0")
    case .setShuffle(let isOn): return try value(playlist, "SetShuffle", isOn ? "1" : "0")
    case .setSource(let source): return try value(speaker.product, "SetSourceBySystemName", source.rawValue)
    case .setStandby(let isOn): return try value(speaker.product, "SetStandby", isOn ? "1" : "0")
    case .setChannel(let name):
      return try speaker.fault(
        speaker.radio, "SetChannel", ["Uri": TruthModel.address(name), "Metadata": ""])
    case .playRadio: return try speaker.fault(speaker.radio, "Play")
    case .stopRadio: return try speaker.fault(speaker.radio, "Stop")
    case .setVolume(let step): return try value(speaker.volume, "SetVolume", String(step))
    case .changeVolume(let up): return try speaker.fault(speaker.volume, up ? "VolumeInc" : "VolumeDec")
    case .setMute(let isMuted): return try value(speaker.volume, "SetMute", isMuted ? "1" : "0")
    }
  }

  private func perform(_ action: TruthAction.Renderer) throws -> Int? {
    let (transport, rendering) = (speaker.avTransport, speaker.renderingControl)
    switch action {
    case .setURI(let name):
      return try speaker.fault(
        transport, "SetAVTransportURI", ["CurrentURI": TruthModel.address(name), "CurrentURIMetaData": ""])
    case .seekTime: return try speaker.fault(transport, "Seek", ["Unit": "REL_TIME", "Target": "0:00:10"])
    case .play: return try speaker.fault(transport, "Play", ["Speed": "1"])
    case .pause: return try speaker.fault(transport, "Pause")
    case .stop: return try speaker.fault(transport, "Stop")
    case .next: return try speaker.fault(transport, "Next")
    case .previous: return try speaker.fault(transport, "Previous")
    case .setVolume(let step):
      return try speaker.fault(
        rendering, "SetVolume", ["Channel": "Master", "DesiredVolume": String(step)])
    case .setMute(let isMuted):
      return try speaker.fault(
        rendering, "SetMute", ["Channel": "Master", "DesiredMute": isMuted ? "1" : "0"])
    }
  }
}

/// An IdArray as controllers read it.
private enum IdArrayText {
  static func ids(_ text: String) -> [UInt32] {
    let digits = text.utf8.compactMap { digit -> UInt32? in
      switch digit {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
      case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a") + 26)
      case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0") + 52)
      case UInt8(ascii: "+"): 62
      case UInt8(ascii: "/"): 63
      default: nil
      }
    }
    var (bits, count, words): (UInt64, Int, [UInt32]) = (0, 0, [])
    for digit in digits {
      (bits, count) = (bits << 6 | UInt64(digit), count + 6)
      if count >= 32 {
        count -= 32
        words.append(UInt32(truncatingIfNeeded: bits >> UInt64(count)))
      }
    }
    return words
  }
}
