// Finds media servers, or lists a container, by GUPnP and GUPnP-AV, the libraries of gupnp-tools:
//
//   gupnp find COUNT
//   gupnp browse OWN-ADDRESS UDN CONTAINER PAGE
//
// Prints one line of JSON. What it calls is declared here, since the headers would bring 68 packages.

#include <glib-object.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

void *gupnp_context_new_for_address(void *address, guint16 port, int version, GError **error);
void *g_inet_address_new_from_string(const char *text);
void *gupnp_control_point_new(void *context, const char *target);
void gssdp_resource_browser_set_active(void *browser, gboolean active);
const char *gupnp_device_info_get_udn(void *device);
void *gupnp_device_info_get_service(void *device, const char *type);
void *gupnp_service_proxy_action_new(const char *name, ...) G_GNUC_NULL_TERMINATED;
void *gupnp_service_proxy_call_action(void *proxy, void *action, void *cancellable, GError **error);
gboolean gupnp_service_proxy_action_get_result(void *action, GError **error, ...) G_GNUC_NULL_TERMINATED;
void gupnp_service_proxy_action_unref(void *action);
void *gupnp_didl_lite_parser_new(void);
gboolean gupnp_didl_lite_parser_parse_didl(void *parser, const char *text, GError **error);
const char *gupnp_didl_lite_object_get_title(void *object);

static const char *server_type = "urn:schemas-upnp-org:device:MediaServer:1";
static const char *directory_type = "urn:schemas-upnp-org:service:ContentDirectory:1";

static GMainLoop *loop;
static double start, start_cpu, first;
static unsigned wanted, found, titles;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static double cpu(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

static void begin(void) {
  start_cpu = cpu();
  start = now();
}

static void die(const char *what, GError *error) {
  fprintf(stderr, "%s: %s\n", what, error ? error->message : "");
  exit(1);
}

// In KiB; of /proc/self/status or smaps_rollup.
static long field(const char *path, const char *name) {
  FILE *file = fopen(path, "r");
  char line[256];
  long value = 0;
  while (file && fgets(line, sizeof line, file))
    if (!strncmp(line, name, strlen(name))) value = atol(line + strlen(name) + 1);
  if (file) fclose(file);
  return value;
}

static void report(void) {
  double all = now() - start, used = cpu() - start_cpu;
  printf("{\"first\": %f, \"all\": %f, \"cpu\": %f, \"count\": %u, \"peak\": %ld, \"dirty\": %ld}\n", first, all, used, found,
         field("/proc/self/status", "VmHWM"), field("/proc/self/smaps_rollup", "Private_Dirty"));
}

static void available(void *control_point, void *device, gpointer data) {
  (void)control_point, (void)device, (void)data;
  if (!found++) first = now() - start;
  if (found == wanted) g_main_loop_quit(loop);
}

static gboolean give_up(gpointer data) {
  (void)data;
  die("too few devices", NULL);
  return FALSE;
}

static void object(void *parser, void *object, gpointer data) {
  (void)parser, (void)data;
  found++;
  const char *title = gupnp_didl_lite_object_get_title(object);
  titles += title && *title;
}

static void list(void *device, const char *container, unsigned page) {
  GError *error = NULL;
  void *directory = gupnp_device_info_get_service(device, directory_type);
  void *parser = gupnp_didl_lite_parser_new();
  g_signal_connect(parser, "object-available", G_CALLBACK(object), NULL);
  found = 0;
  for (unsigned total = 1; found < total;) {
    void *action = gupnp_service_proxy_action_new(
        "Browse", "ObjectID", G_TYPE_STRING, container, "BrowseFlag", G_TYPE_STRING, "BrowseDirectChildren", "Filter",
        G_TYPE_STRING, "*", "StartingIndex", G_TYPE_UINT, found, "RequestedCount", G_TYPE_UINT, page, "SortCriteria",
        G_TYPE_STRING, "", NULL);
    char *result = NULL;
    unsigned returned = 0;
    if (!gupnp_service_proxy_call_action(directory, action, NULL, &error) ||
        !gupnp_service_proxy_action_get_result(action, &error, "Result", G_TYPE_STRING, &result, "NumberReturned",
                                               G_TYPE_UINT, &returned, "TotalMatches", G_TYPE_UINT, &total, NULL))
      die("Browse", error);
    if (!returned || !gupnp_didl_lite_parser_parse_didl(parser, result, &error)) die("DIDL-Lite", error);
    if (!first) first = now() - start;
    g_free(result);
    gupnp_service_proxy_action_unref(action);
  }
  if (titles != found) die("titles", NULL);
}

static void listed(void *control_point, void *device, gpointer arguments) {
  (void)control_point;
  char **words = arguments;
  if (strcmp(gupnp_device_info_get_udn(device), words[2])) return;
  begin();
  list(device, words[3], atoi(words[4]));
  g_main_loop_quit(loop);
}

int main(int count, char **words) {
  GError *error = NULL;
  if (count < 3) return 64;
  gboolean finds = !strcmp(words[1], "find");
  loop = g_main_loop_new(NULL, FALSE);
  begin();
  // Searches where the server is.
  void *address = g_inet_address_new_from_string(finds ? "127.0.0.1" : words[2]);
  void *context = NULL;
  // It takes a port by chance, which may be taken.
  for (int tries = 0; !context && tries < 10; tries++) {
    g_clear_error(&error);
    context = gupnp_context_new_for_address(address, 0, 0, &error);
  }
  if (!context) die("context", error);
  void *control_point = gupnp_control_point_new(context, server_type);
  wanted = finds ? atoi(words[2]) : 0;
  g_signal_connect(control_point, "device-proxy-available", finds ? G_CALLBACK(available) : G_CALLBACK(listed),
                   finds ? NULL : (gpointer)(words + 1));
  g_timeout_add_seconds(30, give_up, NULL);
  gssdp_resource_browser_set_active(control_point, TRUE);
  g_main_loop_run(loop);
  report();
  return 0;
}
