import ControlPoint
import Renderers

/// Prints devices as they are found. A JSON document comes at the end, in the order of the names.
actor DevicePrinter {
  private let output: Output
  private var printed: Set<String> = []

  init(_ output: Output) { self.output = output }

  func print(_ device: FoundDevice) throws {
    guard output.style != .json, printed.insert(device.udn).inserted else { return }
    let entry = DeviceList.Entry(DeviceFacts(device), secondsAgo: device.secondsAgo)
    let lines = DeviceList.lines([entry], output.style, hasHeadings: printed.count == 1)
    try output.write(lines.map { $0 + "\n" }.joined())
  }

  /// What is left to be said.
  func end(_ found: [FoundDevice]) -> Report? {
    guard output.style == .json || printed.isEmpty else { return nil }
    return DeviceList.report(found.map { DeviceList.Entry(DeviceFacts($0), secondsAgo: $0.secondsAgo) })
  }
}
