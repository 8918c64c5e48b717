import HTTP
import NIOCore

/// Answers what is asked for at `/api` itself.
public struct RootControl: RootHandlers {
  let configuration: PageConfiguration

  public init(configuration: PageConfiguration) { self.configuration = configuration }

  public func getVersions(_ context: APIContext) -> Reply<API.Versions> {
    let facts = configuration.facts
    return .value(API.Versions(versions: ["v1"], name: facts.name, version: facts.version))
  }

  public func getDescription(_ context: APIContext) -> Reply<Answer> {
    let fields = PageFields.security + [HTTPField("CACHE-CONTROL", "no-cache")]
    return .value(
      .complete(
        HTTPResponse(
          .ok, contentType: "application/json", body: ByteBuffer(staticString: API.description),
          fields: fields)))
  }
}
