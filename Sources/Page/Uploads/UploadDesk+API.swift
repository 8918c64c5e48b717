import HTTP
import Player
import Services
import Uploads

/// Answers what is asked for below `/api/v1/uploads`.
extension UploadDesk: UploadsHandlers {
  /// Songs in one answer, unless it is asked for fewer.
  private static let shown = 100
  /// Names in one answer.
  private static let mostMissing = 50

  public nonisolated func getUploads(_ context: APIContext) -> Reply<API.Uploads> {
    .value(assumeIsolated { $0.summary })
  }

  public nonisolated func getUploadedSongs(
    start: Int?, count: Int?, _ context: APIContext
  ) -> Reply<API.UploadedSongs> {
    .value(
      assumeIsolated { desk in
        let songs = desk.shelf.newestFirst.dropFirst(start ?? 0).prefix(count ?? Self.shown)
        let (needed, base) = (desk.needed(), desk.base(context))
        return API.UploadedSongs(
          songs: songs.map { API.UploadedSong($0, base: base, isNeeded: needed.contains($0.key)) },
          total: desk.shelf.songs.count)
      })
  }

  private func base(_ context: APIContext) -> String { base(for: context.peer) }

  public nonisolated func addUpload(
    name: String, how: API.AddUploadHow?, batch: String?, place: Int?, _ context: APIContext
  ) -> Reply<Answer> {
    assumeIsolated { $0.claim(name, how, batch: batch, place: place, context) }
  }

  public nonisolated func removeUpload(key: String, _ context: APIContext) -> Reply<Done> {
    assumeIsolated { desk in
      guard desk.shelf.songs[key] != nil else { return .problem(.noSuchSong) }
      guard !desk.needed().contains(key), desk.waiting[key] == nil else { return .problem(.songIsNeeded) }
      desk.shelf.remove(key)
      desk.gone([key])
      desk.note()
      return .value(Done(version: desk.version()))
    }
  }

  public nonisolated func removeUnusedUploads(_ context: APIContext) -> Reply<API.Uploads> {
    assumeIsolated { desk in
      let going = desk.shelf.unused(but: desk.needed().union(desk.waiting.keys)).map(\.key)
      for key in going { desk.shelf.remove(key) }
      desk.gone(going)
      desk.note()
      return .value(desk.summary)
    }
  }

  // MARK: - Lists

  public nonisolated func playSongList(
    _ body: API.SongList, _ context: APIContext
  ) -> Reply<API.SongListResult> {
    assumeIsolated { desk in
      var (media, missing, refused) = ([Media](), [String](), 0)
      // A long list asks for every song.
      let (base, songs) = (desk.base(context), desk.shelf.songsByName)
      for entry in SongList.entries(body.text) {
        switch entry {
        case .file(let name):
          if let song = songs[name.lowercased()] {
            media.append(song.media(base))
          } else {
            missing.append(name)
          }
        case .address(let uri, let title):
          guard desk.player.currentState.configuration.uriPolicy.allows(uri) else {
            refused += 1
            continue
          }
          media.append(
            Media(entered: uri, title: title, artist: nil, album: nil, duration: nil, picture: nil))
        }
      }
      guard !media.isEmpty || !missing.isEmpty || refused > 0 else {
        return .problem(
          Problem("not-a-list", .unprocessableContent, "The list names nothing.", pointer: "/text"))
      }
      var result = API.SongListResult(
        added: 0, missing: Array(missing.prefix(Self.mostMissing)), left: missing.count + refused)
      guard !media.isEmpty else { return .value(result) }
      let how = body.how.flatMap { API.Play.How(rawValue: $0.rawValue) } ?? .now
      do throws(Problem) {
        let added = try desk.queue.adding.add(media, how, context.action).count
        result.added = added
        result.left += media.count - added
        if added < media.count { result.detail = "\(media.count - added) didn't fit: the queue is full." }
        return .value(result)
      } catch {
        return .problem(error)
      }
    }
  }
}

extension API.UploadedSong {
  init(_ song: UploadedSong, base: String, isNeeded: Bool) {
    let now = UploadDesk.now
    self.init(
      key: song.key, name: song.name, title: song.title, uri: base + song.path, type: song.type,
      bytes: song.bytes, age: max(0, now - song.added), unused: max(0, now - song.used), isNeeded: isNeeded)
  }
}

extension UploadedSong {
  /// The song as the player gets it. Its title is the name of its file, until it plays and its own tags show.
  func media(_ base: String) -> Media {
    Media(entered: base + path, title: title, artist: nil, album: nil, duration: nil, picture: nil)
  }
}
