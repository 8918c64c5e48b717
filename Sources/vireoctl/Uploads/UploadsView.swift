import Renderers

/// What people and programs are shown of the songs that a Vireo keeps.
enum UploadsView {
  static func report(_ uploads: UploadedSongs) -> Report {
    var table = Table(["KEY", "NAME", "TYPE", "SIZE", "CAME", "QUEUE"], rightAligned: [3])
    for song in uploads.songs {
      table.add([
        song.key, song.name, song.type, "\(song.bytes / 1000 + (song.bytes % 1000 > 0 ? 1 : 0)) kB",
        "\(ReportsView.time(song.age)) ago",
        song.isNeeded ? "yes" : "",
      ])
    }
    let json = JSON.array(
      uploads.songs.map { song in
        .members([
          "key": .string(song.key), "name": .string(song.name), "type": .string(song.type),
          "bytes": .number(song.bytes), "age": .number(song.age), "isNeeded": .bool(song.isNeeded),
        ])
      })
    return Report(json: json, body: .table(table), whenEmpty: "no songs are kept")
  }
}
