public func redacted(uri: String) -> String { uri }
