import Foundation
import Testing

@testable import vireod

@Suite struct SHA256Tests {
  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The examples of FIPS 180-4, and the empty message.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (String(repeating: "a", count: 1000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
  ])
  func knownHashes(message: String, hash: String) {
    #expect(hex(SHA256.hash(Array(message.utf8))) == hash)
  }
}

@Suite struct DeviceIdentityTests {
  private let machine = Array("0123456789abcdef0123456789abcdef".utf8)

  @Test func theSameMachineHasTheSameNameForEver() {
    let identity = DeviceIdentity(configured: "", machineID: machine)
    let udn = identity.udn
    // This value must never change: control points would take every renderer for a new one.
    #expect(udn == "d2222163-c54c-85b0-8b8f-ab9d3c2e4c9a")
    #expect(udn.utf8.count == 36)
    #expect(!udn.contains("01234567"))
    #expect(DeviceIdentity(configured: "", machineID: machine.reversed()).udn != udn)
  }

  @Test(arguments: ["abc", "uuid:abc", "UUID:abc"])
  func theConfiguredNameIsTakenAsItIs(configured: String) {
    #expect(DeviceIdentity(configured: configured, machineID: machine).udn == "abc")
  }

  @Test func versionAndVariantAreThoseOfAVersion8UUID() {
    #expect(
      DeviceIdentity.uuid(from: [UInt8](repeating: 0xff, count: 32)) == "ffffffff-ffff-8fff-bfff-ffffffffffff"
    )
    #expect(
      DeviceIdentity.uuid(from: [UInt8](repeating: 0, count: 32)) == "00000000-0000-8000-8000-000000000000")
  }

  @Test func theMachineIDIsReadFromTheFirstFileThatHasOne() throws {
    let directory = try TemporaryDirectory()
    let empty = try directory.write("uninitialized\n", to: "a")
    let good = try directory.write("0123456789abcdef0123456789abcdef\n", to: "b")
    #expect(MachineID.read(paths: ["/nowhere", empty, good]) == machine)
    #expect(MachineID.read(paths: [empty]) == nil)
    #expect(MachineID.read(paths: [try directory.write(String(repeating: "0", count: 32), to: "c")]) == nil)
  }

  @Test func aRandomIDHasTheForm() {
    var generator = SystemRandomNumberGenerator()
    let id = MachineID.random(using: &generator)
    #expect(id.count == 32 && id.allSatisfy(MachineID.isHexDigit))
    #expect(id != MachineID.random(using: &generator))
  }
}

@Suite struct BootIDTests {
  @Test(
    arguments: [
      (0, 1_800_000_000, 1_800_000_000),
      (1_800_000_000, 1_800_000_000, 1_800_000_001),
      (1_800_000_000, 0, 1_800_000_001),
      (5, -7, 6),
      (0, 5_000_000_000, 1),
      (2_147_483_647, 0, 1),
    ] as [(UInt32, Int, UInt32)])
  func itIsLargerThanTheLast(last: UInt32, time: Int, next: UInt32) {
    #expect(BootID.next(after: last, unixTime: time) == next)
  }
}
