/// Looks what is at an address, without playing it.
public protocol AddressProbe: Sendable {
  /// What is there.
  func probe(_ address: String) async -> API.AddressCheck
}
