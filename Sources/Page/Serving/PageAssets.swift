import HTTP
import NIOCore
import Synchronization
import UPnP

/// Serves the files of the page below `/ui/FINGERPRINT/`. The fingerprint changes with any of them, so browsers keep them for
/// good and never mix those of two versions.
final class PageAssets: Sendable {
  private struct State: Sendable {
    var base: String?
    /// Compressed files, made when they are first asked for.
    var compressed: [PageAsset: ByteBuffer?] = [:]
  }

  private let state = Mutex(State())

  /// `/ui/FINGERPRINT`
  var base: String {
    state.withLock { state in
      if let base = state.base { return base }
      var fingerprint = Fingerprint("".utf8)
      for asset in PageAsset.all {
        fingerprint.add(asset.name.utf8)
        asset.withBytes { fingerprint.add($0) }
      }
      let base = "/ui/\(fingerprint.text)"
      state.base = base
      return base
    }
  }

  /// The file at `path`; nil when there is none.
  func asset(at path: String) -> PageAsset? {
    guard path.hasPrefix("/ui/") else { return nil }
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, "/ui/\(parts[1])" == base else { return nil }
    // The shell is a template.
    return PageAsset.named(parts[2]).flatMap { $0.name == PageShell.name ? nil : $0 }
  }

  func response(_ asset: PageAsset, to head: RequestHead) -> HTTPResponse {
    var fields = PageFields.security
    fields.append(HTTPField("CACHE-CONTROL", "public, max-age=31536000, immutable"))
    guard asset.isText else {
      return HTTPResponse(.ok, contentType: asset.contentType, body: asset.body, fields: fields)
    }
    fields.append(HTTPField("VARY", "Accept-Encoding"))
    if Gzip.isWanted(by: head), let body = compressed(asset) {
      fields.append(HTTPField("CONTENT-ENCODING", "gzip"))
      return HTTPResponse(.ok, contentType: asset.contentType, body: body, fields: fields)
    }
    return HTTPResponse(.ok, contentType: asset.contentType, body: asset.body, fields: fields)
  }

  private func compressed(_ asset: PageAsset) -> ByteBuffer? {
    state.withLock { state in
      if let known = state.compressed[asset] { return known }
      let body = asset.body
      let made = body.readableBytes < Gzip.least ? nil : Gzip.compressed(body, level: 9)
      state.compressed[asset] = .some(made)
      return made
    }
  }
}
