import ControlPoint
import Testing

@testable import Page

@Suite struct FolderMemoryTests {
  private func folder(_ id: String) -> MediaObject {
    MediaObject(id: id, isContainer: true, title: "Folder \(id)", mediaClass: MediaClass("object.container"))
  }

  private func path(_ memory: FolderMemory, _ id: String) -> [String]? { memory.path(above: id)?.map(\.id) }

  @Test func theWayDownIsTheWayUp() {
    var memory = FolderMemory()
    memory.learn([folder("a"), folder("b")], in: "0", start: 0)
    memory.learn([folder("c")], in: "a", start: 0)
    memory.learn([folder("d")], in: "c", start: 0)
    #expect(path(memory, "0") == [] && path(memory, "a") == [])
    #expect(path(memory, "d") == ["a", "c"])
    #expect(memory.path(above: "d")?.map(\.title) == ["Folder a", "Folder c"])
    #expect(path(memory, "unknown") == nil)
  }

  @Test func circlesEnd() {
    var memory = FolderMemory()
    memory.learn([folder("a")], in: "b", start: 0)
    memory.learn([folder("b")], in: "a", start: 0)
    memory.learn([folder("self")], in: "self", start: 0)
    #expect(path(memory, "a") == nil && path(memory, "self") == nil)
  }

  @Test func aDeepPathEnds() {
    var memory = FolderMemory()
    memory.learn([folder("0-0")], in: "0", start: 0)
    for depth in 1..<100 { memory.learn([folder("0-\(depth)")], in: "0-\(depth - 1)", start: 0) }
    #expect(path(memory, "0-5")?.count == 5 && path(memory, "0-99") == nil)
  }

  @Test func itIsBounded() {
    var memory = FolderMemory()
    for place in 0..<3 * FolderMemory.maximum {
      memory.learn([folder("id\(place)")], in: "folder\(place)", start: 0)
      #expect(memory.count <= FolderMemory.maximum)
    }
    #expect(memory["id\(3 * FolderMemory.maximum - 1)"] != nil)
  }

  /// Jellyfin's root doesn't look at where to begin.
  @Test func aPageThatIsTheFirstOneAgain() {
    var memory = FolderMemory()
    let objects = [folder("a"), folder("b")]
    memory.learn(objects, in: "0", start: 0)
    #expect(memory.isRepeated(objects, in: "0", start: 50))
    #expect(!memory.isRepeated(objects, in: "0", start: 0))
    #expect(!memory.isRepeated([folder("c")], in: "0", start: 50))
    #expect(!memory.isRepeated([], in: "0", start: 50) && !memory.isRepeated(objects, in: "x", start: 50))
  }
}
