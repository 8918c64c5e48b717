import JSON

/// What phones need to know to put the page on their home screen (W3C Web Application Manifest).
struct PageManifest: JSONWritable {
  static let path = "/manifest.webmanifest"

  var name: String
  /// Where the icons are.
  var base: String

  private struct Icon: JSONWritable {
    var source: String
    var size: Int
    var purpose = "any"

    func write(to json: inout JSONWriter) {
      json.beginObject()
      json.member("src", source)
      json.member("sizes", "\(size)x\(size)")
      json.member("type", "image/png")
      json.member("purpose", purpose)
      json.endObject()
    }
  }

  func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("name", name)
    json.member("short_name", name)
    json.member("id", "/")
    json.member("start_url", "/")
    json.member("scope", "/")
    json.member("display", "standalone")
    json.member("background_color", "#f5f7f2")
    json.member("theme_color", "#f5f7f2")
    json.member(
      "icons",
      [
        Icon(source: "\(base)/icon-192.png", size: 192), Icon(source: "\(base)/icon-512.png", size: 512),
        Icon(source: "\(base)/icon-maskable-512.png", size: 512, purpose: "maskable"),
      ])
    json.endObject()
  }
}
