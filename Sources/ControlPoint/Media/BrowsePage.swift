import XML

/// The results of Browse or Search, as they are on the wire.
public struct BrowseAnswer: Sendable, Hashable {
  /// DIDL-Lite.
  public var result: String
  /// Numbers that a server doesn't send, or sends as something else, are 0.
  public var numberReturned: UInt32
  public var totalMatches: UInt32
  public var updateID: UInt32

  public init(result: String, numberReturned: UInt32, totalMatches: UInt32, updateID: UInt32 = 0) {
    self.result = result
    self.numberReturned = numberReturned
    self.totalMatches = totalMatches
    self.updateID = updateID
  }
}

/// A page of a listing.
public struct BrowsePage: Sendable, Hashable {
  /// The most objects of one page; what a server sends beyond them is asked for again.
  public static let maximumObjects = 5000

  public var objects: [MediaObject]
  public var numberReturned: Int
  public var totalMatches: Int
  public var updateID: UInt32

  public init(objects: [MediaObject], numberReturned: Int, totalMatches: Int, updateID: UInt32 = 0) {
    self.objects = objects
    self.numberReturned = numberReturned
    self.totalMatches = totalMatches
    self.updateID = updateID
  }

  /// Reads an answer, leniently: an object that can't be read doesn't take the others along. The last one is left out if it
  /// was cut off and isn't the only one, since it comes again with the next page.
  ///
  /// - Parameter base: what relative addresses are relative to: the URLBase or the location of the server's description.
  public init(_ answer: BrowseAnswer, base: String? = nil) {
    let document = DIDLPieces(answer.result, limit: Self.maximumObjects)
    var pieces = document.pieces[...]
    if pieces.count > 1, pieces.last?.isWhole == false { pieces.removeLast() }
    let objects = pieces.compactMap { piece -> MediaObject? in
      guard let node = LenientXML.parse(piece.text, limit: 2000) else { return nil }
      let isKept =
        piece.isWhole && piece.text.utf8.count <= SentObject.maximumLength
        && (node.name == "item" || node.name == "container")
      let sent = isKept ? SentObject(text: piece.text, namespaces: document.namespaces) : nil
      return MediaObject(node, base: base, sent: sent)
    }
    self.init(
      objects: objects, numberReturned: Int(answer.numberReturned), totalMatches: Int(answer.totalMatches),
      updateID: answer.updateID)
  }
}
