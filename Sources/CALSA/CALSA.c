#include "CALSA.h"

#include <alsa/asoundlib.h>
#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>

#define FUNCTIONS(X)                       \
  X(snd_mixer_open)                        \
  X(snd_mixer_attach)                      \
  X(snd_mixer_selem_register)              \
  X(snd_mixer_load)                        \
  X(snd_mixer_close)                       \
  X(snd_mixer_handle_events)               \
  X(snd_mixer_find_selem)                  \
  X(snd_mixer_selem_id_malloc)             \
  X(snd_mixer_selem_id_free)               \
  X(snd_mixer_selem_id_set_name)           \
  X(snd_mixer_selem_has_playback_volume)   \
  X(snd_mixer_selem_has_playback_switch)   \
  X(snd_mixer_selem_get_playback_volume_range) \
  X(snd_mixer_selem_set_playback_volume_all)   \
  X(snd_mixer_selem_get_playback_dB_range) \
  X(snd_mixer_selem_set_playback_dB_all)   \
  X(snd_mixer_selem_set_playback_switch_all)   \
  X(snd_mixer_selem_has_playback_channel)      \
  X(snd_mixer_selem_get_playback_volume)       \
  X(snd_mixer_selem_get_playback_dB)           \
  X(snd_mixer_selem_get_playback_switch)       \
  X(snd_mixer_poll_descriptors_count)          \
  X(snd_mixer_poll_descriptors)                \
  X(snd_mixer_poll_descriptors_revents)

#define DECLARE(name) static __typeof__(name) *p_##name;
FUNCTIONS(DECLARE)

struct calsa_mixer {
  snd_mixer_t *handle;
  snd_mixer_elem_t *element;
  long low, high;
  int knows_decibels;
  long low_centibels, high_centibels;
};

static const char *(*p_snd_strerror)(int);

// Not thread-safe: callers use one thread at a time.
static int load(void) {
  static int is_loaded;
  if (is_loaded) return 1;
  void *library = dlopen("libasound.so.2", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return 0;
#define FIND(name) \
  p_##name = (__typeof__(name) *)dlsym(library, #name); \
  if (p_##name == NULL) return 0;
  FUNCTIONS(FIND)
  p_snd_strerror = (const char *(*)(int))dlsym(library, "snd_strerror");
  is_loaded = 1;
  return 1;
}

const char *calsa_reason(int error) {
  if (error == CALSA_NO_LIBRARY) return "libasound2 isn't installed";
  if (error == CALSA_NO_CONTROL) return "the card has no playback volume of that name; see amixer scontrols";
  return p_snd_strerror != NULL ? p_snd_strerror(error) : "unknown error";
}

calsa_mixer *calsa_open(const char *card, const char *control, int *error) {
  if (!load()) {
    *error = CALSA_NO_LIBRARY;
    return NULL;
  }
  calsa_mixer *mixer = calloc(1, sizeof *mixer);
  if (mixer == NULL) {
    *error = -ENOMEM;
    return NULL;
  }
  snd_mixer_selem_id_t *id = NULL;
  int result = p_snd_mixer_open(&mixer->handle, 0);
  if (result < 0) mixer->handle = NULL;
  if (result >= 0) result = p_snd_mixer_attach(mixer->handle, card);
  if (result >= 0) result = p_snd_mixer_selem_register(mixer->handle, NULL, NULL);
  if (result >= 0) result = p_snd_mixer_load(mixer->handle);
  if (result >= 0) result = p_snd_mixer_selem_id_malloc(&id);
  if (result >= 0) {
    p_snd_mixer_selem_id_set_name(id, control);
    mixer->element = p_snd_mixer_find_selem(mixer->handle, id);
    p_snd_mixer_selem_id_free(id);
    if (mixer->element == NULL || !p_snd_mixer_selem_has_playback_volume(mixer->element))
      result = CALSA_NO_CONTROL;
  }
  if (result >= 0)
    result = p_snd_mixer_selem_get_playback_volume_range(mixer->element, &mixer->low, &mixer->high);
  if (result < 0) {
    *error = result;
    calsa_close(mixer);
    return NULL;
  }
  mixer->knows_decibels = p_snd_mixer_selem_get_playback_dB_range(
                              mixer->element, &mixer->low_centibels, &mixer->high_centibels) >= 0 &&
                          mixer->low_centibels < mixer->high_centibels;
  return mixer;
}

void calsa_close(calsa_mixer *mixer) {
  if (mixer->handle != NULL) p_snd_mixer_close(mixer->handle);
  free(mixer);
}

int calsa_set(calsa_mixer *mixer, long centibels, int step, int is_muted) {
  // Picks up changes by other programs, and fails when the card is gone.
  int result = p_snd_mixer_handle_events(mixer->handle);
  if (result < 0) return result;
  if (mixer->knows_decibels) {
    // Full volume is 0 dB, or the card's maximum when that is lower.
    long top = mixer->high_centibels < 0 ? mixer->high_centibels : 0;
    long level = centibels + top;
    if (level < mixer->low_centibels) level = mixer->low_centibels;
    result = p_snd_mixer_selem_set_playback_dB_all(mixer->element, level, 0);
  } else {
    long value = mixer->low + (long)((double)(mixer->high - mixer->low) * step / 100.0 + 0.5);
    result = p_snd_mixer_selem_set_playback_volume_all(mixer->element, value);
  }
  if (result >= 0 && p_snd_mixer_selem_has_playback_switch(mixer->element))
    result = p_snd_mixer_selem_set_playback_switch_all(mixer->element, !is_muted);
  return result;
}

int calsa_get(calsa_mixer *mixer, calsa_level *level) {
  int result = p_snd_mixer_handle_events(mixer->handle);
  if (result < 0) return result;
  long loudest = mixer->low, decibels = mixer->low_centibels;
  int is_on = !p_snd_mixer_selem_has_playback_switch(mixer->element);
  for (int channel = 0; channel <= SND_MIXER_SCHN_LAST; channel += 1) {
    if (!p_snd_mixer_selem_has_playback_channel(mixer->element, channel)) continue;
    long value = 0;
    int is_channel_on = 0;
    result = p_snd_mixer_selem_get_playback_volume(mixer->element, channel, &value);
    if (result < 0) return result;
    if (value > loudest) loudest = value;
    if (mixer->knows_decibels && p_snd_mixer_selem_get_playback_dB(mixer->element, channel, &value) >= 0 &&
        value > decibels)
      decibels = value;
    if (!is_on && p_snd_mixer_selem_get_playback_switch(mixer->element, channel, &is_channel_on) >= 0)
      is_on = is_channel_on;
  }
  long top = mixer->high_centibels < 0 ? mixer->high_centibels : 0;
  long range = mixer->high - mixer->low;
  level->knows_decibels = mixer->knows_decibels;
  level->centibels = mixer->knows_decibels ? (decibels > top ? 0 : decibels - top) : 0;
  level->step = range > 0 ? (int)((double)(loudest - mixer->low) * 100.0 / range + 0.5) : 100;
  level->is_muted = !is_on;
  return 0;
}

// A card has one descriptor; the plugin of a sound server may have a few.
#define MOST_DESCRIPTORS 16

int calsa_wait(calsa_mixer *mixer, int wake) {
  struct pollfd descriptors[MOST_DESCRIPTORS + 1];
  int count = p_snd_mixer_poll_descriptors_count(mixer->handle);
  if (count < 0) return count;
  if (count > MOST_DESCRIPTORS) count = MOST_DESCRIPTORS;
  count = p_snd_mixer_poll_descriptors(mixer->handle, descriptors, count);
  if (count < 0) return count;
  descriptors[count] = (struct pollfd){.fd = wake, .events = POLLIN};
  while (poll(descriptors, count + 1, -1) < 0)
    if (errno != EINTR) return -errno;
  if (descriptors[count].revents != 0) return 0;
  unsigned short events = 0;
  int result = p_snd_mixer_poll_descriptors_revents(mixer->handle, descriptors, count, &events);
  if (result < 0) return result;
  return events & (POLLERR | POLLHUP | POLLNVAL) ? -ENODEV : 1;
}
