import NIOCore

/// Reads a whole document of a stranger into a tree: strictly, and leniently if it isn't well-formed.
public enum XMLTree {
  /// The limits of a document.
  public struct Limits: Sendable {
    public var bytes: Int
    public var elements: Int
    public var depth: Int

    public init(bytes: Int, elements: Int, depth: Int = 16) {
      self.bytes = bytes
      self.elements = elements
      self.depth = depth
    }
  }

  /// Returns the root element of `document`.
  ///
  /// A document that isn't well-formed is cut off at the limit of elements; another is refused there.
  ///
  /// - Throws: ``XMLError/malformed`` only for what even the lenient reader can't read.
  public static func read(_ document: ByteBuffer, limits: Limits) throws(XMLError) -> XMLNode {
    guard document.readableBytes <= limits.bytes else { throw .tooLarge }
    do throws(XMLError) {
      return try strict(document, limits: limits)
    } catch {
      guard error == .malformed,
        let root = LenientXML.parse(String(buffer: document), limit: limits.elements)
      else { throw error }
      return root
    }
  }

  /// The root element of `text`; nil unless it is well-formed and within `limits`.
  public static func readStrictly(_ text: String, limits: Limits) -> XMLNode? {
    guard text.utf8.count <= limits.bytes else { return nil }
    return try? strict(ByteBuffer(string: text), limits: limits)
  }

  private static func strict(_ document: ByteBuffer, limits: Limits) throws(XMLError) -> XMLNode {
    let builder = StrictTreeBuilder(limit: limits.elements)
    guard let root = try StrictXML.read(document, depth: limits.depth, with: builder).root else {
      throw .malformed
    }
    return root
  }
}

/// Builds the tree of a well-formed document.
private struct StrictTreeBuilder: XMLVisitor {
  private(set) var root: XMLNode?
  private let limit: Int
  private var count = 0
  private var open: [XMLNode] = []

  init(limit: Int) { self.limit = limit }

  mutating func start(_ tag: XMLStartTag, depth: Int) throws(XMLError) -> Bool {
    count += 1
    guard count <= limit else { throw .tooLarge }
    var node = XMLNode(name: try tag.name())
    node.attributes = try tag.allAttributes()
    open.append(node)
    return true
  }

  mutating func end(depth: Int, text: String?) {
    guard var node = open.popLast() else { return }
    node.text = text ?? ""
    if open.isEmpty { root = node } else { open[open.count - 1].children.append(node) }
  }
}
