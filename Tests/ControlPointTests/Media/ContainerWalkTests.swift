import DIDLLite
import SeededRandom
import Testing
import UPnP

@testable import ControlPoint

@Suite struct ContainerWalkTests {
  /// A tree of containers; ids that don't begin with `c` are tracks.
  private struct Tree {
    var children: [String: [MediaObject]]
    var failures: [String: ActionFailure] = [:]

    func answer(_ container: String, _ request: Listing.Request) -> Result<BrowsePage, ActionFailure> {
      if let failure = failures[container] { return .failure(failure) }
      guard let all = children[container] else {
        return .failure(.fault(UPnPError(code: 701, description: "")))
      }
      let objects = Array(all.dropFirst(request.start).prefix(request.count))
      return .success(BrowsePage(objects: objects, numberReturned: objects.count, totalMatches: all.count))
    }
  }

  private static func container(_ id: String, _ mediaClass: String = "object.container") -> MediaObject {
    MediaObject(id: id, isContainer: true, title: id, mediaClass: MediaClass(mediaClass))
  }

  private static func track(_ id: String, _ number: Int? = nil, disc: Int? = nil) -> MediaObject {
    var track = MediaObject(
      id: id, isContainer: false, title: id, mediaClass: MediaClass("object.item.audioItem.musicTrack"))
    track.trackNumber = number
    track.discNumber = disc
    track.resources = [
      MediaResource(address: "http://a/\(id)", protocolInfo: ProtocolInfo("http-get:*:audio/flac:*"))
    ]
    return track
  }

  private func walk(
    _ tree: Tree, from mediaClass: String = "object.container", limits: WalkLimits = WalkLimits()
  ) -> (walk: ContainerWalk, requests: [String]) {
    var (walk, requests) = (ContainerWalk(Self.container("c", mediaClass), limits: limits), [String]())
    while case .browse(let container, let request) = walk.next {
      requests.append(container)
      switch tree.answer(container, request) {
      case .success(let page): walk.answered(page)
      case .failure(let failure): walk.failed(failure)
      }
    }
    return (walk, requests)
  }

  @Test func goesDepthFirstInTheServersOrder() {
    let tree = Tree(children: [
      "c": [Self.track("1"), Self.container("ca"), Self.track("4"), Self.container("cb")],
      "ca": [Self.track("2"), Self.container("caa")], "caa": [Self.track("3")], "cb": [Self.track("5")],
    ])
    let result = walk(tree)
    #expect(result.walk.taken.map(\.id) == ["1", "2", "3", "4", "5"])
    #expect(result.walk.next == .end(.complete))
  }

  @Test func albumsAreInTheirOrderAndPlaylistsInTheirs() {
    let tracks = [
      Self.track("22", 2, disc: 2), Self.track("12", 2, disc: 1), Self.track("21", 1, disc: 2),
      Self.track("11", 1),
    ]
    let tree = Tree(children: ["c": tracks])
    #expect(
      walk(tree, from: "object.container.album.musicAlbum").walk.taken.map(\.id) == ["11", "12", "21", "22"])
    #expect(
      walk(tree, from: "object.container.playlistContainer").walk.taken.map(\.id) == [
        "22", "12", "21", "11",
      ])
    // A folder of one album is one.
    #expect(walk(tree, from: "object.container.storageFolder").walk.taken.map(\.id) == tracks.map(\.id))
    var named = tracks
    for index in named.indices { named[index].album = "A" }
    #expect(
      walk(Tree(children: ["c": named]), from: "StorageFolder").walk.taken.map(\.id) == [
        "11", "12", "21", "22",
      ])
    named[0].album = "B"
    #expect(
      walk(Tree(children: ["c": named]), from: "StorageFolder").walk.taken.map(\.id) == tracks.map(\.id))
  }

  @Test func loopsEnd() {
    let tree = Tree(children: [
      "c": [Self.container("ca"), Self.container("c")],
      "ca": [Self.container("c"), Self.track("1"), Self.container("ca"), Self.container("cb")],
      "cb": [Self.container("ca")],
    ])
    let result = walk(tree)
    #expect(result.walk.taken.map(\.id) == ["1"])
    #expect(result.requests == ["c", "ca", "cb"])
  }

  @Test func aTrackIsTakenFromOneContainerOnly() {
    var again = Self.track("all$1")
    again.resources = Self.track("1").resources
    let tree = Tree(children: [
      "c": [Self.container("ca"), Self.container("call")], "ca": [Self.track("1"), Self.track("1")],
      "call": [again, Self.track("2")],
    ])
    // Some servers give each place an address of its own, Gerbera without saying what it stands for.
    var original = Self.track("1")
    original.resources[0].size = 1234
    var reference = Self.track("99")
    reference.refID = "1"
    var same = Self.track("98")
    (same.title, same.resources[0].size) = ("1", 1234)
    var other = same
    (other.id, other.resources) = ("97", Self.track("97").resources)
    let second = Tree(children: [
      "c": [original, Self.container("ca")], "ca": [reference, same, other],
    ])
    #expect(walk(second).walk.taken.map(\.id) == ["1", "97"])
    // The same picture is no sign of it.
    let tracks = ["1", "2"].map { id -> MediaObject in
      var track = Self.track(id)
      let picture = MediaResource(
        address: "http://a/p", protocolInfo: ProtocolInfo("http-get:*:image/jpeg:*"))
      track.resources.insert(picture, at: 0)
      return track
    }
    let pictures = Tree(children: ["c": [tracks[0], Self.container("ca")], "ca": [tracks[1]]])
    #expect(walk(pictures).walk.taken.map(\.id) == ["1", "2"])
    // Twice in one container is meant: a playlist.
    #expect(walk(tree).walk.taken.map(\.id) == ["1", "1", "2"])
  }

  @Test func refusedContainersAreLeftOut() {
    let tree = Tree(
      children: ["c": [Self.container("cx"), Self.container("cy"), Self.container(""), Self.track("1")]],
      failures: ["cy": .malformed])
    let result = walk(tree)
    #expect(result.walk.taken.map(\.id) == ["1"] && result.walk.refused == 2)
    #expect(result.walk.next == .end(.complete))
  }

  @Test func aLostServerAndAnUnknownContainerFail() {
    #expect(walk(Tree(children: [:])).walk.next == .failed(.fault(UPnPError(code: 701, description: ""))))
    let tree = Tree(children: ["c": [Self.track("1"), Self.container("ca")]], failures: ["ca": .timeout])
    let result = walk(tree)
    #expect(result.walk.next == .failed(.timeout) && result.walk.taken.map(\.id) == ["1"])
  }

  @Test func everythingIsBounded() {
    var limits = WalkLimits()
    limits.tracks = 10
    let many = walk(Tree(children: ["c": (0..<50).map { Self.track("\($0)") }]), limits: limits)
    #expect(many.walk.taken.map(\.id) == (0..<10).map(String.init) && many.walk.next == .end(.limit))

    limits.depth = 3
    let deep = Tree(
      children: Dictionary(
        uniqueKeysWithValues: (0..<20).map { depth in
          (
            "c" + String(repeating: "x", count: depth),
            [Self.track("\(depth)"), Self.container("c" + String(repeating: "x", count: depth + 1))]
          )
        }))
    let shallow = walk(deep, limits: limits)
    #expect(shallow.walk.taken.map(\.id) == ["0", "1", "2", "3"] && shallow.walk.next == .end(.limit))

    limits = WalkLimits()
    limits.containers = 5
    let wide = Tree(
      children: Dictionary(
        uniqueKeysWithValues: [("c", (0..<20).map { Self.container("c\($0)") })]
          + (0..<20).map { ("c\($0)", [Self.track("\($0)")]) }))
    #expect(walk(wide, limits: limits).walk.taken.count == 4)

    limits = WalkLimits()
    limits.requests = 5
    let few = walk(wide, limits: limits)
    #expect(few.requests.count == 5 && few.walk.next == .end(.limit))
  }

  @Test func takesWhatIsLookedFor() {
    let album = Self.container("Army", "object.container.album.musicAlbum")
    var same = album
    same.id = "c$same"
    same.artist = "Band"
    var again = same
    again.id = "c$again"
    let tree = Tree(children: [
      "c": [Self.track("1"), album, Self.container("ca")], "Army": [Self.track("army"), Self.track("2")],
      "ca": [same, again, Self.track("army")], "c$same": [Self.track("3")], "c$again": [],
    ])
    var walk = ContainerWalk(Self.container("c")) { object in
      SearchedKind.track.finds("ARM", in: object) || SearchedKind.album.finds("ar", in: object)
    }
    while case .browse(let container, let request) = walk.next {
      if case .success(let page) = tree.answer(container, request) { walk.answered(page) }
    }
    // Albums without an artist may be different ones.
    #expect(walk.taken.map(\.id) == ["Army", "army", "c$same"])
    #expect(walk.end == .complete && walk.containers == 5)
  }

  @Test func aWalkThatIsStoppedKeepsWhatItHas() {
    var walk = ContainerWalk(Self.container("c"))
    walk.answered(BrowsePage(objects: [Self.track("1")], numberReturned: 1, totalMatches: 5))
    walk.stop()
    #expect(walk.taken.map(\.id) == ["1"] && walk.next == .end(.limit))
  }

  /// Containers that lead anywhere, each listed by a server that lies.
  @Test func anyTreeEnds() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<500 {
      let ids = (0..<30).map { "c\($0)" }
      var children: [String: [MediaObject]] = [:]
      for id in ids + ["c"] {
        children[id] = (0..<Int.random(in: 0..<6, using: &random)).map { _ in
          Bool.random(using: &random)
            ? Self.container(ids.randomElement(using: &random) ?? "c")
            : Self.track("\(Int.random(in: 0..<100, using: &random))", Int.random(in: 0..<5, using: &random))
        }
      }
      var limits = WalkLimits()
      limits.tracks = Int.random(in: 1..<40, using: &random)
      limits.depth = Int.random(in: 1..<10, using: &random)
      limits.page = Int.random(in: 1..<7, using: &random)
      let result = walk(Tree(children: children), limits: limits)
      #expect(result.walk.taken.count <= limits.tracks)
      #expect(result.requests.count <= limits.requests)
      if case .end = result.walk.next {} else { Issue.record("\(result.walk.next)") }
    }
  }
}
