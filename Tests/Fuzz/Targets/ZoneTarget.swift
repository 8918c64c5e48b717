import DIDLLite
import Dispatch
import Kept
import Logging
import NIOCore
import Player
import Services
import Synchronization
import XML

@testable import UPnP

extension FuzzTarget {
  /// The body of a control request at a zone's port, read as leniently as there, up to what controllers get of it, its events, and
  /// what can be browsed and fetched afterwards.
  static let zone = FuzzTarget(
    name: "zone", maximumLength: 8192,
    words: [
      "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body>",
      "<u:AddURIToQueue xmlns:u=\"urn:schemas-upnp-org:service:AVTransport:1\">",
      "<InstanceID>0</InstanceID>",
      "<EnqueuedURI>", "<EnqueuedURIMetaData>", "SetAVTransportURI", "<CurrentURI>", "x-rincon-queue:",
      "x-rincon:RINCON_",
      "x-rincon-mp3radio://", "hls-radio://https%3a//", "file:///jffs/settings/savedqueues.rsq#1",
      "x-rincon-playlist:",
      "AddMultipleURIsToQueue", "<NumberOfURIs>2</NumberOfURIs>", "&lt;/DIDL-Lite&gt; ", "SaveQueue",
      "CreateSavedQueue",
      "AddURIToSavedQueue", "ReorderTracksInSavedQueue", "<TrackList>0,1</TrackList>",
      "<NewPositionList>1,</NewPositionList>",
      "ReorderTracksInQueue", "RemoveTrackRangeFromQueue", "Seek", "TRACK_NR", "TIME_DELTA", "-0:00:10",
      "SetPlayMode",
      "SHUFFLE_REPEAT_ONE", "ConfigureSleepTimer", "RampToVolume", "ALARM_RAMP_TYPE", "CreateObject", "FV:2",
      "R:0/0",
      "UpdateObject", "&lt;dc:title&gt;", "DestroyObject", "SQ:1", "Q:0/1", "Browse", "BrowseMetadata",
      "4294967295",
      "SetString", "SetZoneAttributes", "&", "&amp;amp;", "]]>", "<!ENTITY a \"b\">",
    ]
  ) { bytes in
    let sent = ByteBuffer(bytes: bytes)
    let mended = (try? SOAPParser.parse(sent)) == nil ? BareAmpersands.escaped(sent) ?? sent : sent
    guard let body = try? SOAPParser.parse(mended) else { return }
    let speaker = ZoneSide()
    for service in speaker.services {
      guard let index = service.description.actionIndex(named: body.action) else { continue }
      let action = service.description.actions[index]
      var written = ByteBuffer()
      do throws(UPnPError) {
        let inputs = try ArgumentCoder(service).check(action: index, arguments: body.arguments)
        let call = ActionCall(
          action: index, context: ActionContext(remoteAddress: .v4(0xc000_0232)), inputs: inputs)
        let outputs = try ZoneSide.perform(call, service)
        var success = SOAPResponse.Success(action, version: 1, outputs: outputs)
        written = success.begin(serviceType: service.identity.type)
        while success.write(to: &written) {}
      } catch {
        try promise(
          [401, 402, 501, 600, 601, 605, 800].contains(error.code) || (700..<720).contains(error.code),
          "\(error)")
        written = SOAPResponse.fault(error)
      }
      let answer = try SOAPParser.parse(written)
      try promise(
        answer.action == "Fault" || answer.arguments.map(\.name) == action.outputs.map(\.name),
        "answered \(answer)")
    }
    for service in speaker.services {
      let event = PropertySet.document(service.eventedValues(), style: service.eventing)
      try promise(XMLReading.isWellFormed(event), "an event that can't be read: \(event)")
    }
    for id in ["Q:0", "SQ:", "SQ:1", "FV:2", "R:0/0"] {
      guard let list = try? speaker.browse(id) else { continue }
      try promise(
        XMLReading.isWellFormed(ByteBuffer(string: list.result)), "\(id) can't be read: \(list.result)")
      try promise(DIDL.items(list.result).count <= list.count, "\(id) has more than it says")
    }
    for text in [speaker.status.zone, speaker.status.topology, speaker.status.accounts] {
      try promise(XMLReading.isWellFormed(ByteBuffer(string: text)), text)
    }
    try promise(ZoneNotes(stored: speaker.notes.stored) == speaker.notes, "notes that come back otherwise")
  }
}

/// A zone without sound, fresh for each input.
private final class ZoneSide {
  let services: [any ServiceProvider]
  let status: ZoneStatus
  private let home: ZoneHome
  private let kept = Stored()

  var notes: ZoneNotes { ZoneNotes(stored: kept.text.withLock { $0 }) }

  init() {
    let player = PlayerCore(
      executor: FuzzTarget.InlineExecutor(), configuration: PlayerConfiguration(),
      output: FuzzTarget.Silence(),
      clock: { PlayerInstant(nanoseconds: 0) }, edge: { _, _ in })
    home = ZoneHome(
      identity: ZoneIdentity(hash: Array(0..<32), household: "", bootSequence: 1), player: player,
      room: "Kitchen",
      notes: nil,
      surroundings: .init(
        address: { "192.0.2.7" }, clock: { (0, 0) },
        keep: { [kept] text in kept.text.withLock { $0 = text } },
        changed: { _ in }))
    let playback = ZonePlayback(
      home, lists: OneList(), logger: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() })
    services =
      ZoneDevice.device(
        home, manufacturer: "M", icon: nil, server: playback.serverServices,
        renderer: playback.rendererServices
      ).all.flatMap(\.services)
    status = ZoneStatus(home)
    player.assumeIsolated {
      try? $0.perform(.playlist(.insertEach(after: 0, (0..<3).map { Media(uri: "http://192.0.2.1/\($0)") })))
    }
  }

  func browse(_ id: String) throws -> (result: String, count: Int) {
    guard let service = services.first(where: { $0.identity.name == "ContentDirectory" }),
      let index = service.description.actionIndex(named: "Browse")
    else { throw BrokenPromise(description: "no Browse") }
    let inputs = [id, "BrowseDirectChildren", "", "0", "0", ""]
    let outputs = try Self.perform(
      ActionCall(action: index, context: ActionContext(remoteAddress: .v4(1)), inputs: inputs), service)
    return (outputs[0].text, Int(outputs[1].text) ?? 0)
  }

  /// Performs an action, whether it waits or not: nothing here takes time.
  static func perform(_ call: ActionCall, _ service: any ServiceProvider) throws(UPnPError) -> [ActionOutput]
  {
    var call = call
    guard service.waits(call.action) else {
      try service.perform(&call)
      return call.outputs
    }
    let (done, result, waiting) = (DispatchSemaphore(value: 0), Outcome(), call)
    Task {
      do throws(UPnPError) {
        result.value.withLock { $0 = nil }
        let finished = try await service.performLater(waiting)
        result.value.withLock { $0 = .success(finished.outputs) }
      } catch {
        result.value.withLock { $0 = .failure(error) }
      }
      done.signal()
    }
    done.wait()
    guard let value = result.value.withLock({ $0 }) else { return [] }
    return try value.get()
  }

  private final class Outcome: Sendable {
    let value = Mutex<Result<[ActionOutput], UPnPError>?>(nil)
  }

  private final class Stored: Sendable {
    let text = Mutex("")
  }

  /// One stored playlist, which nothing changes.
  private struct OneList: SavedQueues {
    private let tracks = (0..<3).map {
      KeptEntry(id: UInt32($0 + 1), track: KeptTrack(Media(uri: "http://192.0.2.1/\($0)")))
    }
    private let head: KeptHead?

    init() {
      let shelf = KeptShelf()
      let change = try? shelf.change(KeptEdit(.create("List", tracks.map(\.track))), of: nil, at: 0)
      head = change?.list?.head
    }

    var heads: [KeptHead] { [head].compactMap(\.self) }
    nonisolated(nonsending) func entries(
      of id: UInt32, from start: Int, count: Int, bytes: Int
    ) async throws(SavedQueueError) -> [KeptEntry] {
      guard id == 1 else { throw .notFound }
      return Array(tracks.dropFirst(start).prefix(count))
    }
    nonisolated(nonsending) func media(of id: UInt32) async throws(SavedQueueError) -> [Media] {
      guard id == 1 else { throw .notFound }
      return tracks.map(\.track.media)
    }
    nonisolated(nonsending) func change(_ command: KeptCommand) async throws(SavedQueueError) -> KeptHead? {
      head
    }
    nonisolated(nonsending) func kept(_ media: [Media]) async -> [KeptTrack] { media.map { KeptTrack($0) } }
  }
}
