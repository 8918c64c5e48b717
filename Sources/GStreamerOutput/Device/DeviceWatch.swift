import CGStreamer
import Synchronization
import Threads

/// Reports when a sound device may have appeared. Confined to the control thread.
///
/// It exists only while a device is wanted and missing. Cards and servers appear in the file system; a server announces
/// its own devices to its clients.
final class DeviceWatch {
  /// False when it can't notice everything (a server on another host).
  let isComplete: Bool
  private let places: DevicePlaces
  private let paths: PathWatch?
  private let listener: Listener
  private var providers: [String: UnsafeMutablePointer<GstDeviceProvider>] = [:]

  /// What other threads use.
  private final class Listener: Sendable {
    /// Servers may have been replaced since the last ``DeviceWatch/listen()``.
    let isStale = Mutex(false)
    let notify: @Sendable () -> Void

    init(notify: @escaping @Sendable () -> Void) { self.notify = notify }
  }

  /// - Parameter notify: called on any thread, several times for one device.
  init(_ places: DevicePlaces, notify: @escaping @Sendable () -> Void) {
    self.places = places
    let listener = Listener(notify: notify)
    self.listener = listener
    paths = PathWatch(places.paths) {
      listener.isStale.withLock { $0 = true }
      notify()
    }
    isComplete = paths != nil && !places.hasRemoteServer
  }

  deinit { stopListening() }

  /// Connects to the servers that answer now. Call it again whenever a device wasn't found.
  func listen() {
    let isStale = listener.isStale.withLock { isStale in
      defer { isStale = false }
      return isStale
    }
    if isStale { stopListening() }
    for (name, sockets) in [
      ("pulsedeviceprovider", places.pulseSockets), ("pipewiredeviceprovider", places.pipeWireSockets),
    ] where providers[name] == nil && sockets.contains(where: DevicePlaces.answers) {
      providers[name] = start(name)
    }
  }

  private func start(_ name: String) -> UnsafeMutablePointer<GstDeviceProvider>? {
    guard let provider = gst_device_provider_factory_get_by_name(name) else { return nil }
    let bus = gst_device_provider_get_bus(provider)
    gst_bus_set_sync_handler(
      bus,
      { _, message, context in
        guard let message, let context else { return GST_BUS_DROP }
        if message.pointee.type == GST_MESSAGE_DEVICE_ADDED {
          CallbackContext.object(context, as: Listener.self).notify()
        }
        gst_message_unref(message)
        return GST_BUS_DROP
      },
      CallbackContext.retain(listener),
      { CallbackContext.release($0) })
    gst_object_unref(bus)
    guard gst_device_provider_start(provider) != 0 else {
      gst_object_unref(provider)
      return nil
    }
    return provider
  }

  private func stopListening() {
    for provider in providers.values {
      gst_device_provider_stop(provider)
      gst_object_unref(provider)
    }
    providers = [:]
  }
}
