import HTTP
import Player

/// Answers for parts of the API that this daemon doesn't have: 503.
public struct NotServed: ServersHandlers, RenderersHandlers, EventsHandlers, MediaPlaces {
  private let problem = Problem.unavailable("not-served", "This part of the API isn't served.")

  public init() {}

  public func getServers(_ context: APIContext) -> Reply<API.Servers> { .problem(problem) }
  public func searchServers(_ context: APIContext) -> Reply<Done> { .problem(problem) }
  public func getObjects(
    udn: String, id: String?, start: Int?, count: Int?, _ context: APIContext
  ) -> Reply<API.MediaObjects> { .problem(problem) }
  public func searchObjects(
    udn: String, q: String, kind: API.SearchObjectsKind?, id: String?, start: Int?, count: Int?,
    _ context: APIContext
  ) -> Reply<API.MediaObjects> { .problem(problem) }

  public func getRenderers(_ context: APIContext) -> Reply<API.Renderers> { .problem(problem) }
  public func getRenderer(udn: String, _ context: APIContext) -> Reply<API.Renderer> { .problem(problem) }
  public func changeRenderer(
    udn: String, _ body: API.RendererChange, _ context: APIContext
  ) -> Reply<Done> { .problem(problem) }
  public func playRenderer(udn: String, _ context: APIContext) -> Reply<Done> { .problem(problem) }
  public func pauseRenderer(udn: String, _ context: APIContext) -> Reply<Done> { .problem(problem) }
  public func stopRenderer(udn: String, _ context: APIContext) -> Reply<Done> { .problem(problem) }
  public func castQueue(
    udn: String, _ body: API.Cast, _ context: APIContext
  ) -> Reply<API.PlayResult> { .problem(problem) }

  public func followEvents(sections: String?, _ context: APIContext) -> Reply<Answer> { .problem(problem) }

  public func tracks(
    server: String, object: String, most: Int
  ) async -> Outcome<(tracks: [Media], left: Int)> { .problem(problem) }
  public func play(
    _ items: [API.PlayItem], how: API.Play.How, on renderer: String
  ) async -> Outcome<API.PlayResult> { .problem(problem) }
}

/// Serves no pictures.
public struct NoPictures: PictureAddresses {
  public init() {}

  public func address(of address: String) -> String? { nil }
}
