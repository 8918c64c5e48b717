import Network
import Text
import UPnP

/// The ContentDirectory of another device. Its numbers are read leniently, since ``Listing`` takes them for hints; the
/// generated proxy would refuse an answer without them.
public struct RemoteDirectory: ContentSource {
  public let service: RemoteService

  public init(_ service: RemoteService) { self.service = service }

  public func wait(_ duration: Duration) async { await service.exchange.eventLoop.pause(for: duration) }

  public func browse(
    children container: String, _ request: Listing.Request
  ) async throws(ActionFailure) -> BrowseAnswer {
    try await browse(container, "BrowseDirectChildren", request)
  }

  public func browse(metadata object: String) async throws(ActionFailure) -> BrowseAnswer {
    try await browse(
      object, "BrowseMetadata", Listing.Request(start: 0, count: 1, filter: "*", sort: ""))
  }

  public func search(
    _ container: String, _ criteria: SearchCriteria, _ request: Listing.Request
  ) async throws(ActionFailure) -> BrowseAnswer {
    let arguments = [
      SOAPArgument(name: "ContainerID", text: container),
      SOAPArgument(name: "SearchCriteria", text: criteria.text),
    ]
    return try await page("Search", arguments + Self.arguments(request))
  }

  public func searchCapabilities() async throws(ActionFailure) -> String {
    try await service.call("GetSearchCapabilities", isRepeatable: true).text("SearchCaps")
  }

  public func sortCapabilities() async throws(ActionFailure) -> String {
    try await service.call("GetSortCapabilities", isRepeatable: true).text("SortCaps")
  }

  private func browse(
    _ object: String, _ flag: String, _ request: Listing.Request
  ) async throws(ActionFailure) -> BrowseAnswer {
    let arguments = [
      SOAPArgument(name: "ObjectID", text: object), SOAPArgument(name: "BrowseFlag", text: flag),
    ]
    return try await page("Browse", arguments + Self.arguments(request))
  }

  /// In the order of the service's description.
  private static func arguments(_ request: Listing.Request) -> [SOAPArgument] {
    [
      SOAPArgument(name: "Filter", text: request.filter),
      SOAPArgument(name: "StartingIndex", text: String(request.start)),
      SOAPArgument(name: "RequestedCount", text: String(request.count)),
      SOAPArgument(name: "SortCriteria", text: request.sort),
    ]
  }

  private func page(
    _ action: String, _ arguments: [SOAPArgument]
  ) async throws(ActionFailure) -> BrowseAnswer {
    let results = try await service.call(action, arguments, isRepeatable: true, seconds: 15)
    guard let result = results["Result"] else { throw .malformed }
    let number = { (name: String) in results[name].flatMap { UInt32(wire: $0) } ?? 0 }
    return BrowseAnswer(
      result: result, numberReturned: number("NumberReturned"), totalMatches: number("TotalMatches"),
      updateID: number("UpdateID"))
  }
}

extension MediaLibrary {
  /// The library of `device`; nil for one without a ContentDirectory.
  public init?(_ device: FoundDevice, through controlPoint: ControlPoint) {
    guard let location = device.service("urn:schemas-upnp-org:service:ContentDirectory") else { return nil }
    self.init(controlPoint.service(location), base: device.base)
  }

  /// The library of a media server.
  ///
  /// - Parameters:
  ///   - service: the server's ContentDirectory, of whatever version.
  ///   - base: the URLBase or the location of the server's description.
  public init(_ service: RemoteService, base: String?) {
    self.init(RemoteDirectory(service), base: base)
  }
}
