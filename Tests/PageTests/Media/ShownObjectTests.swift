import ControlPoint
import Testing

@testable import Page

@Suite struct ShownObjectTests {
  private func kind(_ name: String, isContainer: Bool, address: String? = nil) -> API.MediaObject.Kind {
    var object = MediaObject(id: "1", isContainer: isContainer, title: "T", mediaClass: MediaClass(name))
    if let address { object.resources = [MediaResource(address: address)] }
    return API.MediaObject(object, isPlayable: true) { _ in nil }.kind
  }

  @Test func kinds() {
    #expect(kind("object.container.album.musicAlbum", isContainer: true) == .album)
    #expect(kind("object.container.person.musicArtist", isContainer: true) == .artist)
    #expect(kind("object.container.playlistContainer", isContainer: true) == .playlist)
    for name in ["object.container.storageFolder", "object.container", "1", "", "object.container.genre"] {
      #expect(kind(name, isContainer: true) == .folder, "\(name)")
    }
    #expect(
      kind("object.item.audioItem.musicTrack", isContainer: false, address: "http://h/a.flac") == .track)
    #expect(kind("object.item.imageItem.photo", isContainer: false, address: "http://h/a.jpg") == .other)
    // Whatever it calls itself: without an address it can't be played.
    #expect(kind("object.item.audioItem.musicTrack", isContainer: false) == .other)
    #expect(kind("object.container.album", isContainer: false) == .other)
  }

  @Test func theSmallPictureIsForLists() {
    let profiles: [String] = ["JPEG_LRG", "JPEG_TN", "JPEG_SM"]
    let art = profiles.map { (profile: String) in
      MediaObject.Art(address: "http://h/\(profile)", profile: profile)
    }
    #expect(API.MediaObject.picture(of: art) == "http://h/JPEG_TN")
    #expect(API.MediaObject.picture(of: [.init(address: "http://h/x")]) == "http://h/x")
    #expect(API.MediaObject.picture(of: []) == nil)
  }

  @Test func numbersThatMeanNothingAreLeftOut() {
    var object = MediaObject(
      id: "1", isContainer: true, title: "", mediaClass: MediaClass("object.container"))
    (object.childCount, object.trackNumber) = (0, -3)
    let shown = API.MediaObject(object, isPlayable: false) { _ in nil }
    #expect(shown.count == nil && shown.number == nil && shown.title == "1" && shown.isPlayable)
  }
}
