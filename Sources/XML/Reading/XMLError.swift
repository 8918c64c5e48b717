/// Why a document can't be read.
public enum XMLError: Error, Hashable {
  /// Not well-formed, or with a document type or entity declarations.
  case malformed
  /// More nesting, elements or attributes, or longer names, than any real document has.
  case tooLarge
}
