import HTTP
import Services

/// What controllers fetch from a zone besides the services of its devices.
enum ZonePages {
  private static let xml = "text/xml; charset=\"utf-8\""
  private static let json = "application/json"

  static func pages(_ home: ZoneHome) -> Pages {
    let status = ZoneStatus(home)
    func page(_ type: String, _ body: @escaping @Sendable () -> String) -> @Sendable () -> HTTPPage {
      { HTTPPage(contentType: type, body: body()) }
    }
    return Pages([
      "/info": page(json) { status.info },
      "/status/info": page(json) { status.info },
      "/status/zp": page(xml) { status.zone },
      "/status/topology": page(xml) { status.topology },
      "/status/accounts": page(xml) { status.accounts },
      "/support/review": page("text/html; charset=\"utf-8\"") {
        "<!doctype html><title>Vireo</title><p>Vireo"
      },
      // One controller takes whatever answers this for a zone.
      "/spotifyzc": page(json) { "{\"status\":404}" },
    ])
  }
}
