import ControlPoint
import Renderers
import Text

/// A media server, and what it has.
struct MediaServer: Sendable {
  let device: FoundDevice
  let library: MediaLibrary
  let session: Session

  /// - Throws: ``Failure`` if it has no ContentDirectory.
  init(_ device: FoundDevice, _ session: Session) throws {
    guard let location = device.service("urn:schemas-upnp-org:service:ContentDirectory") else {
      throw Failure(.noDevice, "\(device.friendlyName) has no library")
    }
    self.device = device
    self.session = session
    library = MediaLibrary(session.controlPoint.service(location), base: device.base)
  }

  var name: String { device.friendlyName }

  func attempt<Value: Sendable>(_ body: () async throws(ActionFailure) -> Value) async throws -> Value {
    do throws(ActionFailure) {
      return try await body()
    } catch {
      let failure = Failure(error, from: name)
      // 701 (No such object), and what some servers answer in its place.
      guard error.code == 701 || error.code == 710 else { throw failure }
      throw Failure(.noInput, failure.message)
    }
  }

  /// The object at a place.
  func object(at place: ServerPath.Place) async throws -> MediaObject {
    switch place {
    case .id(MediaLibrary.root): return root
    case .id(let id):
      if let line = LastListing.read().line(id, on: device.udn) { return try await object(line) }
      return try await object(id)
    case .path(let titles):
      var object = root
      for title in titles {
        guard object.isContainer else { throw Failure(.noInput, "\"\(object.title)\" is no folder") }
        let id = object.id
        let children = try await attempt { () async throws(ActionFailure) in
          try await library.children(of: id).objects
        }
        let found = ServerPath.children(title, among: children, title: \.title)
        guard let child = found.first else {
          throw Failure(
            .noInput, "there is no \"\(title)\" in \"\(object.title)\"",
            hints: children.prefix(20).map(\.title))
        }
        guard found.count == 1 else {
          throw Failure(
            .noInput, "\"\(title)\" may be any of these; say which by its id",
            hints: found.prefix(20).map { "\(name):\($0.id)  \($0.title)" })
        }
        object = child
      }
      return object
    }
  }

  private var root: MediaObject {
    MediaObject(
      id: MediaLibrary.root, isContainer: true, title: name, mediaClass: MediaClass("object.container"))
  }

  /// The object of a line of the last listing. Of a container, only its children are asked for: several servers can't tell
  /// of a single object.
  func object(_ line: LastListing.Line) async throws -> MediaObject {
    if let container = line.container { return container }
    guard !line.parentID.isEmpty, line.parentID != "-1" else { return try await object(line.id) }
    let object = try await attempt { () async throws(ActionFailure) in
      try await library.object(line.id, in: line.parentID)
    }
    return try found(object, line.id)
  }

  /// An object of which nothing but the id is known.
  private func object(_ id: String) async throws -> MediaObject {
    try found(try await attempt { () async throws(ActionFailure) in try await library.object(id) }, id)
  }

  private func found(_ object: MediaObject?, _ id: String) throws -> MediaObject {
    guard let object else { throw Failure(.noInput, "\(name) has no object \"\(id)\"") }
    return object
  }

  /// The tracks that an object stands for, as they are to be played.
  func playables(_ object: MediaObject) async throws -> [Playable] {
    let source = Set(device.locations.map(\.address.address))
    return try await tracks(object).map { Playable(object: $0, source: source) }
  }

  /// The tracks that an object stands for.
  func tracks(_ object: MediaObject) async throws -> [MediaObject] {
    guard object.isContainer else { return [object] }
    let capabilities = try await attempt { () async throws(ActionFailure) in try await library.capabilities()
    }
    let all = try await attempt { () async throws(ActionFailure) in
      try await library.tracks(below: object, capabilities)
    }
    if all.end == .limit {
      session.output.note(
        "\"\(object.title)\" has more; only \(counted(all.tracks.count, "track is", "tracks are")) taken")
    }
    if all.refused > 0 { session.output.note("\(counted(all.refused, "folder")) couldn't be read") }
    return all.tracks
  }
}

extension DeviceFinder {
  /// The server that a text begins with, and the place on it.
  func place(_ text: String) async throws -> (MediaServer, ServerPath.Place) {
    if case .url(let url) = DeviceQuery(text) {
      return (
        try MediaServer(try await devices(at: url, of: Self.servers, noun: "media server")[0], session),
        .path([])
      )
    }
    let known = KnownDevices.read().filter { $0.facts.kind == .server }
    if let path = ServerPath.parse(text, among: known.map(\.facts)),
      KnownDevices.areYoung([path.server], in: known),
      let device = await stillThere([path.server], of: Self.servers)?.first
    {
      return (try MediaServer(device, session), path.place)
    }
    let (found, seen) = try await search(Self.servers, for: time) {
      devices, isSettled -> (FoundDevice, ServerPath.Place)? in
      guard isSettled, let path = ServerPath.parse(text, among: devices.map { DeviceFacts($0) }),
        let device = devices.first(where: { $0.udn == path.server.udn })
      else { return nil }
      return (device, path.place)
    }
    guard let found else {
      throw Failure(
        .noDevice, seen.isEmpty ? "no media server answered" : "no media server \"\(text)\"",
        hints: seen.map { DeviceFacts($0).line }.sorted())
    }
    return (try MediaServer(found.0, session), found.1)
  }
}
