import ControlPoint
import DIDLLite
import Glibc
import Uploads

/// A local file that a renderer may read.
struct ServedFile: Sendable, Equatable {
  enum Problem: Error, Equatable {
    case noSuchFile(String)
    case unreadable(String, code: CInt)
    case notAFile(String)
    case empty(String)
    case notAudio(String)
  }

  /// The last part of its path.
  let name: String
  let size: Int64
  /// When it was last changed, in seconds since 1970.
  let changed: Int64
  /// By its name, or else by its beginning.
  let type: MIMEType?
  let descriptor: CInt

  /// - Parameter beginning: its first bytes.
  init(name: String, size: Int64, changed: Int64 = 0, descriptor: CInt = -1, beginning: [UInt8] = []) {
    self.name = name
    self.size = size
    self.changed = changed
    self.descriptor = descriptor
    type = MIMEType(ofFile: name) ?? AudioBeginning.type(beginning).flatMap { MIMEType($0) }
  }

  /// Opens a file, until ``close()``.
  static func open(_ path: String) throws(Problem) -> ServedFile {
    // A pipe that nobody writes to would be waited for.
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw errno == ENOENT || errno == ENOTDIR ? .noSuchFile(path) : .unreadable(path, code: errno)
    }
    var status = stat()
    let problem: Problem?
    if fstat(descriptor, &status) != 0 {
      problem = .unreadable(path, code: errno)
    } else if status.st_mode & S_IFMT != S_IFREG {
      problem = .notAFile(path)
    } else {
      problem = status.st_size == 0 ? .empty(path) : nil
    }
    if let problem {
      Glibc.close(descriptor)
      throw problem
    }
    var beginning = [UInt8](repeating: 0, count: AudioBeginning.length)
    let count = beginning.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
    let file = ServedFile(
      name: path.split(separator: "/").last.map(String.init) ?? path, size: Int64(status.st_size),
      changed: Int64(status.st_mtim.tv_sec), descriptor: descriptor,
      beginning: Array(beginning.prefix(max(0, count))))
    guard file.type?.isAudio == true else {
      file.close()
      throw .notAudio(path)
    }
    return file
  }

  func close() { Glibc.close(descriptor) }

  /// The name without its ending.
  var title: String {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return name }
    return String(name[..<dot])
  }

  /// `.flac`, since some renderers look only at the end of an address; empty for an unknown type.
  var ending: String {
    guard MIMEType(ofFile: name) != nil, let dot = name.lastIndex(of: ".") else { return "" }
    return name[dot...].lowercased()
  }

  var contentType: String { type?.name ?? "application/octet-stream" }

  /// What DLNA's devices want to know: positions in bytes can be asked for, and the content isn't converted.
  static let features = "DLNA.ORG_OP=01;DLNA.ORG_CI=0;DLNA.ORG_FLAGS=01700000000000000000000000000000"

  /// The file as a renderer is told of it.
  func object(address: String) -> MediaObject {
    var resource = MediaResource(
      address: address, protocolInfo: ProtocolInfo("http-get:*:\(contentType):\(Self.features)"))
    resource.size = size
    var object = MediaObject(
      id: "0", isContainer: false, title: title, mediaClass: MediaClass("object.item.audioItem.musicTrack"))
    object.resources = [resource]
    return object
  }
}

extension ServedFile.Problem: CustomStringConvertible {
  var description: String {
    switch self {
    case .noSuchFile(let path): "there is no file \(path)"
    case .unreadable(let path, let code): "\(path) can't be read: \(String(cString: strerror(code)))"
    case .notAFile(let path): "\(path) isn't a file"
    case .empty(let path): "\(path) is empty"
    case .notAudio(let path): "\(path) is no audio file: neither its name nor its beginning says so"
    }
  }
}
