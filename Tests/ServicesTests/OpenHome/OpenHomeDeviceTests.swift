import Testing

@testable import Services

@Suite struct OpenHomeDeviceTests {
  @Test(arguments: [
    ("4d0fe2c4-2a62-4f3e-9f56-00163e1ca1f3", "4d0fe2c4-2a62-4f3e-9f56-00163e1cce9b"),
    ("4D0FE2C4-2A62-4F3E-9F56-00163E1C6F68", "4D0FE2C4-2A62-4F3E-9F56-00163E1C0000"),
    ("living-room", "living-room-OpenHome"), ("", "-OpenHome"),
    ("4d0fe2c4-2a62-4f3e-9f56-00163e1ca1fg", "4d0fe2c4-2a62-4f3e-9f56-00163e1ca1fg-OpenHome"),
  ])
  func secondUDN(_ first: String, _ second: String) {
    #expect(OpenHomeDevice.udn(besides: first) == second)
  }

  @Test func theUDNLeadsBack() {
    let first = "4d0fe2c4-2a62-4f3e-9f56-00163e1ca1f3"
    #expect(OpenHomeDevice.udn(besides: OpenHomeDevice.udn(besides: first)) == first)
  }
}
