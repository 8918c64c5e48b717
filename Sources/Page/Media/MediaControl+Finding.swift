import ControlPoint
import HTTP
import Kept
import NIOCore
import Network
import Player
import Renderers

/// Finds tracks of playlists again whose media server has another address now.
extension MediaControl: TrackFinder {
  /// How long media servers may take to find tracks again before a playlist plays.
  private static let findingTime = TimeAmount.seconds(8)
  /// How long a track's old address may take for an answer.
  private static let probeTime = Duration.milliseconds(400)
  private static let mostProbes = 4
  /// Objects that are looked at for one track: of a search, and of the folder that it was in.
  private static let mostFound = 20
  private static let longestFolder = 1000

  /// Says which playlists other renderers may be given.
  public nonisolated func set(_ playlists: Playlists) {
    eventLoop.execute { self.assumeIsolated { $0.playlists = playlists } }
  }

  /// A media server has a track at this address.
  func learn(_ address: String, of server: String) {
    if let authority = HostAndPort.of(address) { places.learn(authority, of: server) }
  }

  // MARK: Where tracks are from

  public nonisolated func servers(of addresses: [String]) async -> [String?] {
    await ownServers(of: addresses)
  }

  /// The servers that addresses lead to: those that have listed tracks there, else those whose description is there.
  ///
  /// Looks for servers first if that may help, for 1.5 seconds at most.
  private func ownServers(of addresses: [String]) async -> [String?] {
    let authorities = addresses.map(HostAndPort.of)
    let isUnknown = Set(authorities).contains { authority in
      authority.map { HostAndPort.isNumeric($0) && places.server(at: $0) == nil } ?? false
    }
    if isUnknown { await lookForServers() }
    let described = isUnknown ? describedPlaces : [:]
    return authorities.map { $0.flatMap { places.server(at: $0) ?? described[$0] } }
  }

  /// Host and port of the descriptions of the servers that are there.
  private var describedPlaces: [String: String] {
    let pairs = (run?.servers.present ?? []).flatMap { device in
      device.locations.map { location in
        (
          "\(location.address.address.urlHost):\(location.address.port)".lowercased(),
          FoundDevices.key(device.udn)
        )
      }
    }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  // MARK: Where they are now

  public nonisolated func found(_ entries: [KeptEntry]) async -> [KeptEntry] { await find(entries) }

  private func find(_ entries: [KeptEntry]) async -> [KeptEntry] {
    let wanted = Set(entries.compactMap(\.track.server))
    guard !wanted.isEmpty else { return [] }
    let isNew = run == nil
    use()
    // Who hasn't looked for servers needn't wait for them, if the tracks are where they were.
    if isNew || isSearching, await isThere(entries) { return [] }
    await wait { run in wanted.contains { run.servers[$0]?.isThere != true } }
    let described = describedPlaces
    let servers = wanted.filter { run?.servers[$0]?.isThere == true }.map { server in
      (server, Set(described.filter { $0.value == server }.keys))
    }
    let finding = await asked(
      TrackFinding(entries, servers: Dictionary(servers, uniquingKeysWith: { first, _ in first })))
    for (server, authority) in finding.places { places.learn(authority, of: server) }
    let result = finding.result
    return entries.compactMap { entry in
      result[entry.id].map { KeptEntry(id: entry.id, track: KeptTrack($0, server: entry.track.server)) }
    }
  }

  /// Asks the servers one question after the other, while there is time.
  private func asked(_ finding: TrackFinding) async -> TrackFinding {
    guard finding.next != .end else { return finding }
    let asking = Task { () -> TrackFinding in
      var finding = finding
      while finding.next != .end, !Task.isCancelled {
        do throws(ActionFailure) {
          finding.answered(try await objects(finding.next))
        } catch {
          finding.failed(isSilent: error == .timeout || error == .unreachable)
        }
      }
      finding.stop()
      return finding
    }
    let end = eventLoop.scheduleTask(in: Self.findingTime) { asking.cancel() }
    defer { end.cancel() }
    return await asking.value
  }

  private func objects(_ next: TrackFinding.Next) async throws(ActionFailure) -> [TrackFinding.Object] {
    switch next {
    case .end: return []
    case .search(let words, let udn):
      let server = try thereNow(udn)
      var limits = ListingLimits()
      (limits.objects, limits.page) = (Self.mostFound, Self.mostFound)
      let listed = try await server.library.search(
        words, for: .track, try await capabilities(of: server), limits: limits)
      return shownToSelf(listed?.objects ?? [], of: server)
    case .object(let id, let parent, let udn):
      let server = try thereNow(udn)
      var limits = ListingLimits()
      limits.objects = Self.longestFolder
      let object =
        if let parent {
          try await server.library.object(id, in: parent, limits: limits)
        } else {
          try await server.library.object(id)
        }
      return shownToSelf([object].compactMap(\.self), of: server)
    }
  }

  private func shownToSelf(_ objects: [MediaObject], of server: Server) -> [TrackFinding.Object] {
    let reach = ownReach(of: server)
    return objects.filter(\.isPlayable).compactMap { media(of: $0, for: reach) }.map(TrackFinding.Object.init)
  }

  private func thereNow(_ udn: String) throws(ActionFailure) -> Server {
    guard let entry = run?.servers[udn], entry.isThere, let library = library(entry.device) else {
      throw .unreachable
    }
    return Server(
      key: FoundDevices.key(udn), name: entry.device.friendlyName, library: library, device: entry.device)
  }

  // MARK: The old addresses

  /// Whether the first track of each server is still where it was.
  private func isThere(_ entries: [KeptEntry]) async -> Bool {
    var addresses: [String: String] = [:]
    for entry in entries {
      guard entry.track.server != nil, let authority = HostAndPort.of(entry.track.media.uri) else { continue }
      if addresses[authority] == nil { addresses[authority] = entry.track.media.uri }
    }
    guard addresses.count <= Self.mostProbes else { return false }
    for address in addresses.values {
      guard await answers(address) else { return false }
    }
    return true
  }

  /// Whether there is something at an address: asks for its first byte.
  private func answers(_ address: String) async -> Bool {
    guard let run, let url = PictureURL(address), !url.isSecure, let host = url.literal else { return false }
    let place = ServiceAddress(address: host, port: url.port, target: url.target)
    let request = ExchangeRequest("GET", fields: [HTTPField("RANGE", "bytes=0-0")])
    do throws(ActionFailure) {
      let response = try await run.controlPoint.exchange.exchange(
        request, to: place, deadline: Self.probeTime, limit: 4096)
      return (200..<300).contains(response.status)
    } catch {
      // A server that sends the whole track.
      return error == .tooLarge
    }
  }
}
