import HTTP
import Uploads
import UploadsIO

/// Why a song isn't taken, in plain words.
extension Problem {
  static var uploadsAreOff: Problem {
    Problem(
      "uploads-off", .forbidden,
      "No songs are taken from phones: [uploads] enabled is false in the configuration.")
  }

  static var noSuchSong: Problem { .notFound("There is no such song; it may have been deleted.") }

  static var songIsNeeded: Problem {
    .conflict("The song is in the queue; remove it there first.", type: "in-queue")
  }

  static func tooLarge(_ bytes: Int, limit: Int) -> Problem {
    Problem(
      "too-large", .contentTooLarge,
      "The file has \(size(bytes)); all songs together may have \(size(limit)): see [uploads] limit.")
  }

  init(_ refusal: UploadShelf.Refusal, bytes: Int, limit: Int) {
    switch refusal {
    case .tooLarge: self = .tooLarge(bytes, limit: limit)
    case .full:
      self.init(
        "shelf-full", .insufficientStorage,
        "There is no room for the file: what is kept is in the queue. See [uploads] limit.")
    case .noSpace: self = Problem(SongFiles.Failure.noSpace)
    }
  }

  init(_ failure: SongFiles.Failure) {
    switch failure {
    case .noSpace: self.init("disk-full", .insufficientStorage, "The speaker's disk is full.")
    case .notWritable:
      self.init(
        "not-writable", .insufficientStorage,
        "The speaker may not write where songs are kept; see its log.")
    case .missing:
      self.init(
        "not-writable", .insufficientStorage,
        "The directory where songs are kept is gone; see the speaker's log.")
    case .inUse:
      self.init(
        "not-writable", .insufficientStorage,
        "Another speaker on this machine keeps its songs there: set [uploads] directory.")
    case .other:
      self.init(
        "disk-fault", .insufficientStorage, "The speaker's disk doesn't work as it should; see its log.")
    }
  }

  init(_ refusal: UploadPlaces<RequestID, some Hashable & Sendable>.Refusal) {
    self =
      switch refusal {
      case .tooManyOfAddress:
        Problem(
          "too-many-uploads", .tooManyRequests, "Two files from one device at once are enough.", retryAfter: 5
        )
      case .tooMany:
        .unavailable("too-many-uploads", "Others are sending files; try again in a moment.", retryAfter: 5)
      }
  }

  /// What isn't sound that is played here; nil for what is.
  init?(_ type: SoundType) {
    switch type {
    case .playable: return nil
    case .unplayable(let type):
      self.init("not-playable", .unsupportedMediaType, "This speaker can't play \(type).")
    case .unknown: self.init("not-audio", .unsupportedMediaType, "This isn't an audio file.")
    }
  }

  /// `12 MB`, rounded up. A client may say any number of bytes.
  private static func size(_ bytes: Int) -> String {
    let (unit, name) = bytes < 1_000_000 ? (1000, "kB") : (1_000_000, "MB")
    return "\(bytes / unit + (bytes % unit > 0 ? 1 : 0)) \(name)"
  }
}

extension SongFiles.Failure: CustomStringConvertible {
  /// For the log.
  public var description: String {
    switch self {
    case .noSpace: "the disk is full"
    case .notWritable(let code): "it may not be written (error \(code))"
    case .missing: "it is gone"
    case .inUse: "another vireod uses it; set [uploads] directory"
    case .other(let code): "error \(code)"
    }
  }
}
