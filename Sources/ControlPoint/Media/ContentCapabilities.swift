import Text

/// What a server can search for and sort by (ContentDirectory, "GetSearchCapabilities" and "GetSortCapabilities").
public struct ContentCapabilities: Sendable, Hashable {
  /// Names of properties, as in `dc:title`; `*` for all.
  public let search: Set<String>
  public let sort: Set<String>

  /// - Parameters:
  ///   - search: the comma-separated lists of the server; empty if it has none.
  public init(search: String, sort: String) {
    self.search = Self.names(search)
    self.sort = Self.names(sort)
  }

  public var canSearch: Bool { !search.isEmpty }

  public func canSearch(_ property: ContentProperty) -> Bool {
    search.contains("*") || search.contains(property.rawValue)
  }

  /// The sort criteria of those keys that the server offers, in that order; empty if it offers none.
  public func sorting(by keys: [ContentProperty]) -> String {
    keys.filter { sort.contains("*") || sort.contains($0.rawValue) }.map { "+\($0.rawValue)" }
      .joined(separator: ",")
  }

  /// Without signs, which some servers put in front of keys.
  private static func names(_ list: String) -> Set<String> {
    let names = list.unicodeScalars.prefix(8192).split(separator: ",").prefix(256).map {
      String($0).trimmingASCIISpace
    }
    return Set(names.map { $0.first == "+" || $0.first == "-" ? String($0.dropFirst()) : $0 }).subtracting([
      ""
    ])
  }
}

/// A property that servers are asked about.
public enum ContentProperty: String, Sendable, Hashable, CaseIterable {
  case title = "dc:title"
  case creator = "dc:creator"
  case artist = "upnp:artist"
  case album = "upnp:album"
  case genre = "upnp:genre"
  case date = "dc:date"
  case mediaClass = "upnp:class"
  case trackNumber = "upnp:originalTrackNumber"
  case discNumber = "upnp:originalDiscNumber"
  case id = "@id"
  case parentID = "@parentID"
  case refID = "@refID"
  case resource = "res"
}
