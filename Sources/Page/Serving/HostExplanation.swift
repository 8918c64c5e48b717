import HTTP
import NIOCore

/// The page that a browser gets which came here by a name that isn't ours.
///
/// It names only the address that the browser has reached already: whoever has lured it here may read it.
enum HostExplanation {
  static func response(to head: RequestHead, from peer: Peer) -> HTTPResponse {
    let address = HTMLText.escaped("http://\(peer.local.urlHost):\(peer.localPort)/")
    let page = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Not at this name</title>
      </head>
      <body>
      <main>
      <h1>The speaker doesn’t answer to this name</h1>
      <p>It answers to its address: <a href="\(address)">\(address)</a>, to <code>localhost</code>, and to the name of its
      machine, with and without <code>.local</code>.</p>
      <p>To use another name, add it to <code>hostnames</code> in the section <code>[network]</code> of the configuration. Other
      names are refused, because a page on the internet could use one to control the speaker.</p>
      </main>
      </body>
      </html>

      """
    return HTTPResponse(
      .forbidden, contentType: "text/html; charset=utf-8", body: ByteBuffer(string: page),
      fields: PageFields.document(for: head) + [HTTPField("CACHE-CONTROL", "no-store")])
  }
}
