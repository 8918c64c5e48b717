import ControlPoint

/// The API that a Vireo's page uses, for what no service of UPnP or OpenHome does.
extension RemoteRenderer {
  /// Asks a Vireo.
  ///
  /// - Parameters:
  ///   - path: below `/api/v1`.
  ///   - time: how long it may take.
  ///   - limit: the longest answer, in bytes.
  func api(
    _ request: ExchangeRequest, at path: String, within time: Duration = .seconds(5), limit: Int
  ) async throws(RendererFailure) -> (status: Int, body: [UInt8]) {
    let address = try apiAddress(path)
    let response = try await attempt { [address] () async throws(ActionFailure) in
      try await controlPoint.exchange.exchange(request, to: address, deadline: time, limit: limit)
    }
    return (response.status, Array(response.body.readableBytesView))
  }

  /// Where something of the API is.
  ///
  /// - Parameter path: below `/api/v1`.
  func apiAddress(_ path: String) throws(RendererFailure) -> ServiceAddress {
    guard let location = location(.product) ?? location(.avTransport) else { throw .lacks(.product) }
    var address = location.control
    address.target = "/api/v1\(path)"
    return address
  }
}
