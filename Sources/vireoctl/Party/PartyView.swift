import Renderers

/// What people and programs are shown of a party.
enum PartyView {
  static func report(_ party: PartyState) -> Report {
    guard party.isRunning else {
      return Report(json: json(party), body: .table(Table([])), whenEmpty: "there is no party")
    }
    let waiting = party.requests.count { $0.state == "asked" || $0.state == "queued" }
    return .fields(
      [
        "mode": party.mode?.rawValue, "code": party.code, "address": party.address,
        "ends in": party.seconds.map(ReportsView.time), "guests": "\(party.guests)", "waiting": "\(waiting)",
      ], json: json(party))
  }

  static func requests(_ party: PartyState) -> Report {
    var table = Table(["ID", "STATE", "VOTES", "SONG", "WHO"], rightAligned: [0, 2])
    for request in party.requests {
      let song = [request.artist, request.title].compactMap(\.self).joined(separator: " – ")
      table.add(["\(request.id)", request.state, "\(request.votes)", song, request.name ?? ""])
    }
    return Report(
      json: .array(party.requests.map(json)), body: .table(table),
      whenEmpty: party.isRunning ? "nobody has requested anything" : "there is no party")
  }

  private static func json(_ party: PartyState) -> JSON {
    .members([
      "running": .bool(party.isRunning), "mode": .string(party.mode?.rawValue), "code": .string(party.code),
      "address": .string(party.address), "seconds": .number(party.seconds), "guests": .number(party.guests),
      "requests": .array(party.requests.map(json)),
    ])
  }

  private static func json(_ request: PartyState.Request) -> JSON {
    .members([
      "id": .number(request.id), "state": .string(request.state), "title": .string(request.title),
      "artist": .string(request.artist), "name": .string(request.name), "votes": .number(request.votes),
      "next": .bool(request.isNext),
    ])
  }
}
