import Foundation
import Testing

/// Runs libFuzzer, which `make fuzz` links in, on one target: that of the environment variable VIREO_FUZZ.
///
/// It lives in the tests since only they may look inside the modules, the daemon's included.
@Suite(.enabled(if: FuzzTarget.isFuzzing)) struct Fuzzer {
  private static let target = FuzzTarget.asked.flatMap(FuzzTarget.named)

  private typealias Input = @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
  private typealias Arguments = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private typealias Driver =
    @convention(c) (
      UnsafeMutablePointer<Int32>, UnsafeMutablePointer<Arguments>, Input
    ) -> Int32

  @Test func fuzz() throws {
    let target = try #require(Self.target, "there is no such target")
    let symbol = try #require(dlsym(nil, "LLVMFuzzerRunDriver"), "built without libFuzzer; use make fuzz")
    let driver = unsafeBitCast(symbol, to: Driver.self)
    // VIREO_FUZZ_OPTIONS are libFuzzer's own; what it finds new goes to the first folder that they name.
    let options = ProcessInfo.processInfo.environment["VIREO_FUZZ_OPTIONS"] ?? ""
    var words = ["fuzz", "-max_len=\(target.maximumLength)"]
    if !target.words.isEmpty { words.append("-dict=\(try Self.writeDictionary(of: target))") }
    words += options.split(separator: " ").map(String.init)
    words.append(Corpus.folder.appending(path: target.name).path())
    // libFuzzer keeps them for as long as the process lives.
    var arguments = Arguments.allocate(capacity: words.count + 1)
    for (index, word) in words.enumerated() { arguments[index] = strdup(word) }
    arguments[words.count] = nil
    var count = Int32(words.count)
    let result = driver(&count, &arguments) { bytes, length in
      do {
        try Fuzzer.target?.run(Array(UnsafeBufferPointer(start: bytes, count: length)))
      } catch {
        FileHandle.standardError.write(Data("broken promise: \(error)\n".utf8))
        abort()
      }
      return 0
    }
    exit(result)
  }

  private static func writeDictionary(of target: FuzzTarget) throws -> String {
    let lines = target.words.map { word in
      "\""
        + word.utf8.map { byte in
          let digits = String(byte, radix: 16)
          return "\\x" + (digits.count < 2 ? "0" : "") + digits
        }.joined() + "\"\n"
    }
    let file = FileManager.default.temporaryDirectory.appending(path: "vireo-fuzz-\(target.name).dict")
    try Data(lines.joined().utf8).write(to: file)
    return file.path()
  }
}
