import ControlPoint
import DIDLLite
import NIOCore
import Network
import Player
import Renderers

/// What media servers have.
extension MediaControl {
  /// A media server that is there, and its library.
  struct Server {
    var key: String
    var name: String
    var library: MediaLibrary
    var device: FoundDevice
  }

  /// The time for one page of a folder, and for each kind that is searched for; an answer may take 30 s in all.
  static let listingTime = Duration.seconds(20)
  static let kindTime = Duration.seconds(8)
  /// The most tracks of an album that is put into its order.
  static let longestAlbum = 200
  /// Objects of a search that are looked at.
  static let maximumFound = 1000

  /// Finds a server; waits for it in the first moments of a search.
  func server(_ udn: String) async throws(Problem) -> Server {
    await wait { $0.servers[udn]?.isThere != true }
    guard let entry = run?.servers[udn] else {
      throw .notFound("There is no media server with this UDN on the network.")
    }
    guard entry.isThere, let library = library(entry.device) else {
      throw .badGateway("“\(entry.device.friendlyName)” has left the network, or doesn't answer any more.")
    }
    return Server(
      key: FoundDevices.key(udn), name: entry.device.friendlyName, library: library, device: entry.device)
  }

  func objects(
    on udn: String, in folder: String, start: Int, count: Int
  ) async -> Outcome<API.MediaObjects> {
    do throws(Problem) {
      let server = try await server(udn)
      let memory = run?.folders[server.key]
      let kind = memory?[folder]?.mediaClass ?? MediaClass("object.container")
      // An album is listed whole, since not all servers sort; a long one by pages that are sorted alike.
      let isAlbum = kind.kind == .album
      let isWhole = isAlbum && start + count <= Self.longestAlbum
      let (first, most) = isWhole ? (0, Self.longestAlbum) : (start, count)
      var limits = ListingLimits()
      (limits.objects, limits.page, limits.time) = (most, most, Self.listingTime)
      let sort =
        isAlbum
        ? run?.capabilities[server.key]?.sorting(by: [.discNumber, .trackNumber, .title]) ?? "" : ""
      var pages = server.library.pages(of: folder, sort: sort, from: first, limits: limits)
        .makeAsyncIterator()
      var objects: [MediaObject] = []
      do throws(ActionFailure) {
        while let page = try await pages.next(isolation: self) { objects += page }
      } catch {
        throw Problem(error, from: server.name)
      }
      if memory?.isRepeated(objects, in: folder, start: first) == true { objects = [] }
      remember(objects, in: folder, start: first, on: server.key)
      var isEnd = objects.isEmpty || pages.listing.next != .end(.limit)
      if first == 0, isEnd {
        objects = AlbumOrder.sorted(
          objects, in: MediaObject(id: folder, isContainer: true, title: "", mediaClass: kind))
      }
      let total = pages.listing.total ?? (isEnd ? first + objects.count : nil)
      if isWhole {
        isEnd = isEnd && objects.count <= start + count
        objects = Array(objects.dropFirst(start).prefix(count))
      }
      var result = API.MediaObjects(
        objects: shown(objects, of: server), start: start, total: total, isEnd: isEnd)
      if start == 0 { await addPath(to: &result, folder, server) }
      return .value(result)
    } catch {
      return .problem(error)
    }
  }

  private func remember(_ objects: [MediaObject], in folder: String, start: Int, on key: String) {
    run?.folders[key, default: FolderMemory()].learn(objects, in: folder, start: start)
  }

  func shown(_ objects: [MediaObject], of server: Server) -> [API.MediaObject] {
    let reach = ownReach(of: server)
    return objects.map { object in
      let isPlayable = object.isPlayable && (try? object.resource(for: reach)) != nil
      return API.MediaObject(object, isPlayable: isPlayable) { pictures?.address(of: $0) }
    }
  }

  /// Says what the folder is called, and which ones are above it, as far as the server tells.
  private func addPath(to result: inout API.MediaObjects, _ folder: String, _ server: Server) async {
    guard folder != MediaLibrary.root else {
      result.title = server.name
      result.path = []
      return
    }
    // The folder itself is there already, and shouldn't wait for a slow server.
    let learning = Task { await learnPath(of: folder, server) }
    let end = eventLoop.scheduleTask(in: Self.pathTime) { learning.cancel() }
    await learning.value
    end.cancel()
    let memory = run?.folders[server.key]
    result.title = memory?[folder]?.title
    guard let above = memory?.path(above: folder) else { return }
    result.path =
      [API.PathStep(id: MediaLibrary.root, title: server.name)]
      + above.map { API.PathStep(id: $0.id, title: $0.title) }
  }

  private static let pathTime = TimeAmount.seconds(3)

  /// Asks the server for the folders above one that nobody has come down to, as after a reload of the page.
  private func learnPath(of folder: String, _ server: Server) async {
    var id = folder
    for _ in 0..<FolderMemory.maximumDepth where id != MediaLibrary.root && id != "-1" && !id.isEmpty {
      if let known = run?.folders[server.key]?[id] {
        id = known.parent
        continue
      }
      guard let object = try? await server.library.object(id), !object.parentID.isEmpty else { return }
      run?.folders[server.key, default: FolderMemory()].learn(object, in: object.parentID)
      id = object.parentID
    }
  }

  func search(
    _ udn: String, for words: String, _ kind: API.SearchObjectsKind?, in folder: String, start: Int,
    count: Int
  ) async -> Outcome<API.MediaObjects> {
    do throws(Problem) {
      let server = try await server(udn)
      let end = min(start + count, Self.maximumFound)
      var limits = ListingLimits()
      (limits.objects, limits.page, limits.time) = (end + 1, min(end + 1, 200), Self.kindTime)
      var found: [MediaObject] = []
      var isOffered = false
      do throws(ActionFailure) {
        let capabilities = try await capabilities(of: server)
        for kind in kind.map({ [SearchedKind($0)] }) ?? [.artist, .album, .track] where found.count <= end {
          guard
            let listed = try await server.library.search(
              words, for: kind, capabilities, in: folder, limits: limits)
          else { continue }
          isOffered = true
          found += listed.objects
        }
      } catch {
        throw Problem(error, from: server.name)
      }
      guard isOffered else {
        throw .conflict(
          "“\(server.name)” offers no search\(kind == nil ? "" : " for this"). Look through its folders instead.",
          type: "search-not-offered")
      }
      let page = found.dropFirst(start).prefix(count)
      let isEnd = found.count <= start + count || end == Self.maximumFound
      return .value(
        API.MediaObjects(
          objects: shown(Array(page), of: server), start: start, total: isEnd ? start + page.count : nil,
          isEnd: isEnd))
    } catch {
      return .problem(error)
    }
  }

  func capabilities(of server: Server) async throws(ActionFailure) -> ContentCapabilities {
    if let known = run?.capabilities[server.key] { return known }
    let capabilities = try await server.library.capabilities()
    run?.capabilities[server.key] = capabilities
    changed(.servers)
    return capabilities
  }

  /// What this speaker reaches of a server, and plays.
  func ownReach(of server: Server) -> RendererReach {
    let (interfaces, own) = network
    let place = RendererPlace(
      Array(own), links: Set(server.device.locations.map(\.interface)), interfaces: interfaces, own: own)
    let formats = SinkFormats(ProtocolInfo.sinkList(playerState.mimeTypes))
    return place.reach(formats, of: Set(server.device.locations.map(\.address.address)))
  }

  /// The host's interfaces, and all its addresses.
  var network: (interfaces: [NetworkInterface], own: Set<IPAddress>) {
    let interfaces = run?.controlPoint.assumeIsolated { $0.interfaces } ?? []
    return (interfaces, Set(interfaces.flatMap(\.addresses).map(\.address)))
  }
}

extension SearchedKind {
  init(_ kind: API.SearchObjectsKind) {
    switch kind {
    case .track: self = .track
    case .album: self = .album
    case .artist: self = .artist
    }
  }
}
