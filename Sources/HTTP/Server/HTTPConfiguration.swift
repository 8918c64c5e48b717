import Network

/// Settings of an HTTP server.
public struct HTTPConfiguration: Sendable, Hashable {
  /// TCP port, 0…65535; 0 takes any free one.
  public var port = 0
  /// Use any free port when ``port`` is taken.
  public var mayUseAnyPort = false
  /// Listen on IPv6 as well.
  public var ipv6 = true
  /// Listen at the IPv4 addresses of the current interfaces only, as they come and go, instead of at all addresses. ``port``
  /// must be a fixed one; where another program has it, it is tried again later.
  public var atOwnAddresses = false
  /// The header fields of all responses, besides the date.
  public var fields: [HTTPField] = []
  /// Networks whose hosts may connect, in addition to the local ones.
  public var allow: [IPNetwork] = []
  /// Names that a Host header may carry, in addition to the machine's own.
  public var hostnames: [String] = []
  public var limits = HTTPLimits()
  /// Methods beyond those of HTTP itself that are answered with 405 instead of 501 where they aren't supported.
  public var furtherMethods: Set<String> = []
  /// The status for a foreign Host header, by method; 403 for all others.
  public var foreignHostStatus: [String: HTTPStatus] = [:]

  public init() {}
}
