import Renderers

/// A place on a media server, as a user writes it: `SERVER`, `SERVER/FOLDER/ALBUM`, `SERVER:ID`.
struct ServerPath: Sendable, Hashable {
  enum Place: Sendable, Hashable {
    case id(String)
    /// Titles, from the root on.
    case path([String])
  }

  var server: DeviceFacts
  var place: Place

  /// Finds the server that the text begins with; the longest name wins. Nil if there is none, or if several fit.
  static func parse(_ text: String, among servers: [DeviceFacts]) -> ServerPath? {
    let folded = text.lowercased()
    func whole(_ name: String) -> Bool {
      guard !name.isEmpty, folded.hasPrefix(name.lowercased()) else { return false }
      let rest = folded.dropFirst(name.count).first
      return rest == nil || rest == "/" || rest == ":"
    }
    let named =
      servers.flatMap { server in
        [
          server.name, server.udn, "uuid:\(server.udn)", "\(server.address.urlHost):\(server.port)",
          "\(server.address)",
        ]
        .filter(whole).map { (server, $0.count) }
      }
    if let longest = named.map(\.1).max() {
      let best = Set(named.filter { $0.1 == longest }.map(\.0))
      guard best.count == 1, let server = best.first else { return nil }
      return ServerPath(server: server, place: place(text.dropFirst(longest)))
    }
    // The beginning of a name, up to the first separator.
    let end = text.firstIndex { $0 == "/" || $0 == ":" } ?? text.endIndex
    let chosen = DeviceQuery(String(text[..<end])).choose(servers)
    guard chosen.count == 1 else { return nil }
    return ServerPath(server: chosen[0], place: place(text[end...]))
  }

  private static func place(_ rest: Substring) -> Place {
    if rest.first == ":" { return .id(String(rest.dropFirst())) }
    return .path(rest.split(separator: "/").map(String.init))
  }

  /// The children that a user may mean: those with that title, else those whose titles begin with it.
  static func children<Object>(
    _ text: String, among objects: [Object], title: (Object) -> String
  ) -> [Object] {
    let named = named(text, among: objects, title: title)
    return named.isEmpty ? beginning(text, among: objects, title: title) : named
  }

  /// Those with that title; the one that has it letter for letter goes before those that differ in upper and lower case.
  static func named<Object>(
    _ text: String, among objects: [Object], title: (Object) -> String
  ) -> [Object] {
    let wanted = text.lowercased()
    let named = objects.filter { title($0).lowercased() == wanted }
    let exact = named.filter { title($0) == text }
    return exact.count == 1 ? exact : named
  }

  /// Those whose titles begin so.
  static func beginning<Object>(
    _ text: String, among objects: [Object], title: (Object) -> String
  ) -> [Object] {
    let wanted = text.lowercased()
    return objects.filter { title($0).lowercased().hasPrefix(wanted) }
  }
}
