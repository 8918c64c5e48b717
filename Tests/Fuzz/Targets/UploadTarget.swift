import Text
import Uploads

/// What phones send beside songs, and what is found in the directory of songs.
extension FuzzTarget {
  static let upload = FuzzTarget(
    name: "upload", maximumLength: 4096,
    words: [
      "#EXTM3U\n", "#EXTINF:12,", "http://", "https://a/b.mp3\n", "../", "\\", "C:\\", "\r\n", "\u{feff}",
      "\u{202e}",
      #"{"name":"#, #""type":"audio/mpeg","#, #""bytes":"#, #""added":0}"#, "1e308", "-1", "OggS", "fLaC",
      "ID3", "ftyp",
      "/uploads/", "0123456789abcdef0123456789abcdef", ".flac", "http://[fe80::1]:49494/uploads/",
    ]
  ) { bytes in
    let key = "0123456789abcdef0123456789abcdef"
    if let song = SongNote.read(bytes, key: key) {
      try promise(
        SongNote.read(SongNote.write(song), key: key) == song, "a note is read in another way: \(song)")
      try promise(song.bytes > 0 && UploadedSong.isKey(song.key), "a song of \(song.bytes) bytes")
    }
    let text = String(decoding: bytes, as: UTF8.self).streamSafe
    let name = UploadedSong.name(text)
    try promise(!name.isEmpty && !name.contains("/") && !name.contains("\n"), "a name: \(name)")
    try promise(
      name.unicodeScalars.count <= UploadedSong.longestName, "a name of \(name.unicodeScalars.count)")
    try promise(UploadedSong.name(name) == name, "a name of a name")
    let entries = SongList.entries(text)
    try promise(entries.count <= SongList.mostEntries, "\(entries.count) entries")
    for case .file(let name) in entries { try promise(!name.contains("/"), "an entry: \(name)") }
    if let key = SongAddress.key(inPath: text) { try promise(UploadedSong.isKey(key), "a key: \(key)") }
    if let moved = SongAddress.moved(text, to: "http://127.0.0.1:1") {
      try promise(SongAddress.key(inURI: moved) == SongAddress.key(inURI: text), "another song: \(moved)")
    }
    _ = SoundType(Array(bytes.prefix(AudioBeginning.length)), played: ["audio/mpeg"])
  }
}
