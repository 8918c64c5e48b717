// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6)]

// Set by the Makefile; optional.
let commit = Context.environment["VIREO_COMMIT"].flatMap { $0.isEmpty ? nil : "\"\($0)\"" }
let buildTime = Context.environment["SOURCE_DATE_EPOCH"].flatMap { Int($0) }.map { "\($0)L" }

// Exit tests that capture values need Swift 6.3.
#if compiler(>=6.3)
  let needsNewerSwift: [String] = []
#else
  let needsNewerSwift = ["CostTests.swift", "KillTests.swift"]
#endif

let package = Package(
  name: "vireo",
  products: [
    .executable(name: "vireod", targets: ["vireod"]),
    .executable(name: "vireoctl", targets: ["vireoctl"]),
    .library(name: "UPnP", targets: ["HTTP", "Network", "SCPD", "UPnP"]),
    .library(name: "ControlPoint", targets: ["ControlPoint", "Proxies", "SCPD", "UPnP"]),
  ],
  // Exact versions, so that the same sources give the same program; atomics, async-algorithms and collections are linked
  // because the others need them. The argument parser is in vireoctl alone.
  // swift-system is fetched as well, but nothing of it is linked.
  dependencies: [
    .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
    .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
    .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
    .package(url: "https://github.com/apple/swift-atomics", exact: "1.3.0"),
    .package(url: "https://github.com/apple/swift-collections", exact: "1.6.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
  ],
  targets: [
    // C libraries of the host, and the thin shims they need.
    .systemLibrary(
      name: "CGStreamer", pkgConfig: "gstreamer-audio-1.0",
      providers: [.apt(["libgstreamer1.0-dev", "libgstreamer-plugins-base1.0-dev"])]),
    .systemLibrary(
      name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "CToml",
      cxxSettings: [.define("TOML_EXCEPTIONS", to: "0"), .define("TOML_HEADER_ONLY", to: "1")]),
    .target(name: "CLinux"),
    .target(name: "CSoupGuard", dependencies: ["CGStreamer"]),
    .target(name: "CSourceGuard", dependencies: ["CGStreamer"]),
    .target(name: "CConcurrency"),
    .target(name: "Threads", dependencies: ["CLinux"], swiftSettings: strict),
    // Loads libasound itself, so it needs only the header.
    .target(name: "CALSA"),
    .target(name: "CIcons"),
    .target(name: "CPage"),
    // Loads libcurl itself, and needs no header of it.
    .target(name: "CCurl"),
    .target(
      name: "CBuild",
      cSettings: [("VIREO_COMMIT", commit), ("VIREO_BUILD_TIME", buildTime)].compactMap { name, value in
        value.map { .define(name, to: $0) }
      }),

    // Playing in several rooms (Songcast): messages, machines, clocks; knows no sockets and no sound library.
    .target(name: "Rooms", swiftSettings: strict),
    .target(
      name: "RoomsIO", dependencies: ["Rooms", "Threads", "CLinux"], swiftSettings: strict),

    // The player: pure state, no protocol, no sound library.
    .target(name: "Player", dependencies: ["Pins", "Text"], swiftSettings: strict),
    // Favourites (OpenHome Pins): values all of them.
    .target(name: "Pins", dependencies: ["JSON", "Text"], swiftSettings: strict),
    .target(
      name: "GStreamerOutput",
      dependencies: [
        "Player", "Rooms", "RoomsIO", "Text", "Threads", "CGStreamer", "CSoupGuard", "CSourceGuard", "CLinux",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),

    // Stored playlists, and playlists in files.
    .target(
      name: "Kept", dependencies: ["DIDLLite", "Player", "Text", "XML"], swiftSettings: strict),

    // The state that survives a restart.
    .target(
      name: "PlayerStore",
      dependencies: [
        "Pins", "Kept", "Player", "Threads", "CSQLite", "CLinux",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),

    // Service descriptions, and the code generated from them at build time.
    .target(name: "SCPD", swiftSettings: strict),
    .executableTarget(name: "ServiceXMLGenerator", dependencies: ["SCPD"], swiftSettings: strict),
    .plugin(
      name: "ServiceXMLPlugin", capability: .buildTool(), dependencies: ["ServiceXMLGenerator"],
      path: "Sources/ServiceXMLPlugin"),

    // Addresses, interfaces and UDP sockets.
    .target(
      name: "Network",
      dependencies: [
        "CLinux",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),

    // Strings of strangers, and XML: what every protocol above reads and writes.
    .target(name: "Text", swiftSettings: strict),
    .target(
      name: "XML", dependencies: ["Text", "CLibXML2", .product(name: "NIOCore", package: "swift-nio")],
      swiftSettings: strict),

    // The metadata of music, as renderers get it and servers send it.
    .target(name: "DIDLLite", dependencies: ["Text", "XML"], swiftSettings: strict),

    // An HTTP server and a bounded client.
    .target(
      name: "HTTP",
      dependencies: [
        "Network", "Text", "CLinux",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),

    // A UPnP device stack that knows no particular service.
    .target(
      name: "UPnP",
      dependencies: [
        "HTTP", "Network", "SCPD", "Text", "XML",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    // The other half: finds devices, calls their actions, and follows their events.
    .target(
      name: "ControlPoint",
      dependencies: [
        "DIDLLite", "HTTP", "Network", "SCPD", "Text", "UPnP", "XML",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    // A typed proxy for each service that we know.
    .target(
      name: "Proxies", dependencies: ["ControlPoint", "Text", "UPnP"], swiftSettings: strict,
      plugins: ["ServiceXMLPlugin"]),
    // What renderers of all kinds have in common, for whoever controls them.
    .target(
      name: "Renderers",
      dependencies: ["ControlPoint", "DIDLLite", "JSON", "Network", "Proxies", "Text", "UPnP", "XML"],
      swiftSettings: strict),
    .target(
      name: "Services",
      dependencies: [
        "DIDLLite", "Pins", "Kept", "Player", "Rooms", "UPnP", "SCPD", "Text", "XML",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict, plugins: ["ServiceXMLPlugin"]),
    // JSON, read within bounds and written.
    .target(name: "JSON", dependencies: ["Text"], swiftSettings: strict),
    // Requests of guests: pure, like the player.
    .target(name: "Party", dependencies: ["JSON", "Player", "Text"], swiftSettings: strict),
    // What was heard, for those who keep count of it: pure, like the player.
    .target(name: "Listening", dependencies: ["JSON", "Text"], swiftSettings: strict),
    // Songs that a phone has sent: what is kept, values all of it.
    .target(name: "Uploads", dependencies: ["JSON", "Text"], swiftSettings: strict),
    // Their files, on threads of their own.
    .target(
      name: "UploadsIO",
      dependencies: ["Threads", "Uploads", .product(name: "NIOCore", package: "swift-nio")],
      swiftSettings: strict),
    // Calls of the servers that keep count of what was heard.
    .target(name: "ReportsIO", dependencies: ["Listening", "Network", "CCurl"], swiftSettings: strict),
    // The description of the page's API, and the code generated from it at build time.
    .executableTarget(name: "PageAPIGenerator", dependencies: ["JSON"], swiftSettings: strict),
    .plugin(
      name: "PageAPIPlugin", capability: .buildTool(), dependencies: ["PageAPIGenerator"],
      path: "Sources/PageAPIPlugin"),

    // The page in the browser, and the API that it and scripts use.
    .target(
      name: "Page",
      dependencies: [
        "ControlPoint", "DIDLLite", "HTTP", "JSON", "Kept", "Network", "Party", "Pins", "Player", "Proxies",
        "Renderers",
        "Services",
        "Text", "Threads", "UPnP", "Uploads", "UploadsIO", "CCurl", "CPage", "CZlib",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
      ],
      exclude: ["openapi.json", "Assets"], swiftSettings: strict, plugins: ["PageAPIPlugin"]),
    // The other zones of a household for controllers of the Sonos class.
    .target(
      name: "Zones",
      dependencies: [
        "ControlPoint", "HTTP", "Network", "Services", "UPnP",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "vireod",
      dependencies: [
        "DIDLLite", "Kept", "Listening", "Pins", "Player", "PlayerStore", "GStreamerOutput", "HTTP", "JSON",
        "Network", "Page", "Party",
        "ReportsIO", "Rooms", "RoomsIO",
        "Text",
        "UPnP",
        "Uploads", "UploadsIO",
        "Services",
        "CToml",
        "CIcons",
        "CLinux", "CBuild",
        "CConcurrency", "CGStreamer",
        "CALSA", "Threads", "Zones",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        // Used by SwiftNIO alone; SwiftPM warns of a pinned package that no target of ours names.
        .product(name: "Atomics", package: "swift-atomics"),
      ],
      swiftSettings: strict),

    // The control point for people: a command line.
    .executableTarget(
      name: "vireoctl",
      dependencies: [
        "ControlPoint", "Proxies", "Renderers", "DIDLLite", "HTTP", "Kept", "Listening", "Network", "Pins",
        "ReportsIO", "SCPD",
        "Text", "UPnP", "Uploads", "XML",
        "CBuild",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
      ],
      exclude: ["vireoctl.ld"],
      swiftSettings: strict,
      // Nothing looks up symbols of a program, and most of the argument parser's Foundation isn't called: 3 MB less.
      linkerSettings: [
        .unsafeFlags(
          [
            "-use-ld=lld", "-Xlinker", "--no-export-dynamic", "-Xlinker", "--gc-sections", "-Xlinker",
            "--icf=safe",
            "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
            "-Xlinker", "--no-eh-frame-hdr",
            "-Xlinker", "-T", "-Xlinker", "\(Context.packageDirectory)/Sources/vireoctl/vireoctl.ld",
          ], .when(configuration: .release))
      ]),

    // Chance that comes out the same for a seed, for tests.
    .target(name: "SeededRandom", path: "Tests/SeededRandom", swiftSettings: strict),
    .testTarget(
      name: "RoomsTests", dependencies: ["Rooms", "SeededRandom"], swiftSettings: strict),
    .testTarget(name: "TextTests", dependencies: ["Text"], swiftSettings: strict),
    .testTarget(name: "XMLTests", dependencies: ["XML", "Text"], swiftSettings: strict),
    .testTarget(name: "ThreadsTests", dependencies: ["Threads"], swiftSettings: strict),
    .testTarget(name: "PinsTests", dependencies: ["Pins", "SeededRandom"], swiftSettings: strict),
    .testTarget(name: "PlayerTests", dependencies: ["Pins", "Player"], swiftSettings: strict),
    .testTarget(
      name: "PlayerStoreTests",
      dependencies: [
        "SeededRandom", "Kept", "PlayerStore", "Pins", "Player",
        .product(name: "Logging", package: "swift-log"),
      ],
      exclude: needsNewerSwift, swiftSettings: strict),
    .testTarget(
      name: "GStreamerOutputTests",
      dependencies: ["SeededRandom", "GStreamerOutput", "Rooms", "CGStreamer", "Threads"],
      swiftSettings: strict),
    .testTarget(
      name: "SCPDTests", dependencies: ["SCPD", "ServiceXMLGenerator"], swiftSettings: strict),
    .testTarget(
      name: "NetworkTests",
      dependencies: [
        "Network",
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "HTTPTests",
      dependencies: ["SeededRandom", "HTTP", "Network", .product(name: "NIOCore", package: "swift-nio")],
      swiftSettings: strict),
    .testTarget(
      name: "UPnPTests",
      dependencies: [
        "SeededRandom",
        "HTTP", "Network", "UPnP", "Text", "XML", .product(name: "NIOEmbedded", package: "swift-nio"),
      ],
      exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(name: "DIDLLiteTests", dependencies: ["DIDLLite", "Text"], swiftSettings: strict),
    .testTarget(
      name: "ControlPointTests",
      dependencies: [
        "SeededRandom",
        "ControlPoint", "DIDLLite", "HTTP", "Network", "SCPD", "UPnP", "XML",
        .product(name: "NIOEmbedded", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    // What Tests/Interop tells the library to do with media servers.
    .executableTarget(
      name: "MediaDriver",
      dependencies: ["ControlPoint", "Network"],
      path: "Tests/MediaDriver", swiftSettings: strict),
    // The plugin's code can't be in a test target: the tests link the generator themselves.
    .target(
      name: "RoundTrips", dependencies: ["ControlPoint", "Proxies", "UPnP"], path: "Tests/RoundTrips",
      swiftSettings: strict, plugins: ["ServiceXMLPlugin"]),
    .testTarget(
      name: "ProxiesTests",
      dependencies: [
        "ControlPoint", "HTTP", "Network", "Player", "Proxies", "RoundTrips", "SCPD", "Services", "UPnP",
        "XML",
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    // Run by Tests/Bench/control-point.
    .executableTarget(
      name: "control-point-bench",
      dependencies: [
        "ControlPoint", "HTTP", "Network", "Proxies", "SCPD", "UPnP",
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/Bench/ControlPoint",
      exclude: [
        "commands.py", "devices.py", "finding.py", "listing.py", "measured.py", "peer.py", "shelf.py",
      ], swiftSettings: strict),
    .testTarget(
      name: "KeptTests", dependencies: ["DIDLLite", "Kept", "Player", "SeededRandom", "Text"],
      swiftSettings: strict),
    .testTarget(name: "JSONTests", dependencies: ["JSON"], swiftSettings: strict),
    .testTarget(
      name: "ListeningTests", dependencies: ["JSON", "Listening", "SeededRandom"], swiftSettings: strict),
    .testTarget(
      name: "PartyTests", dependencies: ["Party", "Player", "SeededRandom"], swiftSettings: strict),
    .testTarget(
      name: "UploadsTests", dependencies: ["SeededRandom", "Uploads"], swiftSettings: strict),
    .testTarget(
      name: "PageTests",
      dependencies: [
        "ControlPoint", "HTTP", "JSON", "Kept", "Network", "Page", "Party", "Pins", "Player", "Renderers",
        "SeededRandom",
        "Services", "UPnP", "Uploads", "UploadsIO",
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),
    .testTarget(
      name: "ServicesTests",
      dependencies: [
        "DIDLLite", "HTTP", "Pins", "Kept", "SeededRandom", "Services", "Text", "UPnP", "XML",
        .product(name: "NIOCore", package: "swift-nio"),
      ], swiftSettings: strict),
    .testTarget(
      name: "vireodTests",
      dependencies: [
        "vireod", "ControlPoint", "HTTP", "Listening", "Network", "UPnP", "Page", "Pins", "Player",
        "PlayerStore", "GStreamerOutput", "Services", "Zones",
        "CLinux",
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),
    .testTarget(
      name: "vireoctlTests",
      dependencies: [
        "vireoctl", "ControlPoint", "HTTP", "JSON", "Kept", "Listening", "Network", "Renderers", "SCPD",
        "UPnP",
        .product(name: "NIOCore", package: "swift-nio"),
      ], swiftSettings: strict),
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "ControlPoint", "DIDLLite", "HTTP", "JSON", "Kept", "Listening", "Network", "Page", "Player",
        "PlayerStore",
        "Pins", "Proxies", "Renderers", "Rooms", "SCPD", "SeededRandom", "Text", "Uploads",
        "XML",
        "UPnP",
        "Services", "GStreamerOutput",
        "vireod", "vireoctl",
        "CLibXML2",
        "CGStreamer",
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/Fuzz", exclude: ["corpus", "README.md", "run"], swiftSettings: strict),
  ],
  cxxLanguageStandard: .cxx17
)
