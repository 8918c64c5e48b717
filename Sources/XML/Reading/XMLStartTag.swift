import CLibXML2
import Text

/// The start tag of an element; valid only during the call that passes it.
public struct XMLStartTag {
  /// The limit on local names, in bytes.
  public static let maximumNameBytes = 128
  /// The limit on namespaces; the longest service type that anybody uses has some 60 bytes.
  public static let maximumNamespaceBytes = 512

  let localName: UnsafePointer<UInt8>
  let uri: UnsafePointer<UInt8>?
  /// Five pointers for each attribute: local name, prefix, URI, value, and the end of the value.
  let attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
  let attributeCount: Int

  /// True when this is the local name, in whatever namespace.
  public func isNamed(_ name: StaticString) -> Bool { xmlStrEqual(localName, name.utf8Start) != 0 }

  /// Returns the local name.
  ///
  /// - Throws: ``XMLError/tooLarge`` for a name that is too long.
  public func name() throws(XMLError) -> String {
    try Self.string(localName, maximum: Self.maximumNameBytes)
  }

  /// Returns the namespace; empty when there is none, or when its prefix isn't declared.
  ///
  /// - Throws: ``XMLError/tooLarge`` for a namespace that is too long.
  public func namespace() throws(XMLError) -> String {
    guard let uri else { return "" }
    return try Self.string(uri, maximum: Self.maximumNamespaceBytes)
  }

  /// Returns the values of all attributes by their local names; of several with the same name, the first counts.
  ///
  /// - Throws: ``XMLError/tooLarge`` for a name that is too long.
  public func allAttributes() throws(XMLError) -> [String: String] {
    var values: [String: String] = [:]
    guard let attributes else { return values }
    for index in 0..<attributeCount {
      let attribute = attributes + 5 * index
      guard let local = attribute[0] else { continue }
      let name = try Self.string(local, maximum: Self.maximumNameBytes)
      guard values[name] == nil else { continue }
      guard let value = attribute[3], let end = attribute[4] else { continue }
      values[name] = AttributeValue.text(value, count: end - value)
    }
    return values
  }

  private static func string(_ text: UnsafePointer<UInt8>, maximum: Int) throws(XMLError) -> String {
    guard xmlStrlen(text) <= maximum else { throw .tooLarge }
    return String(cString: text).streamSafe
  }
}
