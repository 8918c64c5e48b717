"""What the tests are made of: namespaces, the subject under test, clients, a media server, and signal comparison."""
