/// The error of a failed action as a control point sees it (UPnP Device Architecture, "UPnPError").
public struct UPnPError: Error, Sendable, Hashable {
  public let code: Int
  /// A short message, less than 256 characters.
  public let description: String

  public init(code: Int, description: String) {
    self.code = code
    self.description = description
  }

  public static let invalidAction = UPnPError(code: 401, description: "Invalid Action")
  public static func invalidArgs(_ why: String) -> UPnPError {
    UPnPError(code: 402, description: "Invalid Args: \(why)")
  }
  public static func valueInvalid(_ why: String) -> UPnPError {
    UPnPError(code: 600, description: "Argument Value Invalid: \(why)")
  }
  public static func valueOutOfRange(_ why: String) -> UPnPError {
    UPnPError(code: 601, description: "Argument Value Out of Range: \(why)")
  }
  public static func stringTooLong(_ why: String) -> UPnPError {
    UPnPError(code: 605, description: "String Argument Too Long: \(why)")
  }
}
