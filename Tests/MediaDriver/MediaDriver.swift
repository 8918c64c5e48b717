import ControlPoint
import Network
import UPnP

/// Tells the tests of `Tests/Interop` what the library makes of a media server: one line for each object, fields between
/// tabs.
///
///     MediaDriver LOCATION list ID [SORT]
///                          search track|album|artist WORDS
///                          tracks ID
///                          object ID
///                          capabilities
///                          choose ID SINK NETWORK
@main enum MediaDriver {
  static func main() async {
    let words = Array(CommandLine.arguments.dropFirst())
    guard words.count >= 2 else { return print("usage") }
    let controlPoint = ControlPoint()
    do throws(ActionFailure) {
      let devices = try await controlPoint.devices(at: words[0])
      guard let library = devices.lazy.compactMap({ MediaLibrary($0, through: controlPoint) }).first else {
        return print("no media server")
      }
      try await run(words[1], Array(words.dropFirst(2)), library)
    } catch {
      print("failed\t\(error)")
    }
  }

  private static let noSuchObject = ActionFailure.fault(
    UPnPError(code: 701, description: "No such object"))

  private static func run(
    _ verb: String, _ words: [String], _ library: MediaLibrary
  ) async throws(ActionFailure) {
    switch (verb, words.count) {
    case ("list", 1...2):
      var pages = library.pages(of: words[0], sort: words.count > 1 ? words[1] : "").makeAsyncIterator()
      while let page = try await pages.next() {
        for object in page { show(object) }
      }
      print("end\t\(pages.listing.next)\t\(pages.listing.isSorted)\t\(pages.listing.hasChanged)")
    case ("search", 2):
      let kinds: [String: SearchedKind] = ["track": .track, "album": .album, "artist": .artist]
      let capabilities = try await library.capabilities()
      guard let kind = kinds[words[0]],
        let found = try await library.search(words[1], for: kind, capabilities)
      else { return print("none") }
      for object in found.objects { show(object) }
      print("end\t\(found.end)")
    case ("tracks", 1):
      let root = MediaObject(id: words[0], isContainer: true, title: "", mediaClass: MediaClass(""))
      let all = try await library.tracks(below: root, try await library.capabilities())
      for track in all.tracks { show(track) }
      print("end\t\(all.end)\t\(all.refused)")
    case ("object", 1):
      guard let object = try await library.object(words[0]) else { throw noSuchObject }
      show(object)
    case ("capabilities", 0):
      let capabilities = try await library.capabilities()
      print("search\t\(capabilities.search.sorted().joined(separator: ","))")
      print("sort\t\(capabilities.sort.sorted().joined(separator: ","))")
    case ("choose", 3):
      guard let object = try await library.object(words[0]) else { throw noSuchObject }
      let renderer = RendererReach(
        formats: SinkFormats(words[1]), networks: IPNetwork(words[2]).map { [$0] } ?? [])
      do throws(ResourceRefusal) {
        let resource = try object.resource(for: renderer)
        print("resource\t\(resource.address)\t\(resource.type?.name ?? "")")
        print("metadata\t\(object.metadata(for: resource).split(separator: "\n").joined(separator: " "))")
      } catch {
        print("refused\t\(error)")
      }
    default: print("usage")
    }
  }

  private static func show(_ object: MediaObject) {
    let seconds = object.resources.first?.duration.map { "\($0.components.seconds)" }
    let fields: [String?] = [
      object.isContainer ? "container" : object.isPlayable ? "track" : "item", object.id,
      "\(object.mediaClass.kind)",
      object.title, object.artist, object.album, object.trackNumber.map(String.init),
      object.resources.first?.type?.name, seconds, object.resources.first?.address, object.art.first?.address,
    ]
    print(fields.map { ($0 ?? "").split(separator: "\t").joined(separator: " ") }.joined(separator: "\t"))
  }
}
