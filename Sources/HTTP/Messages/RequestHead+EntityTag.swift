import Text

extension RequestHead {
  /// True when the peer says that it has what the entity tag `etag` names (If-None-Match): 304 is enough.
  package func has(_ etag: String) -> Bool {
    guard let tags = fields.first("if-none-match") else { return false }
    return tags.split(separator: ",").contains { tag in
      let tag = tag.trimmingASCIISpace
      return tag == "*" || tag == etag || tag == "W/\(etag)"
    }
  }
}
