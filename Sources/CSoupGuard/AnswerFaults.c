#include "AnswerFaults.h"

#include <fcntl.h>
#include <gio/gio.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ServerFaults.h"
#include "SoupMessage.h"

static ServerFaults faults;
/// Names what a message keeps until it is answered: the file of the connection that was made for it.
static GQuark connection_key;

/// A second number of the file of `connection`, which is also there when that has been closed; -1 if there is none.
static int file_of(GObject *connection) {
  // Properties, since nothing here links to GIO.
  GObject *socket = NULL;
  int file = -1;
  g_object_get(connection, "socket", &socket, NULL);
  if (!socket) return -1;
  g_object_get(socket, "fd", &file, NULL);
  g_object_unref(socket);
  return file >= 0 ? fcntl(file, F_DUPFD_CLOEXEC, 0) : -1;
}

static void close_file(gpointer file) { close(GPOINTER_TO_INT(file) - 1); }

/// Whether anything has come over the connection `file`.
static gboolean has_received(int file) {
  struct tcp_info info = {0};
  socklen_t size = sizeof info;
  // The end of a connection counts as a byte.
  return getsockopt(file, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && info.tcpi_bytes_received > 1;
}

static gboolean is_socket_connection(GObject *object) {
  GType type = g_type_from_name("GSocketConnection");
  return object && type && g_type_is_a(G_OBJECT_TYPE(object), type);
}

/// A connection is made for a message, step by step.
static gboolean connection_proceeds(GSignalInvocationHint *hint, guint count, const GValue *values, gpointer data) {
  (void)hint, (void)data;
  if (count < 3) return TRUE;
  GObject *message = g_value_get_object(&values[0]);
  GObject *connection = g_value_get_object(&values[2]);
  switch (g_value_get_enum(&values[1])) {
  // What an earlier message left, which was cancelled in the head of its answer, says nothing of this one.
  case G_SOCKET_CLIENT_RESOLVING: csoupguard_forget(&faults, message); break;
  case G_SOCKET_CLIENT_CONNECTED:
    if (is_socket_connection(connection)) {
      int file = file_of(connection);
      // Not 0, which would be none.
      if (file >= 0) g_object_set_qdata_full(message, connection_key, GINT_TO_POINTER(file + 1), close_file);
    }
    break;
  // From now on something comes in any case.
  case G_SOCKET_CLIENT_TLS_HANDSHAKED: g_object_set_qdata(message, connection_key, NULL); break;
  default: break;
  }
  return TRUE;
}

/// An answer has come.
static gboolean is_answered(GSignalInvocationHint *hint, guint count, const GValue *values, gpointer data) {
  (void)hint, (void)count, (void)data;
  g_object_set_qdata(g_value_get_object(&values[0]), connection_key, NULL);
  return TRUE;
}

/// A message is over.
static gboolean is_over(GSignalInvocationHint *hint, guint count, const GValue *values, gpointer data) {
  (void)hint, (void)count, (void)data;
  GObject *message = g_value_get_object(&values[0]);
  gpointer file = g_object_get_qdata(message, connection_key);
  if (!file) return TRUE;
  if (has_received(GPOINTER_TO_INT(file) - 1)) csoupguard_note(&faults, message, 1);
  g_object_set_qdata(message, connection_key, NULL);
  return TRUE;
}

void csoupguard_note_answers(void) {
  static gsize is_done = 0;
  if (!g_once_init_enter(&is_done)) return;
  void *library = csoupguard_library();
  connection_key = g_quark_from_static_string("vireo-connection");
  csoupguard_listen(library, "network-event", connection_proceeds);
  csoupguard_listen(library, "got-headers", is_answered);
  csoupguard_listen(library, "finished", is_over);
  g_once_init_leave(&is_done, 1);
}

gboolean csoupguard_take_answer_fault(const char *uri) { return csoupguard_take(&faults, uri) != 0; }
