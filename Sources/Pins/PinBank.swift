/// The device's pins, by slot (OpenHome Pins:1). There are no account pins.
public struct PinBank: Sendable, Hashable {
  /// A pin in its slot. The id is another one whenever the contents change, and none is given twice.
  public struct Slot: Sendable, Hashable {
    public let id: UInt32
    public let pin: Pin

    public init(id: UInt32, pin: Pin) {
      self.id = id
      self.pin = pin
    }
  }

  /// How many slots there are.
  public static let size = 12

  /// By index; nil for an empty one.
  public private(set) var slots: [Slot?]
  /// The highest id that was ever given.
  public private(set) var lastID: UInt32

  public init() {
    slots = Array(repeating: nil, count: Self.size)
    lastID = 0
  }

  /// What was saved. Slots beyond ``size`` are dropped, and so are ids that are 0 or there twice.
  public init(saved: [Slot?], lastID: UInt32) {
    self.init()
    var seen: Set<UInt32> = []
    for (index, slot) in saved.prefix(Self.size).enumerated() {
      if let slot, slot.id != 0, seen.insert(slot.id).inserted { slots[index] = slot }
    }
    self.lastID = max(lastID, seen.max() ?? 0)
  }

  // MARK: Looking

  /// One id for each slot, 0 for an empty one.
  public var ids: [UInt32] { slots.map { $0?.id ?? 0 } }

  public var isEmpty: Bool { slots.allSatisfy { $0 == nil } }

  /// The first empty slot; nil when all are taken.
  public var firstEmpty: Int? { slots.firstIndex { $0 == nil } }

  /// Nil for 0 and unknown ids.
  public func index(of id: UInt32) -> Int? { id == 0 ? nil : slots.firstIndex { $0?.id == id } }

  /// Nil for 0 and unknown ids.
  public func pin(_ id: UInt32) -> Pin? { index(of: id).flatMap { slots[$0]?.pin } }

  /// The pin at `index`, nil for an empty slot. Throws `indexOutOfRange`.
  public func pin(at index: Int) throws(PinError) -> Pin? {
    try check(index)
    return slots[index]?.pin
  }

  // MARK: Changing

  /// No id up to this one is given any more.
  public mutating func reserve(through id: UInt32) { lastID = max(lastID, id) }

  /// Puts a pin into a slot, in the place of what is there. The same contents keep their id. Throws `indexOutOfRange`.
  public mutating func set(_ pin: Pin, at index: Int) throws(PinError) {
    try check(index)
    guard slots[index]?.pin != pin else { return }
    guard lastID < .max else { throw .indexOutOfRange }
    lastID += 1
    slots[index] = Slot(id: lastID, pin: pin)
  }

  /// Empties the slot of a pin; 0 is ignored. Throws `idNotFound`.
  public mutating func clear(_ id: UInt32) throws(PinError) {
    guard id != 0 else { return }
    guard let index = index(of: id) else { throw .idNotFound }
    slots[index] = nil
  }

  /// Exchanges two slots. Throws `indexOutOfRange`.
  public mutating func swap(_ first: Int, _ second: Int) throws(PinError) {
    try check(first)
    try check(second)
    slots.swapAt(first, second)
  }

  /// Gives a pin another slot; those between move on by one. Throws `idNotFound`, `indexOutOfRange`.
  public mutating func move(_ id: UInt32, to index: Int) throws(PinError) {
    guard let old = self.index(of: id) else { throw .idNotFound }
    try check(index)
    slots.insert(slots.remove(at: old), at: index)
  }

  private func check(_ index: Int) throws(PinError) {
    guard slots.indices.contains(index) else { throw .indexOutOfRange }
  }
}
