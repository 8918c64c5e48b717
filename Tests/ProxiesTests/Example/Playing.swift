import ControlPoint
import Proxies

/// Plays `address` on the first renderer that is found; gives up when the task is cancelled.
func play(_ address: String, by controlPoint: ControlPoint) async throws {
  for await change in await controlPoint.devices([.mediaRenderer]) {
    guard case .appeared(let device) = change,
      let transport = AVTransport1.Proxy(device, through: controlPoint)
    else { continue }
    try await transport.setAVTransportURI(currentURI: address, currentURIMetaData: "")
    return try await transport.play()
  }
}
