// The mixer of a sound card, through libasound, which is loaded when it is first needed: whoever doesn't use this
// pays nothing for it.
#pragma once

typedef struct calsa_mixer calsa_mixer;

/// What calsa_open says when libasound isn't installed; other errors are those of libasound, negative.
#define CALSA_NO_LIBRARY (-10000)
/// What calsa_open says when the card has no playback control of that name.
#define CALSA_NO_CONTROL (-10001)

/// Opens the playback control `control` of `card` ("default", "hw:1"). NULL with the reason in `error`.
calsa_mixer *calsa_open(const char *card, const char *control, int *error);
void calsa_close(calsa_mixer *mixer);

/// What an error of calsa_open or calsa_set means.
const char *calsa_reason(int error);

/// Sets the volume of all channels: to `centibels` (1/100 dB, at most 0) where the card knows decibels, to `step`
/// (0...100) of its range where it doesn't; and the switch, where there is one. 0, or an error.
int calsa_set(calsa_mixer *mixer, long centibels, int step, int is_muted);
