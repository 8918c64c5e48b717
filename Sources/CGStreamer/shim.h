// What Swift can't use of GStreamer directly: macros, variadic functions and GObject's casts.
#pragma once
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/audio/audio.h>
#include <gst/audio/gstaudiobasesink.h>
#include <gst/gst.h>
#include <malloc.h>
#include <string.h>

// Properties (g_object_set is variadic).
static inline gboolean vireo_has_property(gpointer object, const char *name) {
  return g_object_class_find_property(G_OBJECT_GET_CLASS(object), name) != NULL;
}
static inline void vireo_set_int(gpointer object, const char *name, gint value) {
  g_object_set(object, name, value, NULL);
}
static inline gint vireo_get_int(gpointer object, const char *name) {
  gint value = 0;
  g_object_get(object, name, &value, NULL);
  return value;
}
static inline void vireo_set_uint64(gpointer object, const char *name, guint64 value) {
  g_object_set(object, name, value, NULL);
}
static inline void vireo_set_int64(gpointer object, const char *name, gint64 value) {
  g_object_set(object, name, value, NULL);
}
static inline void vireo_set_string(gpointer object, const char *name, const char *value) {
  g_object_set(object, name, value, NULL);
}
static inline void vireo_set_pointer(gpointer object, const char *name, gconstpointer value) {
  g_object_set(object, name, value, NULL);
}
static inline guint vireo_get_uint(gpointer object, const char *name) {
  guint value = 0;
  g_object_get(object, name, &value, NULL);
  return value;
}
// The caller frees the result with g_free.
static inline char *vireo_get_string(gpointer object, const char *name) {
  char *value = NULL;
  g_object_get(object, name, &value, NULL);
  return value;
}

// A bus without a queue: every posted message goes to its sync handler.
static inline GstBus *vireo_bus_new(void) {
  return g_object_new(GST_TYPE_BUS, "enable-async", FALSE, NULL);
}

// Casts and macros.
static inline const char *vireo_element_class(GstElement *element) {
  const char *class = gst_element_get_metadata(element, GST_ELEMENT_METADATA_KLASS);
  return class ? class : "";
}
// Name of the factory that made `element`; empty if none did.
static inline const char *vireo_factory_name(GstElement *element) {
  GstElementFactory *factory = gst_element_get_factory(element);
  return factory ? GST_OBJECT_NAME(factory) : "";
}
static inline gulong vireo_connect(
    gpointer object, const char *signal, GCallback handler, gpointer data, GClosureNotify notify) {
  return g_signal_connect_data(object, signal, handler, data, notify, (GConnectFlags)0);
}
static inline gboolean vireo_try_lock_state(GstElement *element) { return GST_STATE_TRYLOCK(element); }
static inline void vireo_unlock_state(GstElement *element) { GST_STATE_UNLOCK(element); }
static inline gboolean vireo_is_pipeline(GstObject *object) { return GST_IS_PIPELINE(object); }
static inline GstEvent *vireo_probe_event(GstPadProbeInfo *info) {
  return GST_PAD_PROBE_INFO_EVENT(info);
}
static inline GstQuery *vireo_probe_query(GstPadProbeInfo *info) {
  return GST_PAD_PROBE_INFO_QUERY(info);
}
static inline GstBuffer *vireo_probe_buffer(GstPadProbeInfo *info) {
  return GST_PAD_PROBE_INFO_BUFFER(info);
}
static inline void vireo_probe_replace(GstPadProbeInfo *info, gpointer data) { info->data = data; }

static inline GstBuffer *vireo_buffer_writable(GstBuffer *buffer) {
  return gst_buffer_make_writable(buffer);
}
static inline gboolean vireo_buffer_has_clipping(GstBuffer *buffer) {
  return gst_buffer_get_audio_clipping_meta(buffer) != NULL;
}
static inline GstSegment vireo_event_segment(GstEvent *event) {
  const GstSegment *segment = NULL;
  gst_event_parse_segment(event, &segment);
  return *segment;
}
static inline gboolean vireo_is_source(gpointer object) {
  return GST_IS_ELEMENT(object) && GST_OBJECT_FLAG_IS_SET(object, GST_ELEMENT_FLAG_SOURCE);
}
static inline gboolean vireo_domain_is_core(const GError *error) {
  return error->domain == GST_CORE_ERROR;
}
static inline gboolean vireo_domain_is_resource(const GError *error) {
  return error->domain == GST_RESOURCE_ERROR;
}
static inline gboolean vireo_domain_is_stream(const GError *error) {
  return error->domain == GST_STREAM_ERROR;
}
static inline const GstStructure *vireo_error_details(GstMessage *message) {
  const GstStructure *details = NULL;
  gst_message_parse_error_details(message, &details);
  return details;
}
// Whether `element` is the sink of a sound device, `autoaudiosink` included, which has no device before it runs.
static inline gboolean vireo_is_audio_sink(GstElement *element) {
  if (GST_IS_AUDIO_BASE_SINK(element)) return TRUE;
  const char *class = vireo_element_class(element);
  return strstr(class, "Sink") && strstr(class, "Audio");
}
// Counts the sinks of `bin`: sound devices in counts[0], anything else in counts[1].
static inline void vireo_count_sinks(GstElement *bin, guint counts[2]) {
  GstIterator *sinks = gst_bin_iterate_sinks(GST_BIN(bin));
  GValue item = G_VALUE_INIT;
  while (gst_iterator_next(sinks, &item) == GST_ITERATOR_OK) {
    GstElement *sink = g_value_get_object(&item);
    if (vireo_is_audio_sink(sink)) counts[0] += 1;
    else if (GST_IS_BIN(sink)) vireo_count_sinks(sink, counts);
    else counts[1] += 1;
    g_value_reset(&item);
  }
  g_value_unset(&item);
  gst_iterator_free(sinks);
}
// Whether all sinks of `bin` are sound devices, and none is something else (a file, a stream).
static inline gboolean vireo_ends_in_devices(GstElement *bin) {
  guint counts[2] = {0, 0};
  vireo_count_sinks(bin, counts);
  return counts[0] > 0 && counts[1] == 0;
}
static inline int vireo_is_bin(GstElement *element) { return GST_IS_BIN(element); }
// The first sound device among the elements of `bin`, or `bin` itself if it is one, with a reference; NULL if none is.
static inline GstElement *vireo_audio_device(GstElement *bin) {
  if (GST_IS_AUDIO_BASE_SINK(bin)) return gst_object_ref(bin);
  if (!GST_IS_BIN(bin)) return NULL;
  GstIterator *elements = gst_bin_iterate_recurse(GST_BIN(bin));
  GValue item = G_VALUE_INIT;
  GstElement *found = NULL;
  while (!found && gst_iterator_next(elements, &item) == GST_ITERATOR_OK) {
    GstElement *element = g_value_get_object(&item);
    if (GST_IS_AUDIO_BASE_SINK(element)) found = gst_object_ref(element);
    g_value_reset(&item);
  }
  g_value_unset(&item);
  gst_iterator_free(elements);
  return found;
}
// Sinks for sound devices.
static inline GstElementFactoryListType vireo_audio_sinks(void) {
  return GST_ELEMENT_FACTORY_TYPE_SINK | GST_ELEMENT_FACTORY_TYPE_MEDIA_AUDIO;
}
static inline const char *vireo_feature_name(gpointer feature) { return GST_OBJECT_NAME(feature); }
// Everything that decodebin may try.
static inline GstElementFactoryListType vireo_decodable_types(void) {
  return GST_ELEMENT_FACTORY_TYPE_DECODABLE;
}
static inline GstElementFactoryListType vireo_parsers(void) {
  return GST_ELEMENT_FACTORY_TYPE_PARSER;
}
// The features as decodebin's signal wants them: in a GValueArray (deprecated, but there is no other way), which the
// caller owns.
static inline gpointer vireo_value_array(GList *features) {
  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  GValueArray *array = g_value_array_new(g_list_length(features));
  for (GList *feature = features; feature; feature = feature->next) {
    GValue value = G_VALUE_INIT;
    g_value_init(&value, G_TYPE_OBJECT);
    g_value_set_object(&value, feature->data);
    g_value_array_append(array, &value);
    g_value_unset(&value);
  }
  G_GNUC_END_IGNORE_DEPRECATIONS
  return array;
}
static inline GstElementFactoryListType vireo_demuxers(void) {
  return GST_ELEMENT_FACTORY_TYPE_DEMUXER;
}
static inline GstElementFactoryListType vireo_decoders(void) {
  return GST_ELEMENT_FACTORY_TYPE_DECODER;
}

// First place of `pattern` in `bytes`; NULL if there is none (memmem isn't declared without _GNU_SOURCE).
static inline const void *vireo_find(
    const void *bytes, size_t count, const void *pattern, size_t length) {
  const char *at = (const char *)bytes;
  while (count >= length) {
    const char *next = (const char *)memchr(at, *(const char *)pattern, count - length + 1);
    if (!next) return NULL;
    if (memcmp(next, pattern, length) == 0) return next;
    count -= (size_t)(next + 1 - at);
    at = next + 1;
  }
  return NULL;
}
