import CGStreamer

/// The header of a server's answer.
struct ServerAnswer {
  /// What was asked for; nil if the source doesn't tell.
  var uri: String?
  /// Nil if the source doesn't tell.
  var status: Int?
  /// Nil if the source doesn't tell.
  var fields: [(name: String, value: String)]?
}

extension ServerAnswer {
  /// - Parameter structure: of a message of the HTTP source.
  init(_ structure: UnsafePointer<GstStructure>) {
    uri = gst_structure_get_string(structure, "uri").map { String(cString: $0) }
    var code: guint = 0
    if gst_structure_get_uint(structure, "http-status-code", &code) != 0 { status = Int(code) }
    guard let value = gst_structure_get_value(structure, "response-headers"),
      let headers = gst_value_get_structure(value)
    else { return }
    fields = (0..<gst_structure_n_fields(headers)).compactMap { index in
      guard let name = gst_structure_nth_field_name(headers, guint(index)),
        let text = gst_structure_get_string(headers, name)
      else { return nil }
      return (String(cString: name), String(cString: text))
    }
  }
}
