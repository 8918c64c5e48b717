import CLibXML2
import Text

/// The state of one strict parse.
struct StrictReading {
  private(set) var failure: XMLError?
  var parser: xmlParserCtxtPtr?

  /// The visitor without its type, since the functions that libxml2 calls can't be generic.
  private let visitor: UnsafeMutableRawPointer
  private let type: any XMLVisitor.Type
  private let maximumDepth: Int
  private var depth = 0
  /// The text of the open elements.
  private var collected: [UInt8] = []
  /// For each open element, where its text begins in ``collected``; -1 when it isn't wanted.
  private var begins = InlineArray<33, Int>(repeating: -1)

  /// - Parameter visitor: points to a value of `type`, and is valid during the parse.
  init(visitor: UnsafeMutableRawPointer, type: any XMLVisitor.Type, maximumDepth: Int) {
    self.visitor = visitor
    self.type = type
    self.maximumDepth = min(maximumDepth, StrictXML.maximumDepth)
  }

  /// libxml2 passes back the pointer that it was given; it is valid during the parse.
  static func from(_ context: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<StrictReading>? {
    context?.assumingMemoryBound(to: StrictReading.self)
  }

  static func stop(_ context: UnsafeMutableRawPointer?, _ reason: XMLError) {
    from(context)?.pointee.stop(reason)
  }

  private mutating func stop(_ reason: XMLError) {
    guard failure == nil else { return }
    failure = reason
    xmlStopParser(parser)
  }

  mutating func start(_ tag: XMLStartTag) {
    guard failure == nil else { return }
    depth += 1
    guard depth <= maximumDepth else { return stop(.tooLarge) }
    do throws(XMLError) {
      begins[depth] = try type.start(at: visitor, tag, depth) ? collected.count : -1
    } catch {
      stop(error)
    }
  }

  mutating func end() {
    guard failure == nil, depth > 0 else { return }
    let begin = begins[depth]
    var text: String?
    if begin >= 0 {
      text = String(decoding: collected[begin...], as: UTF8.self).streamSafe
      collected.removeLast(collected.count - begin)
    }
    do throws(XMLError) {
      try type.end(at: visitor, depth, text)
    } catch {
      stop(error)
    }
    depth -= 1
  }

  mutating func text(_ text: UnsafePointer<xmlChar>?, _ length: Int) {
    guard failure == nil, depth > 0, begins[depth] >= 0, let text, length > 0 else { return }
    collected.append(contentsOf: UnsafeBufferPointer(start: text, count: length))
  }
}

extension XMLVisitor {
  fileprivate static func start(
    at visitor: UnsafeMutableRawPointer, _ tag: XMLStartTag, _ depth: Int
  ) throws(XMLError) -> Bool {
    try visitor.assumingMemoryBound(to: Self.self).pointee.start(tag, depth: depth)
  }

  fileprivate static func end(
    at visitor: UnsafeMutableRawPointer, _ depth: Int, _ text: String?
  ) throws(XMLError) {
    try visitor.assumingMemoryBound(to: Self.self).pointee.end(depth: depth, text: text)
  }
}
