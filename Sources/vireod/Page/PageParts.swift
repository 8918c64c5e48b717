import HTTP
import Logging
import NIOCore
import Page
import Player
import PlayerStore
import Services
import UPnP

/// The parts of the page: what the API answers, and the sections that pages follow.
///
/// Nothing of it runs, or holds anything, before somebody asks.
final class PageParts: Sendable {
  let configuration = PageConfiguration()
  let sections = PageSections()
  let system: SystemSource
  let media: MediaControl
  let party: PartyDesk
  /// The stored playlists.
  let playlists: Playlists
  /// Plays whatever pages, and parts of this program, want to be played.
  let play: PlayControl
  /// Nil where no songs are taken from phones.
  let uploads: UploadDesk?
  private let ownSongs: OwnSongs?
  private let api: APIResponder
  private let files: PageFiles
  private let events: EventStreams
  private let pictures: PictureProxy
  private let fetcher: PictureFetcher
  /// The server that all of it is served by.
  private let http = SetOnce<HTTPServer>()
  private let handlers: APIHandlers
  private let player: PlayerCore
  private let songs = RadioSongs()

  /// - Parameters:
  ///   - bootID: differs from that of all runs before.
  ///   - sound: looks what is at an address.
  ///   - status: makes the plain page.
  ///   - casters: who chose what plays.
  ///   - reports: what rooms say of how well they keep step.
  ///   - listening: reports of what was heard; nil where they are off.
  ///   - keepParty: keeps a party over a restart; nil when there is none.
  ///   - store: keeps playlists; nil where there is no directory for the state.
  ///   - kept: songs from phones; nil where none are taken.
  ///   - limit: how many bytes of them are kept.
  ///   - base: the address of this server, as others know it.
  init(
    player: PlayerCore, eventLoop: any EventLoop, bootID: UInt32, sound: any SoundSystem,
    status: StatusSource, loggers: Loggers, casters: Casters, reports: any RoomReportSource = NoRoomReports(),
    listening: Reports? = nil, keepParty: @escaping @Sendable (String?) -> Void = { _ in },
    store: PlayerStore? = nil, kept: KeptSongs? = nil, limit: Int = 0,
    base: @escaping @Sendable () -> String = { "" }
  ) {
    self.player = player
    let (configuration, sections) = (configuration, sections)
    let logger = loggers[.player]
    let pictures = PictureKeys()
    let playerSection = PlayerSection(
      player: player, eventLoop: eventLoop, configuration: configuration, pictures: pictures,
      casters: casters)
    let undo = QueueUndo(eventLoop: eventLoop) { sections.changed(.queue) }
    let queueSection = QueueSection(player: player, undo: undo)
    let radioSection = RadioSection(player: player, songs: songs, pictures: pictures)
    let pinsSection = PinsSection(player: player, pictures: pictures)
    system = SystemSource(player: player, configuration: configuration, recent: loggers.gate.recent)
    sections[.player] = playerSection
    sections[.queue] = queueSection
    sections[.radio] = radioSection
    sections[.pins] = pinsSection
    sections[.system] = system
    let party = PartyDesk(
      eventLoop: eventLoop, player: player, sections: sections,
      surroundings: .init(
        clocks: { HostClock.party }, address: { [system] in system.firstAddress }, keep: keepParty),
      logger: logger)
    self.party = party
    let partySection = PartySection(desk: party, pictures: pictures)
    sections[.party] = partySection
    api = APIResponder(configuration: configuration)
    files = PageFiles(configuration: configuration) { status.page() }
    events = EventStreams(
      eventLoop: eventLoop, sections: sections, bootID: Int(bootID), configuration: configuration
    ) { [http] piece, id in
      http.value?.assumeIsolated { _ = $0.write(piece, to: id) }
    } end: { [http] id in
      http.value?.assumeIsolated { $0.end(id) }
    }
    let media = SetOnce<MediaControl>()
    let fetcher = PictureFetcher(eventLoop: eventLoop, userAgent: "Vireo/\(Version.number)") {
      await media.value?.lookForServers()
    }
    self.fetcher = fetcher
    self.pictures = PictureProxy(
      eventLoop: eventLoop, keys: pictures, configuration: configuration, fetcher: fetcher
    ) { [http] id, response in
      http.value?.assumeIsolated { $0.complete(id, with: response) }
    }
    ownSongs = kept?.own
    uploads = kept.map { [http] kept in
      UploadDesk(
        eventLoop: eventLoop, files: kept.files, limit: limit, player: player, own: kept.own,
        casters: casters,
        playerSection: playerSection, undo: undo, connections: Self.connections(http),
        // Songs that something else must have join these.
        needed: { OwnSongs.needed(by: player.assumeIsolated { $0.state }) }, announced: base,
        changed: { sections.changed(.uploads) }, logger: logger)
    }
    sections[.uploads] = uploads.map { UploadsSection(desk: $0) }
    let playerControl = PlayerControl(player: player, section: playerSection)
    self.media = MediaControl(
      eventLoop: eventLoop, player: player, own: playerControl, sections: sections, pictures: pictures,
      foundHere: { ports in fetcher.setReach { $0.servers = ports } }, reports: reports,
      party: { party.assumeIsolated { $0.session?.code } }, logger: loggers[.discovery])
    media.bind(self.media)
    self.media.addSections()
    playlists = Playlists(
      eventLoop: eventLoop, keeper: store.map { StatePlaylistKeeper(store: $0) }, finder: self.media,
      sections: sections, logger: logger)
    self.media.set(playlists)
    play = PlayControl(
      player: player, section: playerSection, undo: undo, places: self.media, playlists: playlists,
      configuration: configuration, logger: logger)
    handlers = APIHandlers(
      root: RootControl(configuration: configuration),
      player: playerControl,
      queue: QueueControl(
        player: player, section: queueSection, playerSection: playerSection, undo: undo, pictures: pictures),
      play: play,
      radio: RadioControl(
        player: player, section: radioSection, playerSection: playerSection,
        prober: SoundProbe(sound: sound, eventLoop: eventLoop), logger: logger),
      pins: PinsControl(
        player: player, section: pinsSection, playerSection: playerSection, undo: undo, pictures: pictures,
        logger: logger),
      playlists: PlaylistsControl(
        playlists: playlists, player: player, section: playerSection, play: play, pictures: pictures),
      servers: self.media, renderers: self.media, rooms: self.media,
      party: PartyControl(
        desk: party, section: partySection, playerSection: playerSection, player: player, places: self.media),
      reports: listening.map { ReportsPage(reports: $0) as any ReportsHandlers } ?? NoListeningReports(),
      uploads: uploads.map { $0 as any UploadsHandlers } ?? NoUploads(),
      system: system,
      events: events)
  }

  /// What answers for the page.
  var responders: [any Responder] {
    [api, media, files, events, pictures] + [uploads as (any Responder)?].compactMap(\.self)
  }

  /// Covers for controllers of the Sonos class, at the port of their zone.
  func covers(
    eventLoop: any EventLoop, complete: @escaping @Sendable (RequestID, HTTPResponse) -> Void
  ) -> CoverResponder {
    CoverResponder(
      eventLoop: eventLoop, fetcher: fetcher,
      cover: { [player] uri in ZoneCover(of: uri, in: player.assumeIsolated { $0.state }) },
      complete: complete)
  }

  private static func connections(_ http: SetOnce<HTTPServer>) -> UploadConnections {
    UploadConnections(
      want: { pieces, id in http.value?.assumeIsolated { $0.want(pieces, of: id) } },
      complete: { id, response in http.value?.assumeIsolated { $0.complete(id, with: response) } },
      write: { piece, id in http.value?.assumeIsolated { _ = $0.write(piece, to: id) } },
      end: { id in http.value?.assumeIsolated { $0.end(id) } })
  }

  /// Serves from now on.
  func start(_ server: DeviceServer) {
    system.set(server: server)
    let http = server.http
    self.http.bind(http)
    system.set(pages: { [events] in events.assumeIsolated { $0.count } })
    uploads?.begin()
    api.start(handlers) { await http.complete($0, with: $1) }
  }

  /// Takes new settings.
  func set(_ loaded: SettingsLoader.Loaded, _ settings: Settings, devices: [RootDevice]) {
    var facts = PageFacts()
    facts.name = FriendlyName.make(settings.device, hostName: FriendlyName.hostName)
    facts.version = Version.number
    facts.access = settings.page.enabled ? settings.page.access : .off
    facts.streams = settings.page.streams
    facts.frameAncestors = settings.page.frameAncestors
    let openHome = settings.openHomeConfiguration
    facts.sources = SourceKind.allCases.map { kind in
      let source = openHome.source(kind)
      return PageFacts.Source(kind, name: source.name, isVisible: source.isVisible)
    }
    facts.output = settings.audio.output
    facts.mixer = ((try? MixerChoice(settings.audio.mixer)) ?? .software).description
    // A zone isn't among the renderers that the page shows.
    facts.udns = devices.filter { $0.port == nil }.map(\.device.udn)
    facts.takesUploads = uploads != nil
    configuration.facts = facts
    media.set(mediaSettings(settings, facts))
    party.set(settings.party.deskSettings)
    system.set(loaded, settings)
    for section in [PageSections.Name.player, .queue, .radio, .system] { sections.changed(section) }
  }

  private func mediaSettings(_ settings: Settings, _ facts: PageFacts) -> MediaControl.Settings {
    var media = MediaControl.Settings()
    media.interfaces = settings.network.interfaces
    media.ipv6 = settings.network.ipv6
    media.userAgent = HostConfiguration.serverToken(product: "Vireo", version: Version.number)
    media.name = facts.name
    media.model = Devices.model
    // As others see it: the device that speaks OpenHome, where there is one.
    media.udns = facts.udns.reversed()
    media.speaksOpenHome = settings.openHome.enabled
    return media
  }

  /// Takes whether controllers of the Sonos class find the zone.
  func set(_ zone: ZoneReach) {
    system.set(zone)
    sections.changed(.system)
  }

  /// Ends the pages' streams, since others may look from now on; who still may comes back by itself.
  func endStreams() { events.assumeIsolated { $0.endAll() } }

  /// Leaves other devices' events, and ends what is still asked for.
  func stop() async { await media.stop() }

  /// Takes a change of the player.
  func playerChanged(_ old: PlayerState, _ new: PlayerState) {
    sections.changed(.player)
    if old.playlist.token != new.playlist.token || old.playlist.currentID != new.playlist.currentID {
      sections.changed(.queue)
    }
    let now = { self.player.assumeIsolated { $0.now } }
    let hasNewSong = songs.take(old, new, at: now())
    if hasNewSong || old.radio.token != new.radio.token || old.radio.id != new.radio.id {
      sections.changed(.radio)
    }
    if old.pins != new.pins { sections.changed(.pins) }
    if old.device != new.device || old.failure != new.failure || old.mimeTypes != new.mimeTypes {
      sections.changed(.system)
    }
  }

  /// Takes a change of the network.
  func networkChanged(_ reach: NetworkReach, _ listening: HTTPServer.Listening?) {
    system.set(reach, port: listening?.port)
    if let listening { media.set(listening) }
    ownSongs?.set(port: listening?.port)
    fetcher.setReach {
      $0.interfaces = reach.served
      $0.port = listening?.port
    }
    sections.changed(.system)
  }
}
