/// What ``StrictXML`` tells of a document, in the document's order.
public protocol XMLVisitor {
  /// Handles a start tag, and decides whether the element's own text is wanted.
  ///
  /// - Parameter depth: 1 for the root element.
  mutating func start(_ tag: XMLStartTag, depth: Int) throws(XMLError) -> Bool

  /// Handles an end tag.
  ///
  /// - Parameter text: the text, without that of the elements inside; nil when it wasn't wanted.
  mutating func end(depth: Int, text: String?) throws(XMLError)
}
