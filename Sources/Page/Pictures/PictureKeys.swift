import NIOCore
import Player
import Synchronization

/// Gives the addresses of pictures keys, and finds them again.
///
/// A key says nothing of its address, and nobody outside can make one: they depend on a secret of this run. So only pictures
/// that something here has named can be asked for.
public final class PictureKeys: PictureAddresses {
  static let path = "/art/"
  /// Addresses that are remembered at least; of twice as many, the older half is forgotten.
  static let remembered = 2000
  static let longestAddress = 2048

  private struct State: Sendable {
    var young: [String: String] = [:]
    var old: [String: String] = [:]
    /// Those that a section shows, which are never forgotten.
    var kept: [PageSections.Name: [String: String]] = [:]
    /// The picture of the file that plays, as long as the player has it.
    var embedded = Embedded()

    func address(behind key: String) -> String? {
      young[key] ?? old[key] ?? kept.values.lazy.compactMap { $0[key] }.first
    }
  }

  private struct Embedded: Sendable {
    var key = ""
    weak var picture: EmbeddedPicture?
  }

  private let secrets = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
  private let state = Mutex(State())

  public init() {}

  public func address(of address: String) -> String? {
    guard address.utf8.count <= Self.longestAddress, PictureURL(address) != nil else { return nil }
    let key = key(address)
    remember(key, address)
    return Self.path + key
  }

  public func address(of picture: EmbeddedPicture) -> String? {
    let known = state.withLock { $0.embedded }
    if known.picture === picture { return Self.path + known.key }
    guard Picture.contentType(of: picture.bytes.prefix(16)) != nil else { return nil }
    // The same picture in all files of an album is one for the browser.
    let key = key(picture.bytes)
    state.withLock { $0.embedded = Embedded(key: key, picture: picture) }
    return Self.path + key
  }

  /// The picture inside a file behind `key`; nil when the file no longer plays.
  func embedded(behind key: String) -> Picture? {
    let known = state.withLock { $0.embedded }
    guard known.key == key, let picture = known.picture else { return nil }
    return Picture(ByteBuffer(bytes: picture.bytes))
  }

  public func keep(_ shown: [String], for owner: PageSections.Name) {
    state.withLock { state in
      var kept: [String: String] = [:]
      for path in shown {
        let key = String(path.dropFirst(Self.path.count))
        kept[key] = state.address(behind: key)
      }
      state.kept[owner] = kept
    }
  }

  /// The address behind `key`; nil for one that was never given, or is forgotten.
  func address(behind key: String) -> String? {
    let found = state.withLock { $0.address(behind: key) }
    if let found { remember(key, found) }
    return found
  }

  public func origin(of address: String) -> String? {
    address.hasPrefix(Self.path) ? self.address(behind: String(address.dropFirst(Self.path.count))) : nil
  }

  private func remember(_ key: String, _ address: String) {
    state.withLock { state in
      guard state.young.updateValue(address, forKey: key) == nil else { return }
      guard state.young.count >= Self.remembered else { return }
      state.old = state.young
      state.young = [:]
    }
  }

  private func key(_ named: some Hashable) -> String {
    hash(secrets.0, named) + hash(secrets.1, named)
  }

  private func hash(_ secret: UInt64, _ named: some Hashable) -> String {
    var hasher = Hasher()
    hasher.combine(secret)
    hasher.combine(named)
    let text = String(UInt64(bitPattern: Int64(hasher.finalize())), radix: 16)
    return String(repeating: "0", count: 16 - text.utf8.count) + text
  }
}
