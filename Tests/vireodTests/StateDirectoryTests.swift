import Testing

@testable import vireod

@Suite struct StateDirectoryTests {
  @Test func theDirectoryIsChosenAsDocumented() {
    let choose = { (option: String?, environment: [String: String]) in
      StateDirectory.choose(option: option) { environment[$0] }
    }
    let all = ["STATE_DIRECTORY": "/a:/b", "XDG_STATE_HOME": "/x", "HOME": "/h", "PWD": "/p"]
    #expect(choose("/o", all) == "/o")
    #expect(choose("o", all) == "/p/o")
    #expect(choose(nil, all) == "/a")
    #expect(choose(nil, ["XDG_STATE_HOME": "/x", "HOME": "/h"]) == "/x/vireo")
    #expect(choose(nil, ["XDG_STATE_HOME": "", "HOME": "/h"]) == "/h/.local/state/vireo")
    #expect(choose(nil, [:]) == nil)
  }
}
