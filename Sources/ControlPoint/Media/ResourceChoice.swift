import Network

/// What is known of the renderer that is to play something.
public struct RendererReach: Sendable, Hashable {
  public var formats: SinkFormats
  /// The networks of the renderer's links; a server lists one resource for each of its own.
  public var networks: [IPNetwork]
  /// True if the renderer runs on the server's own host, which it can reach by its loopback address.
  public var isOnServer: Bool

  public init(formats: SinkFormats, networks: [IPNetwork] = [], isOnServer: Bool = false) {
    self.formats = formats
    self.networks = networks
    self.isOnServer = isOnServer
  }
}

/// Why an object can't be played by a renderer.
public enum ResourceRefusal: Error, Sendable, Hashable {
  /// The server names no address for it.
  case noResource
  /// All addresses are such that the renderer can't reach them.
  case unreachable(addresses: [String])
  /// The renderer plays none of these types.
  case noFormat(offered: [String])
}

extension MediaObject {
  /// The resource for a renderer: an address that it reaches, what the server didn't convert, what is lossless, on the
  /// renderer's own link, of the right DLNA profile, where a position can be asked for; the first of those that are equal.
  public func resource(for renderer: RendererReach) throws(ResourceRefusal) -> MediaResource {
    let candidates = resources.filter { $0.type?.isImage != true || mediaClass.kind == .image }
    guard !candidates.isEmpty else { throw .noResource }
    let reachable = candidates.filter { renderer.reach($0.address) != .none }
    guard !reachable.isEmpty else { throw .unreachable(addresses: candidates.map(\.address)) }
    var best: (resource: MediaResource, rank: [Int])?
    for resource in reachable {
      guard let fit = renderer.formats.fit(resource) else { continue }
      let rank = [
        fit == .unknown && !renderer.formats.isEmpty ? 0 : 1,
        resource.isConverted ? 0 : 1,
        resource.type?.isLossless == true ? 1 : 0,
        renderer.reach(resource.address) == .link ? 1 : 0,
        fit.rawValue,
        resource.canSeek ? 1 : 0,
      ]
      guard let known = best else {
        best = (resource, rank)
        continue
      }
      if known.rank.lexicographicallyPrecedes(rank) { best = (resource, rank) }
    }
    guard let best else {
      var offered: [String] = []
      for name in reachable.map({ $0.type?.name ?? "unknown" }) where !offered.contains(name) {
        offered.append(name)
      }
      throw .noFormat(offered: offered)
    }
    return best.resource
  }
}

extension RendererReach {
  fileprivate enum Reach {
    case none, other, link
  }

  fileprivate func reach(_ address: String) -> Reach {
    guard let scheme = address.utf8.firstIndex(of: UInt8(ascii: ":")),
      address[scheme...].hasPrefix("://")
    else { return .other }
    let authority = address[scheme...].dropFirst(3).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    guard !host.isEmpty else { return .none }
    if host.lowercased() == "localhost" || host.lowercased().hasPrefix("localhost:") {
      return isOnServer ? .link : .none
    }
    let text =
      host.first == "["
      ? host.dropFirst().prefix { $0 != "]" && $0 != "%" } : host.prefix { $0 != ":" }
    // A name may be anywhere.
    guard let ip = IPAddress(text) else { return .other }
    if ip.isUnspecified || ip.isMulticast { return .none }
    if ip.isLoopback { return isOnServer ? .link : .none }
    if networks.contains(where: { $0.contains(ip) }) { return .link }
    return ip.isLinkLocal && !networks.isEmpty ? .none : .other
  }
}
