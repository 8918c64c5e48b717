import HTTP

/// Answers what is asked for below `/api/v1/uploads` where no songs are taken from phones.
public struct NoUploads: UploadsHandlers {
  public init() {}

  public func getUploads(_ context: APIContext) -> Reply<API.Uploads> {
    .value(API.Uploads(version: 0, enabled: false, songs: 0, bytes: 0, limit: 0, coming: 0, types: []))
  }

  public func getUploadedSongs(
    start: Int?, count: Int?, _ context: APIContext
  ) -> Reply<API.UploadedSongs> { .value(API.UploadedSongs(songs: [], total: 0)) }

  public func addUpload(
    name: String, how: API.AddUploadHow?, batch: String?, place: Int?, _ context: APIContext
  ) -> Reply<Answer> { .problem(.uploadsAreOff) }

  public func playSongList(_ body: API.SongList, _ context: APIContext) -> Reply<API.SongListResult> {
    .problem(.uploadsAreOff)
  }

  public func removeUpload(key: String, _ context: APIContext) -> Reply<Done> { .problem(.uploadsAreOff) }

  public func removeUnusedUploads(_ context: APIContext) -> Reply<API.Uploads> { .problem(.uploadsAreOff) }
}
