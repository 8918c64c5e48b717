/// Looks what is at an address, without playing it.
public protocol AddressProbe: Sendable {
  /// What is there.
  ///
  /// - Parameter ended: called once, when nothing is read any more, perhaps after the return.
  func probe(_ address: String, ended: @escaping @Sendable () -> Void) async -> API.AddressCheck
}
