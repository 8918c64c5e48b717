import Logging
import Page
import UploadsIO

/// Songs from phones: where they are, and which are ours.
struct KeptSongs: Sendable {
  let files: SongFiles
  let own: OwnSongs

  /// Nil where no songs are taken, and where there is no directory for them.
  init?(_ settings: Settings.Uploads, logger: Logger) {
    guard settings.enabled else { return nil }
    guard
      let directory = SongDirectory.choose(
        configured: settings.directory, environment: Launch.environment)
    else {
      logger.warning("no directory to keep songs in; set [uploads] directory, or HOME")
      return nil
    }
    files = SongFiles(directory: directory)
    own = OwnSongs()
  }
}
