import Foundation
import Glibc

/// A configuration of ALSA in place of the system's. Of all tests those that have one must run one after the other.
final class ALSAConfiguration {
  private let file = Fixtures.directory.appendingPathComponent("asound-\(UUID().uuidString.prefix(8)).conf")

  init(_ text: String) {
    write(text)
    setenv("ALSA_CONFIG_PATH", file.path, 1)
  }

  /// ALSA looks for changes whenever a device is opened.
  func write(_ text: String) {
    try? Data(text.utf8).write(to: file, options: .atomic)
  }

  deinit { unsetenv("ALSA_CONFIG_PATH") }
}
