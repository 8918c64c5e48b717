/// Requests written in the shape that control points are known to use. None of them is a recording.
enum Fixtures {
  struct Request: Sendable, CustomStringConvertible {
    var name: String
    var head: String
    var body: String
    /// Action index and arguments as the fake service notes them.
    var performed: String
    var isChunked = false

    var description: String { name }

    func text(port: Int, path: String) -> String {
      let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(body.utf8.count)"
      let head = head.replacing("{HOST}", with: "127.0.0.1:\(port)")
        .replacing("{PATH}", with: "\(path)/RenderingControl/control")
        .split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
      guard isChunked else { return "\(head)\r\n\(framing)\r\n\r\n\(body)" }
      let middle = body.index(body.startIndex, offsetBy: 50)
      let chunks = [body[..<middle], body[middle...]].map {
        "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n"
      }
      return "\(head)\r\n\(framing)\r\n\r\n\(chunks.joined())0\r\n\r\n"
    }
  }

  private static let type = "urn:schemas-upnp-org:service:RenderingControl:1"

  static let requests = [
    Request(
      name: "shaped after BubbleUPnP",
      head: """
        POST {PATH} HTTP/1.1
        Content-Type: text/xml; charset="utf-8"
        SOAPAction: "\(type)#SetVolume"
        User-Agent: Android/14 UPnP/1.0 BubbleUPnP/4.3
        Host: {HOST}
        Connection: Keep-Alive
        Accept-Encoding: gzip
        """,
      body: """
        <?xml version="1.0" encoding="utf-8" standalone="yes"?><s:Envelope \
        s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/" \
        xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><u:SetVolume xmlns:u="\(type)">\
        <InstanceID>0</InstanceID><Channel>Master</Channel><DesiredVolume>37</DesiredVolume></u:SetVolume>\
        </s:Body></s:Envelope>
        """, performed: "1:0,Master,37"),
    Request(
      name: "shaped after Windows Media Player",
      head: """
        POST {PATH} HTTP/1.1
        Cache-Control: no-cache
        Connection: Close
        Pragma: no-cache
        Content-Type: text/xml; charset="utf-8"
        User-Agent: Microsoft-Windows/10.0 UPnP/1.0
        SOAPAction: "\(type)#SetVolume"
        Host: {HOST}
        """,
      body: """
        <?xml version="1.0"?>\r
        <SOAP-ENV:Envelope xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/" \
        SOAP-ENV:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><SOAP-ENV:Body>\
        <m:SetVolume xmlns:m="\(type)"><InstanceID xmlns:dt="urn:schemas-microsoft-com:datatypes" dt:dt="ui4">0\
        </InstanceID><Channel xmlns:dt="urn:schemas-microsoft-com:datatypes" dt:dt="string">Master</Channel>\
        <DesiredVolume xmlns:dt="urn:schemas-microsoft-com:datatypes" dt:dt="ui2">12</DesiredVolume></m:SetVolume>\
        </SOAP-ENV:Body></SOAP-ENV:Envelope>
        """, performed: "1:0,Master,12"),
    Request(
      name: "shaped after foobar2000",
      head: """
        POST {PATH} HTTP/1.1
        HOST: {HOST}
        CONTENT-TYPE: text/xml; charset="utf-8"
        SOAPACTION: "\(type)#GetVolume"
        USER-AGENT: foobar2000/1.6 UPnP/1.1
        """,
      body: """
        <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" \
        s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/">
         <s:Body>
          <u:GetVolume xmlns:u="\(type)">
           <InstanceID>0</InstanceID>
           <Channel>Master</Channel>
          </u:GetVolume>
         </s:Body>
        </s:Envelope>
        """, performed: "0:0,Master"),
    Request(
      name: "shaped after Kazoo",
      head: """
        POST {PATH} HTTP/1.1
        HOST: {HOST}
        CONTENT-TYPE: text/xml; charset="utf-8"
        SOAPACTION: "\(type)#GetVolume"
        Expect: 100-continue-not
        """,
      body: """
        <?xml version="1.0" encoding="utf-8"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" \
        s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/"><s:Body><u:GetVolume xmlns:u="\(type)">\
        <InstanceID>0</InstanceID><Channel>Master</Channel></u:GetVolume></s:Body></s:Envelope>
        """, performed: "0:0,Master", isChunked: true),
    Request(
      name: "shaped after Home Assistant",
      head: """
        POST {PATH} HTTP/1.1
        Host: {HOST}
        SOAPAction: "\(type)#SetVolume"
        Content-Type: text/xml; charset="utf-8"
        Accept: */*
        Accept-Encoding: gzip, deflate
        User-Agent: Home Assistant aiohttp Python
        """,
      body: """
        <?xml version="1.0"?><s:Envelope s:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/" \
        xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><u:SetVolume xmlns:u="\(type)">\
        <InstanceID>0</InstanceID><Channel>Master</Channel><DesiredVolume>50</DesiredVolume></u:SetVolume></s:Body>\
        </s:Envelope>
        """, performed: "1:0,Master,50"),
    Request(
      name: "default namespaces, byte order mark, comments, surplus arguments",
      head: """
        POST {PATH} HTTP/1.1
        Host: {HOST}
        SOAPAction: \(type)#SetVolume
        """,
      body: """
        \u{FEFF}<!-- x --><Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Header><a>1</a></Header><Body>\
        <SetVolume xmlns="\(type)"><Extra>1</Extra><InstanceID> +00 <!-- c --></InstanceID>\
        <Channel><![CDATA[Mas]]>ter</Channel><DesiredVolume>&#53;</DesiredVolume></SetVolume></Body></Envelope>
        """, performed: "1:0,Master,5"),
  ]
}
