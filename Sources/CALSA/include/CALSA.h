// The mixer of a sound card through libasound, which is loaded on first use, so that other configurations don't pay for
// it.
#pragma once

typedef struct calsa_mixer calsa_mixer;

/// The error of calsa_open when libasound isn't installed. Other errors are libasound's own and negative.
#define CALSA_NO_LIBRARY (-10000)
/// The error of calsa_open when the card has no playback control of that name.
#define CALSA_NO_CONTROL (-10001)

/// Opens the playback control `control` of `card` ("default", "hw:1"). Returns NULL on failure, with the reason in
/// `error`.
calsa_mixer *calsa_open(const char *card, const char *control, int *error);
void calsa_close(calsa_mixer *mixer);

/// Describes an error that one of these functions returned.
const char *calsa_reason(int error);

/// Sets the volume of all channels: to `centibels` (1/100 dB, at most 0) where the card knows decibels, otherwise to
/// `step` (0...100) of its range; also sets the mute switch, where there is one. Returns 0, or an error.
int calsa_set(calsa_mixer *mixer, long centibels, int step, int is_muted);

/// The card's state; the level is that of the loudest channel, in the units of calsa_set.
typedef struct {
  int knows_decibels;
  long centibels;
  int step;
  int is_muted;
} calsa_level;

/// Reads the card's state into `level`. Returns 0, or an error.
int calsa_get(calsa_mixer *mixer, calsa_level *level);

/// Blocks until something on the card changes (returns 1) or `wake` becomes readable (0). Returns a negative error on
/// failure.
int calsa_wait(calsa_mixer *mixer, int wake);
