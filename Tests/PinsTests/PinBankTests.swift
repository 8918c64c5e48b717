import Pins
import SeededRandom
import Testing

@Suite struct PinBankTests {
  private static func pin(_ number: Int) throws -> Pin {
    try Pin(.preset(UInt32(number + 1)), title: "\(number)")
  }

  /// Random commands against a plain list of optional titles, with ids that must never come twice.
  @Test(arguments: 0..<20)
  func behavesAsTheModel(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var bank = PinBank()
    var model: [(id: UInt32, title: String)?] = Array(repeating: nil, count: PinBank.size)
    var given: Set<UInt32> = []
    for _ in 0..<400 {
      let index = Int.random(in: -1...PinBank.size, using: &random)
      let other = Int.random(in: -1...PinBank.size, using: &random)
      let id =
        Bool.random(using: &random) ? model.compactMap { $0?.id }.randomElement(using: &random) ?? 0 : 99_999
      let (isRight, isOtherRight) = (model.indices.contains(index), model.indices.contains(other))
      let place = model.firstIndex { $0?.id == id }
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        let pin = try Self.pin(Int.random(in: 0..<6, using: &random))
        let isDone = (try? bank.set(pin, at: index)) != nil
        #expect(isDone == isRight)
        if isRight, model[index]?.title != pin.title {
          let new = bank.ids[index]
          #expect(given.insert(new).inserted)
          model[index] = (new, pin.title)
        }
      case 2:
        let isDone = (try? bank.clear(id)) != nil
        #expect(isDone == (id == 0 || place != nil))
        if let place, id != 0 { model[place] = nil }
      case 3:
        let isDone = (try? bank.swap(index, other)) != nil
        #expect(isDone == (isRight && isOtherRight))
        if isDone { model.swapAt(index, other) }
      default:
        let isDone = (try? bank.move(id, to: index)) != nil
        #expect(isDone == (id != 0 && place != nil && isRight))
        if isDone, let place { model.insert(model.remove(at: place), at: index) }
      }
      #expect(bank.ids == model.map { $0?.id ?? 0 })
      #expect(bank.slots.map { $0?.pin.title } == model.map { $0?.title })
      #expect(bank.firstEmpty == model.firstIndex { $0 == nil })
    }
    // What is saved is the same, and goes on with other ids.
    var again = PinBank(
      saved: bank.slots.map { $0.flatMap { PinList.slot(in: PinList.text($0)) } }, lastID: bank.lastID)
    #expect(again == bank)
    try again.set(Self.pin(100), at: 0)
    #expect(!given.contains(again.ids[0]))
  }

  @Test(arguments: [Int.min, Int.min + 1, -1, PinBank.size, Int(UInt32.max), Int.max])
  func extremeIndexesAreRefused(index: Int) throws {
    var bank = PinBank()
    try bank.set(Self.pin(1), at: 0)
    let before = bank
    #expect(throws: PinError.indexOutOfRange) { try bank.pin(at: index) }
    #expect(throws: PinError.indexOutOfRange) { try bank.set(Self.pin(2), at: index) }
    #expect(throws: PinError.indexOutOfRange) { try bank.swap(0, index) }
    #expect(throws: PinError.indexOutOfRange) { try bank.swap(index, 0) }
    #expect(throws: PinError.indexOutOfRange) { try bank.move(1, to: index) }
    #expect(bank == before)
  }

  @Test func extremeIDsNameNothing() throws {
    var bank = PinBank(saved: [.init(id: .max, pin: try Self.pin(1))], lastID: 3)
    #expect(bank.lastID == .max && bank.index(of: .max) == 0)
    // No id is left: what is there stays.
    #expect(throws: PinError.self) { try bank.set(Self.pin(2), at: 1) }
    bank.reserve(through: .max)
    try bank.clear(.max)
    #expect(throws: PinError.idNotFound) { try bank.clear(.max) }
    #expect(PinList.ids(in: "[4294967295]") == [.max])
    for text in ["[4294967296]", "[-1]", "[1e300]", "[9223372036854775808]", "[0.5]"] {
      #expect(PinList.ids(in: text) == nil, "\(text)")
    }
  }

  @Test func takesDamagedState() throws {
    let pin = try Self.pin(1)
    let bank = PinBank(
      saved: [.init(id: 0, pin: pin), .init(id: 5, pin: pin), .init(id: 5, pin: pin)]
        + Array(repeating: .init(id: 9, pin: pin), count: 20), lastID: 2)
    #expect(bank.ids == [0, 5, 0, 9] + Array(repeating: 0, count: 8))
    #expect(bank.lastID == 9)
  }

  @Test func reservesIDs() throws {
    var bank = PinBank()
    bank.reserve(through: 70_000)
    bank.reserve(through: 3)
    try bank.set(Self.pin(1), at: 3)
    #expect(bank.ids[3] == 70_001)
  }

  @Test func theSameContentsKeepTheirID() throws {
    var bank = PinBank()
    try bank.set(Self.pin(1), at: 0)
    try bank.set(Self.pin(1), at: 0)
    #expect(bank.lastID == 1)
  }
}
