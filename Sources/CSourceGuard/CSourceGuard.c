#include "CSourceGuard.h"

/// Prefix of the type of a message that reports a refusal; the address follows.
///
/// The only message of a source that a demuxer's downloader passes on to the pipeline is the request for a context. Its
/// type is free text.
#define REFUSAL "vireo.refused:"

typedef struct {
  GstElement parent;
  char *uri;
} RefusedSource;

typedef struct {
  GstElementClass parent;
} RefusedSourceClass;

/// Every refused scheme; made before the type is registered, and never freed.
static const gchar **schemes;

static void refused_source_handler_init(gpointer interface, gpointer data);
static GType refused_source_get_type(void);
G_DEFINE_TYPE_WITH_CODE(
    RefusedSource, refused_source, GST_TYPE_ELEMENT,
    G_IMPLEMENT_INTERFACE(GST_TYPE_URI_HANDLER, refused_source_handler_init))

static GstStaticPadTemplate pad_template =
    GST_STATIC_PAD_TEMPLATE("src", GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static void refused_source_init(RefusedSource *self) {
  gst_element_add_pad(GST_ELEMENT(self), gst_pad_new_from_static_template(&pad_template, "src"));
}

static void refused_source_finalize(GObject *object) {
  g_free(((RefusedSource *)object)->uri);
  G_OBJECT_CLASS(refused_source_parent_class)->finalize(object);
}

/// Refuses on the way to PAUSED: before that, sources have no bus to report it on.
static GstStateChangeReturn refused_source_change_state(GstElement *element, GstStateChange change) {
  if (change != GST_STATE_CHANGE_READY_TO_PAUSED)
    return GST_ELEMENT_CLASS(refused_source_parent_class)->change_state(element, change);
  GST_OBJECT_LOCK(element);
  char *uri = g_strdup(((RefusedSource *)element)->uri);
  GST_OBJECT_UNLOCK(element);
  char *type = g_strconcat(REFUSAL, uri ? uri : "", NULL);
  gst_element_post_message(element, gst_message_new_need_context(GST_OBJECT(element), type));
  GST_ELEMENT_ERROR(element, RESOURCE, NOT_AUTHORIZED, ("This address may not be opened: only http and https may."), (NULL));
  g_free(type);
  g_free(uri);
  return GST_STATE_CHANGE_FAILURE;
}

/// A downloader requests a range of the file before it starts its source: only the start may fail.
static gboolean refused_source_send_event(GstElement *element, GstEvent *event) {
  (void)element;
  gst_event_unref(event);
  return TRUE;
}

static void refused_source_class_init(RefusedSourceClass *class) {
  G_OBJECT_CLASS(class)->finalize = refused_source_finalize;
  GstElementClass *element = GST_ELEMENT_CLASS(class);
  element->change_state = refused_source_change_state;
  element->send_event = refused_source_send_event;
  gst_element_class_add_static_pad_template(element, &pad_template);
  gst_element_class_set_static_metadata(
      element, "Refused address", "Source", "Takes addresses that must not be opened, and opens nothing", "Vireo");
}

static GstURIType refused_source_uri_type(GType type) {
  (void)type;
  return GST_URI_SRC;
}

static const gchar *const *refused_source_schemes(GType type) {
  (void)type;
  return schemes;
}

static gchar *refused_source_uri(GstURIHandler *handler) {
  GST_OBJECT_LOCK(handler);
  char *uri = g_strdup(((RefusedSource *)handler)->uri);
  GST_OBJECT_UNLOCK(handler);
  return uri;
}

static gboolean refused_source_set_uri(GstURIHandler *handler, const gchar *uri, GError **error) {
  (void)error;
  GST_OBJECT_LOCK(handler);
  g_free(((RefusedSource *)handler)->uri);
  ((RefusedSource *)handler)->uri = g_strdup(uri);
  GST_OBJECT_UNLOCK(handler);
  return TRUE;
}

static void refused_source_handler_init(gpointer interface, gpointer data) {
  (void)data;
  GstURIHandlerInterface *handler = interface;
  handler->get_type = refused_source_uri_type;
  handler->get_protocols = refused_source_schemes;
  handler->get_uri = refused_source_uri;
  handler->set_uri = refused_source_set_uri;
}

/// Fills ``schemes``, and returns the highest rank among the sources that read them.
static guint find_schemes(void) {
  guint highest = GST_RANK_PRIMARY;
  GPtrArray *found = g_ptr_array_new();
  GList *factories = gst_registry_get_feature_list(gst_registry_get(), GST_TYPE_ELEMENT_FACTORY);
  for (GList *item = factories; item; item = item->next) {
    GstElementFactory *factory = item->data;
    if (gst_element_factory_get_uri_type(factory) != GST_URI_SRC) continue;
    highest = MAX(highest, gst_plugin_feature_get_rank(GST_PLUGIN_FEATURE(factory)));
    const gchar *const *names = gst_element_factory_get_uri_protocols(factory);
    for (; names && *names; names++) {
      if (g_ascii_strcasecmp(*names, "http") == 0 || g_ascii_strcasecmp(*names, "https") == 0) continue;
      // Never freed, since GLib's interned strings aren't.
      g_ptr_array_add(found, (gpointer)g_intern_string(*names));
    }
  }
  gst_plugin_feature_list_free(factories);
  g_ptr_array_add(found, NULL);
  schemes = (const gchar **)g_ptr_array_free(found, FALSE);
  return highest;
}

gboolean csourceguard_install(void) {
  guint highest = find_schemes();
  return gst_element_register(NULL, "vireorefusedsrc", highest + 1, refused_source_get_type());
}

char *csourceguard_refused_address(GstMessage *message) {
  const gchar *type = NULL;
  if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_NEED_CONTEXT) return NULL;
  if (!gst_message_parse_context_type(message, &type) || !g_str_has_prefix(type, REFUSAL)) return NULL;
  return g_strdup(type + strlen(REFUSAL));
}
