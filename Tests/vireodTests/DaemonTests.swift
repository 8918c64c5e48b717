import Foundation
import Logging
import NIOCore
import NIOPosix
import Network
import Player
import PlayerStore
import Synchronization
import Testing

@testable import HTTP
@testable import UPnP
@testable import vireod

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite struct SettingsReloadTests {
  @Test func onlyWhatCanBeReloadedChanges() {
    var new = Settings()
    new.device.name = "Kitchen"
    new.network.port = 5000
    new.network.allow = ["192.0.2.0/24"]
    new.log.http = .trace
    new.volume.curve = .linear
    new.playback.directories = ["/srv"]
    let reload = SettingsReload(from: Settings(), to: new)
    #expect(reload.applied == ["device.name", "network.allow", "volume.curve", "log.http"])
    #expect(reload.postponed == ["network.port", "playback.directories"])
    var wanted = new
    wanted.network.port = Settings().network.port
    wanted.playback.directories = []
    #expect(reload.settings == wanted)
  }

  @Test func whatIsTakenBackGoesBackToTheDefault() {
    var old = Settings()
    old.log.http = .trace
    #expect(SettingsReload(from: old, to: Settings()).settings == Settings())
  }
}

@Suite struct FriendlyNameTests {
  @Test func theMostParticularNameWins() {
    #expect(FriendlyName.make(.init(name: "N", room: "R"), hostName: "pi") == "N")
    #expect(FriendlyName.make(.init(room: "R"), hostName: "pi") == "R")
    #expect(FriendlyName.make(.init(), hostName: "pi") == "Vireo (pi)")
    #expect(FriendlyName.make(.init(), hostName: "") == "Vireo")
    #expect(FriendlyName.make(.init(), hostName: String(repeating: "x", count: 64)).count < 64)
  }

  @Test func openHomeHasARoomAndAProduct() {
    #expect(FriendlyName.room(.init(name: "N", room: "R"), hostName: "pi") == "R")
    #expect(FriendlyName.room(.init(name: "N"), hostName: "pi") == "N")
    #expect(FriendlyName.room(.init(), hostName: "pi") == "pi")
    #expect(FriendlyName.room(.init(), hostName: "") == "Vireo")
    #expect(FriendlyName.openHome(room: "R", product: "P") == "R:P")
    #expect(FriendlyName.openHome(room: String(repeating: "x", count: 63), product: "P").count < 64)
  }
}

@Suite struct PlayerEdgeTests {
  private let media = Media(uri: "http://192.0.2.1/list.m3u")

  @Test func aListBecomesTracks() {
    let list = Array("#EXTM3U\na.flac\nhttp://192.0.2.2/b.mp3\n".utf8)
    guard case .entries(let tracks) = EffectRunner.resolution(of: .success(list), from: media) else {
      Issue.record("no tracks")
      return
    }
    #expect(tracks.map(\.uri) == ["http://192.0.2.1/a.flac", "http://192.0.2.2/b.mp3"])
  }

  @Test func aStreamIsPlayedAsItIs() {
    let hls = Array("#EXTM3U\n#EXT-X-TARGETDURATION:5\n".utf8)
    #expect(EffectRunner.resolution(of: .success(hls), from: media) == .notAContainer)
  }

  @Test func aFailureStaysOne() {
    let failure = PlaybackFailure(.timedOut, "slow")
    #expect(EffectRunner.resolution(of: .failure(failure), from: media) == .failed(failure))
  }
}

@Suite struct StatusSnapshotTests {
  @Test func aStreamIsDescribedAsFarAsItIsKnown() {
    #expect(
      StatusSnapshot.text(
        StreamDetails(codecName: "FLAC", bitDepth: 24, sampleRate: 88200, channels: 2))
        == "FLAC, 88.2 kHz, 24 bit, 2 channels")
    #expect(StatusSnapshot.text(StreamDetails(codecName: "MP3", bitRate: 320_000)) == "MP3, 320 kbit/s")
    #expect(StatusSnapshot.text(StreamDetails()) == "")
  }

  @Test func whatTheDeviceGetsIsShown() {
    var player = PlayerState()
    var path = SoundPath(
      decoded: SampleFormat(name: "S24LE", depth: 24, isFloat: false, rate: 96000, channels: 2),
      delivered: SampleFormat(name: "S16LE", depth: 16, isFloat: false, rate: 48000, channels: 2),
      target: .card)
    path.level = .reduced
    _ = player.apply(.device(.open(name: "alsa:hw:0", path)), at: PlayerInstant(nanoseconds: 0))
    var snapshot = StatusSnapshot()
    snapshot.describe(player, position: .zero)
    #expect(snapshot.device == "alsa:hw:0: S16LE, 48 kHz, 2 channels")
    #expect(
      snapshot.bitPerfect
        == "no, because the volume is applied in software; 96000 Hz are converted to 48000 Hz; 24 bits are reduced to 16"
    )
    #expect(StatusPage.html(snapshot).contains("<dt>Bit-perfect</dt>"))
    _ = player.apply(.device(.silent("nothing is heard")), at: PlayerInstant(nanoseconds: 0))
    snapshot = StatusSnapshot()
    snapshot.describe(player, position: .zero)
    #expect(snapshot.problem == "nothing is heard")
    #expect(snapshot.device.isEmpty)
  }

  @Test func secretsOfAnAddressAreNotShown() throws {
    var player = PlayerState()
    _ = try player.apply(
      .av(.setMedia(Media(uri: "http://user:pass@192.0.2.1/a.mp3?token=secret"))),
      at: PlayerInstant(nanoseconds: 0))
    _ = try player.apply(.setSource(.upnpAV), at: PlayerInstant(nanoseconds: 0))
    var snapshot = StatusSnapshot()
    snapshot.describe(player, position: .zero)
    #expect(snapshot.state == "stopped")
    #expect(snapshot.source.hasPrefix("http://192.0.2.1/a.mp3"))
    #expect(!StatusPage.html(snapshot).contains("secret") && !StatusPage.html(snapshot).contains("pass"))
  }
}

/// Remembers what it was asked, in order.
private final class FakeSound: SoundSystem {
  let asked = Mutex<[String]>([])
  let documents = Mutex<[String: String]>([:])

  func note(_ what: String) { asked.withLock { $0.append(what) } }
  func begin() { note("begin") }
  func submit(_ request: OutputRequest) {
    switch request {
    case .setGain: note("gain")
    case .prepare: note("prepare")
    default: note("other")
    }
  }
  func ping(_ answered: @escaping @Sendable () -> Void) { answered() }
  func findMIMETypes(_ found: @escaping @Sendable ([String]) -> Void) { found(["audio/flac"]) }
  func fetch(_ uri: String, _ fetched: @escaping @Sendable (Result<[UInt8], PlaybackFailure>) -> Void) {
    note("fetch \(uri)")
    fetched(
      documents.withLock { $0[uri] }.map { .success(Array($0.utf8)) }
        ?? .failure(PlaybackFailure(.notFound, "no")))
  }
  let buffered = Duration.milliseconds(1250)
  func shutdown() -> Bool {
    note("shutdown")
    return true
  }
}

/// The daemon without interfaces: what it serves is for this machine alone.
@Suite struct DaemonTests {
  private func launch(
    _ text: String, in directory: TemporaryDirectory, sound: FakeSound, formatKey: String? = nil
  ) async throws -> Daemon {
    let path = try directory.write(text, to: "vireo.toml")
    let loader = SettingsLoader(path: path)
    let loaded = try loader.load()
    let (store, host) = open(directory)
    let start = Daemon.Start(
      loader: loader, loaded: loaded, store: store, host: host, player: store.load(),
      identity: DeviceIdentity(configured: "test", machineID: []), bootID: 7, formatKey: formatKey)
    let loggers = Loggers(settings: .init(level: .error), sink: LogSink(descriptor: -1, style: .journal))
    let daemon = Daemon(
      start, eventLoop: MultiThreadedEventLoopGroup.singleton.next(), loggers: loggers, notifier: nil,
      makeSound: { _ in sound })
    try await daemon.run()
    return daemon
  }

  private func open(_ directory: TemporaryDirectory) -> (store: PlayerStore, host: HostState) {
    PlayerStore.open(
      directory: directory.path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  /// What a daemon of an earlier run has left.
  private func save(_ formats: HostState.Formats, in directory: TemporaryDirectory) {
    let (store, _) = open(directory)
    store.changeHost { $0.formats = formats }
    #expect(store.close(within: .seconds(60)))
  }

  private func end(_ daemon: Daemon) async {
    await daemon.leaveNetwork()
    #expect(daemon.store?.close(within: .seconds(60)) == true)
  }

  private let quiet = """
    [network]
    port = 0
    ipv6 = false
    interfaces = ["none"]

    """

  @Test func theVolumeSurvivesARestart() async throws {
    let directory = try TemporaryDirectory()
    let daemon = try await launch(quiet, in: directory, sound: FakeSound())
    try await daemon.player.perform(.setVolume(.master, 23))
    try await daemon.player.perform(.setMute(.master, true))
    await end(daemon)

    let again = try await launch(quiet, in: directory, sound: FakeSound())
    let volume = await again.player.state.volume
    #expect(volume.step(of: .master) == 23 && volume.isMuted(.master))
    await end(again)
    let (store, host) = open(directory)
    #expect(host.bootID >= 7)
    #expect(store.close())
  }

  @Test func thePlaylistSurvivesARestart() async throws {
    let directory = try TemporaryDirectory()
    let daemon = try await launch(quiet, in: directory, sound: FakeSound())
    for number in 1...3 {
      let media = Media(uri: "http://192.0.2.1/\(number).flac")
      try await daemon.player.perform(.playlist(.insert(after: UInt32(number - 1), media)))
    }
    try await daemon.player.perform(.playlist(.delete(3)))
    try await daemon.player.perform(.playlist(.setRepeat(true)))
    await end(daemon)

    let again = try await launch(quiet, in: directory, sound: FakeSound())
    let playlist = await again.player.state.playlist
    #expect(playlist.tracks.ids == [1, 2] && playlist.tracks.lastID == 3 && playlist.isRepeating)
    await end(again)
  }

  @Test func stationsOfTheConfigurationFilesAndURLsBecomePresets() async throws {
    let directory = try TemporaryDirectory()
    let sound = FakeSound()
    sound.documents.withLock { $0 = ["http://192.0.2.1/l.m3u": "http://192.0.2.1/url\n"] }
    let list = try directory.write("http://192.0.2.1/file\n", to: "list.m3u")
    let text =
      quiet
      + "[radio]\nplaylists = [\"http://192.0.2.1/gone.m3u\", \"\(list)\", \"http://192.0.2.1/l.m3u\"]\n"
      + "[[radio.preset]]\nname = \"N\"\nurl = \"http://192.0.2.1/own\"\n"
    let daemon = try await launch(text, in: directory, sound: sound)
    func stations() async -> [String] { await daemon.player.state.radio.presets.compactMap { $0?.media.uri } }
    /// Whether these become the stations.
    func stations(until names: String...) async -> Bool {
      let wanted = names.map { "http://192.0.2.1/\($0)" }
      let deadline = ContinuousClock.now + .seconds(20)
      while await stations() != wanted, ContinuousClock.now < deadline { await Task.yield() }
      return await stations() == wanted
    }
    #expect(await stations(until: "own", "file", "url"))

    // Asked for again, a list that is gone keeps what it had.
    sound.documents.withLock { $0 = ["http://192.0.2.1/gone.m3u": "http://192.0.2.1/back\n"] }
    try await daemon.player.perform(.radio(.refreshPresets))
    #expect(await stations(until: "own", "back", "file", "url"))

    // A file that is written anew is read without anybody asking.
    _ = try directory.write("http://192.0.2.1/new\n", to: "list.m3u")
    #expect(await stations(until: "own", "back", "new", "url"))
    await end(daemon)
  }

  @Test(arguments: [true, false], [true, false])
  func eachDeviceCanBeSwitchedOff(openHome: Bool, upnpAV: Bool) async throws {
    var settings = Settings()
    settings.openHome.enabled = openHome
    settings.upnpAV.enabled = upnpAV
    settings.device.room = "Room"
    let directory = try TemporaryDirectory()
    let daemon = try await launch(quiet, in: directory, sound: FakeSound())
    let devices = Devices(
      identity: DeviceIdentity(configured: "test", machineID: []), player: daemon.player, settings: settings,
      loggers: Loggers(settings: .init(level: .error), sink: LogSink(descriptor: -1, style: .journal)),
      base: { "http://192.0.2.7:1" })
    let roots = devices.roots(settings)
    #expect(roots.map(\.device.udn) == (upnpAV ? ["test"] : []) + (openHome ? ["test-OpenHome"] : []))
    #expect(roots.map(\.device.friendlyName) == (upnpAV ? ["Room"] : []) + (openHome ? ["Room:Vireo"] : []))
    if openHome {
      #expect(devices.openHome.configuration.image == "/test-OpenHome/icon-120.png")
      #expect(devices.openHome.configuration.imageHires == "/test-OpenHome/icon-256.png")
    }
    await end(daemon)
  }

  /// GStreamer is loaded when there is something to play, and not before.
  @Test func soundSleepsUntilSomethingIsCast() async throws {
    let directory = try TemporaryDirectory()
    let sound = FakeSound()
    save(.init(key: "K", mimeTypes: ["audio/ogg"]), in: directory)
    let daemon = try await launch(quiet, in: directory, sound: sound, formatKey: "K")
    #expect(await daemon.player.state.mimeTypes == ["audio/ogg"])
    #expect(sound.asked.withLock { $0 } == ["gain"])
    try await daemon.player.perform(.av(.setMedia(Media(uri: "http://192.0.2.1/a.flac"))))
    #expect(sound.asked.withLock { $0 } == ["gain", "prepare", "begin"])
    await end(daemon)
  }

  @Test func formatsOfAnotherGStreamerAreFoundAnew() async throws {
    let directory = try TemporaryDirectory()
    save(.init(key: "K", mimeTypes: ["audio/ogg"]), in: directory)
    let daemon = try await launch(quiet, in: directory, sound: FakeSound(), formatKey: "L")
    #expect(await daemon.player.state.mimeTypes == ["audio/flac"])
    await end(daemon)
    let (store, host) = open(directory)
    #expect(host.formats == .init(key: "L", mimeTypes: ["audio/flac"]))
    #expect(store.close())
  }

  @Test func whatTheOutputCanDecodeReachesThePlayer() async throws {
    let directory = try TemporaryDirectory()
    let daemon = try await launch(quiet, in: directory, sound: FakeSound())
    // The answer takes one turn of the loop, and this question another behind it.
    #expect(await daemon.player.state.mimeTypes == ["audio/flac"])
    await end(daemon)
  }

  @Test func aReloadAppliesALimitAndRefusesMistakes() async throws {
    let directory = try TemporaryDirectory()
    let daemon = try await launch(quiet, in: directory, sound: FakeSound())
    _ = try directory.write(quiet + "[volume]\nlimit = 10\n", to: "vireo.toml")
    await daemon.reload()
    #expect(await daemon.player.state.configuration.volumeLimit == 10)
    #expect(await daemon.player.state.volume.step(of: .master) == 10)
    _ = try directory.write(quiet + "[volume]\nlimit = 20\nlimmit = 3\n", to: "vireo.toml")
    await daemon.reload()
    #expect(await daemon.player.state.configuration.volumeLimit == 10)
    _ = try directory.write(quiet + "[volume]\nlimit = 10\n[playlist]\ntracks-max = 7\n", to: "vireo.toml")
    await daemon.reload()
    #expect(await daemon.player.state.configuration.tracksMax == 7)
    await end(daemon)
  }

  /// GET of a page of the daemon, over the loopback.
  private func get(_ path: String, of daemon: Daemon) async throws -> (status: Int, body: String) {
    let port = try #require(await daemon.listening?.port)
    let (data, response) = try await URLSession.shared.data(
      from: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
    return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
  }

  @Test func metricsAreServedWhenTheyAreWanted() async throws {
    let directory = try TemporaryDirectory()
    let daemon = try await launch(quiet + "[metrics]\nenabled = true\n", in: directory, sound: FakeSound())
    try await daemon.player.perform(.setVolume(.master, 33))
    let page = try await get("/metrics", of: daemon)
    #expect(page.status == 200)
    #expect(page.body.contains("\nvireo_volume 33\n") && page.body.contains("\nvireo_http_connections 1\n"))
    #expect(page.body.contains("\nvireo_buffer_seconds 1.25\n"))
    await daemon.leaveNetwork()
  }

  @Test func metricsAreNotServedByDefault() async throws {
    let directory = try TemporaryDirectory()
    let daemon = try await launch(quiet, in: directory, sound: FakeSound())
    #expect(try await get("/metrics", of: daemon).status == 404)
    await daemon.leaveNetwork()
  }

  /// Tells the daemon of an interface with these addresses. Its index is the loopback's: nothing leaves this machine, and
  /// nothing can be sent from addresses that it doesn't have.
  private func show(_ addresses: [(String, Int)], to daemon: Daemon) async throws {
    let interface = NetworkInterface(
      index: 1, name: "test0",
      addresses: try addresses.map {
        InterfaceAddress(address: try #require(IPAddress($0.0)), prefixLength: $0.1)
      }, isRunning: true, isLoopback: false)
    // Of the interfaces that there really are nothing shall be told any more.
    await daemon.server.monitor.stop()
    try await daemon.eventLoop.submit { daemon.server.networkChanged(to: [interface]) }.get()
  }

  @Test func everyAddressIsServedAndOneIsAnnounced() async throws {
    let directory = try TemporaryDirectory()
    let daemon = try await launch(
      quiet.replacing("\"none\"", with: "\"test0\""), in: directory, sound: FakeSound())
    try await show([("192.0.2.7", 24), ("192.0.2.8", 24)], to: daemon)
    let access = await daemon.server.hosts[0].access
    for own in ["192.0.2.7", "192.0.2.8"] { #expect(access.accepts(host: own)) }
    #expect(
      await daemon.server.discovery?.interfaces.flatMap(\.addresses).map(\.address) == [.v4(0xc000_0207)])
    #expect(daemon.url.text.hasPrefix("http://192.0.2.7:"))
    await end(daemon)
  }

  /// Takes a port on IPv6 alone. It is below those that the system hands out, so no other test's connection gets it when
  /// it is let go.
  private func holdPort() async throws -> (Channel, Int) {
    for port in (20_000..<32_000).shuffled().prefix(20) {
      let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      if let holder = try? await bootstrap.bind(host: "::1", port: port).get() { return (holder, port) }
    }
    throw ExitCode.unavailable
  }

  /// Another program has the port, on IPv6 alone: the whole daemon is found on IPv4 then.
  @Test(arguments: [false, true]) func ipv6IsAnnouncedOnlyWhereSomebodyListens(isTaken: Bool) async throws {
    let directory = try TemporaryDirectory()
    let (holder, port) = try await holdPort()
    if !isTaken { try await holder.close() }
    let daemon = try await launch(
      "[network]\nport = \(port)\ninterfaces = [\"test0\"]\n", in: directory, sound: FakeSound())
    #expect(await daemon.listening == .init(port: port, ipv6: !isTaken))
    try await show([("192.0.2.7", 24), ("2001:db8::7", 64)], to: daemon)
    let announced = await daemon.server.discovery?.interfaces.flatMap(\.addresses).map(\.address.isIPv6)
    #expect(announced == (isTaken ? [false] : [false, true]))
    await end(daemon)
    if isTaken { try await holder.close() }
  }

  /// A hook of a real daemon, switched on by a reload.
  @Test(.timeLimit(.minutes(1))) func aHookIsRunWithTheState() async throws {
    let directory = try TemporaryDirectory()
    let fifo = "\(directory.path)/fifo"
    #expect(mkfifo(fifo, 0o600) == 0)
    let daemon = try await launch(quiet, in: directory, sound: FakeSound())
    _ = try directory.write(
      quiet + """
        [hooks]
        on-volume = ["/bin/sh", "-c", "echo $VIREO_HOOK $VIREO_VOLUME $VIREO_STATE > \(fifo)"]

        """, to: "vireo.toml")
    await daemon.reload()
    try await daemon.player.perform(.setVolume(.master, 42))
    let descriptor = Glibc.open(fifo, O_RDONLY)
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = read(descriptor, &bytes, bytes.count)
    close(descriptor)
    #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "on-volume 42 stopped\n")
    await daemon.leaveNetwork()
    await daemon.endHooks()
    daemon.hooks.wait()
  }

  @Test func aTakenPortIsSaidToBeUnavailable() async throws {
    let directory = try TemporaryDirectory()
    let holder = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(holder) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(holder, $0, length)
        listen(holder, 1)
        getsockname(holder, $0, &length)
      }
      return UInt16(bigEndian: $0.pointee.sin_port)
    }
    await #expect(throws: ExitCode.unavailable) {
      try await launch("[network]\nport = \(port)\n", in: directory, sound: FakeSound())
    }
  }
}
