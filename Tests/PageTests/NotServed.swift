import Page
import Player

@testable import HTTP

/// Handlers that have nothing: 503.
struct NotServed: ServersHandlers, RenderersHandlers, RoomsHandlers, EventsHandlers, MediaPlaces {
  private let problem = Problem.unavailable("not-served", "This part of the API isn't served.")

  func getServers(_ context: APIContext) -> Page.Reply<API.Servers> { .problem(problem) }
  func searchServers(_ context: APIContext) -> Page.Reply<Done> { .problem(problem) }
  func getObjects(
    udn: String, id: String?, start: Int?, count: Int?, _ context: APIContext
  ) -> Page.Reply<API.MediaObjects> { .problem(problem) }
  func searchObjects(
    udn: String, q: String, kind: API.SearchObjectsKind?, id: String?, start: Int?, count: Int?,
    _ context: APIContext
  ) -> Page.Reply<API.MediaObjects> { .problem(problem) }

  func getRenderers(_ context: APIContext) -> Page.Reply<API.Renderers> { .problem(problem) }
  func getRenderer(udn: String, _ context: APIContext) -> Page.Reply<API.Renderer> { .problem(problem) }
  func changeRenderer(
    udn: String, _ body: API.RendererChange, _ context: APIContext
  ) -> Page.Reply<Done> { .problem(problem) }
  func playRenderer(udn: String, _ context: APIContext) -> Page.Reply<Done> { .problem(problem) }
  func pauseRenderer(udn: String, _ context: APIContext) -> Page.Reply<Done> { .problem(problem) }
  func stopRenderer(udn: String, _ context: APIContext) -> Page.Reply<Done> { .problem(problem) }
  func castQueue(
    udn: String, _ body: API.Cast, _ context: APIContext
  ) -> Page.Reply<API.PlayResult> { .problem(problem) }

  func getRooms(_ context: APIContext) -> Page.Reply<API.Rooms> { .problem(problem) }
  func getReports(_ context: APIContext) -> Page.Reply<API.RoomReports> { .problem(problem) }
  func getNext(_ context: APIContext) -> Page.Reply<API.NextTitles> { .problem(problem) }
  func joinRoom(udn: String, _ body: API.RoomJoin, _ context: APIContext) -> Page.Reply<Done> {
    .problem(problem)
  }
  func leaveRoom(udn: String, _ context: APIContext) -> Page.Reply<Done> { .problem(problem) }
  func changeGroup(
    udn: String, _ body: API.GroupChange, _ context: APIContext
  ) -> Page.Reply<Done> { .problem(problem) }

  func followEvents(sections: String?, _ context: APIContext) -> Page.Reply<Answer> { .problem(problem) }

  func tracks(
    server: String, object: String, most: Int, within time: Duration
  ) async -> Outcome<FoundTracks> { .problem(problem) }
  func play(
    _ items: [API.PlayItem], how: API.Play.How, on renderer: String
  ) async -> Outcome<API.PlayResult> { .problem(problem) }
}
