@testable import Rooms

/// Datagrams as senders put them on the network, written by hand.
enum Wire {
  static func audio(
    frame: UInt32, samples: Int = 2, flags: UInt8 = 6, timestamp: UInt32 = 0x0102_0304,
    latency: UInt32 = 2_257_920,
    start: UInt64 = 0, rate: UInt32 = 44100, depth: UInt8 = 16, channels: UInt8 = 2, value: UInt8 = 0
  ) -> [UInt8] {
    var body: [UInt8] = [50, flags]
    body.append(number: UInt16(samples))
    body.append(number: frame)
    body.append(number: timestamp)
    body.append(number: latency)
    body += [0, 0, 0, 0]
    body.append(number: start)
    body.append(number: UInt64(1000))
    body.append(number: rate)
    body.append(number: UInt32(705_600))
    body += [0, 0, depth, channels, 0, 4] + Array("FLAC".utf8)
    body += [UInt8](repeating: value, count: samples * Int(channels) * Int(depth / 8))
    return OHMMessage.datagram(tag: OHMMessage.tag, type: 3, body)
  }

  static func message(
    frame: UInt32, samples: Int = 220, start: UInt64 = 0, flags: UInt8 = 2, value: UInt8 = 0
  )
    -> AudioMessage?
  {
    let datagram = audio(frame: frame, samples: samples, flags: flags, start: start, value: value)
    guard case .audio(let message) = OHMMessage(datagram[...]) else { return nil }
    return message
  }

  static func track(_ sequence: UInt32, uri: String = "http://a/b", metadata: String = "<x/>") -> [UInt8] {
    var body: [UInt8] = []
    body.append(number: sequence)
    body.append(number: UInt32(uri.utf8.count))
    body.append(number: UInt32(metadata.utf8.count))
    return OHMMessage.datagram(tag: OHMMessage.tag, type: 4, body + Array(uri.utf8) + Array(metadata.utf8))
  }

  static func metatext(_ text: String) -> [UInt8] {
    var body: [UInt8] = [0, 0, 0, 1]
    body.append(number: UInt32(text.utf8.count))
    return OHMMessage.datagram(tag: OHMMessage.tag, type: 5, body + Array(text.utf8))
  }

  static func zone(_ zone: String, _ uri: String) -> [UInt8] {
    var body: [UInt8] = []
    body.append(number: UInt32(zone.utf8.count))
    body.append(number: UInt32(uri.utf8.count))
    return OHMMessage.datagram(tag: Array("Ohz ".utf8), type: 1, body + Array(zone.utf8) + Array(uri.utf8))
  }

  static func slaves(_ endpoints: [IPv4Endpoint]) -> [UInt8] {
    var body: [UInt8] = []
    body.append(number: UInt32(endpoints.count))
    for endpoint in endpoints {
      body.append(number: endpoint.address)
      body.append(number: endpoint.port)
    }
    return OHMMessage.datagram(tag: OHMMessage.tag, type: 6, body)
  }
}
