import ControlPoint

/// Follows devices for as long as a command watches them: they restart, move, or leave and come back.
///
/// While it reads, the control point hears their announcements, and subscribes anew where that is needed.
actor DeviceWatch {
  private(set) var devices: [FoundDevice]
  private var pauses: [Task<Void, any Error>] = []

  init(_ devices: [FoundDevice]) { self.devices = devices }

  /// Runs `body`, and follows the devices meanwhile.
  ///
  /// - Parameter changed: is called when one of them has changed, or has gone.
  func during<Value: Sendable>(
    _ controlPoint: ControlPoint, changed: @escaping @Sendable () -> Void = {},
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    let stream = await controlPoint.devices(Set(devices.map { .udn($0.udn) }))
    let reading = Task {
      for await change in stream where take(change) { changed() }
    }
    defer { reading.cancel() }
    return try await body()
  }

  /// False for a device that isn't watched.
  private func take(_ change: DeviceChange) -> Bool {
    let udn = change.device.udn.lowercased()
    guard let index = devices.firstIndex(where: { $0.udn.lowercased() == udn }) else {
      return false
    }
    switch change {
    case .appeared(let device), .updated(let device), .restarted(let device):
      devices[index] = device
      for pause in pauses { pause.cancel() }
      pauses = []
    case .expired, .left: break
    }
    return true
  }

  /// Where a service is now.
  func location(of service: ServiceLocation) -> ServiceLocation {
    let udn = service.udn.lowercased()
    let all = devices.filter { $0.udn.lowercased() == udn }.flatMap(\.services)
    return all.first { $0.id == service.id } ?? service
  }

  /// Waits, but no longer than until one of the devices has changed.
  func pause(_ time: Duration) async throws {
    let pause = Task { try await Task.sleep(for: time) }
    pauses.append(pause)
    await withTaskCancellationHandler {
      _ = await pause.result
    } onCancel: {
      pause.cancel()
    }
    pauses.removeAll { $0 == pause }
    try Task.checkCancellation()
  }
}
