import CLinux
import Glibc
import Testing

@testable import vireod

/// What a start leaves behind is taken out of memory; in a process of its own, since that concerns all of it.
@Suite struct CodeMemoryTests {
  /// The file as it is now. Reads with as little code as can be: what runs is mapped again.
  private static func mappings() -> [UInt8] {
    var text = [UInt8](repeating: 0, count: 1 << 20)
    var count = 0
    let file = open("/proc/self/smaps", O_RDONLY)
    text.withUnsafeMutableBytes { buffer in
      while count < buffer.count {
        let more = read(file, buffer.baseAddress?.advanced(by: count), buffer.count - count)
        if more <= 0 { break }
        count += more
      }
    }
    close(file)
    text.removeLast(text.count - count)
    return text
  }

  /// kB of memory that belong to files and can't be written.
  private static func residentConstants(_ mappings: [UInt8]) -> Int {
    var isConstant = false
    var sum = 0
    for line in String(decoding: mappings, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count > 1 else { continue }
      if !words[0].hasSuffix(":") {
        isConstant = words.count > 5 && !words[1].contains("w") && words[4] != "0"
      } else if words[0] == "Rss:", isConstant {
        sum += Int(words[1]) ?? 0
      }
    }
    return sum
  }

  @Test func codeIsTakenOutOfMemoryAndComesBack() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let known = SHA256.hash(Array("abc".utf8))
      let before = CodeMemoryTests.mappings()
      clinux_drop_code_pages()
      let after = CodeMemoryTests.mappings()
      let (full, rest) = (
        CodeMemoryTests.residentConstants(before), CodeMemoryTests.residentConstants(after)
      )
      print("kB of code and constants: \(full) before, \(rest) after")
      try #require(full > 2000)
      try #require(rest * 2 < full)
      // A library, constants of the program, and code of it, all of which have gone.
      try #require(SHA256.hash(Array("abc".utf8)) == known)
      try #require(known.prefix(4) == [0xba, 0x78, 0x16, 0xbf])
      try #require(SettingsSchema.keys.contains { $0.name == "idle-seconds" })
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self), terminator: "")
  }
}
