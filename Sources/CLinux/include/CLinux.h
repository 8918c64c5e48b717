// Linux interfaces that Swift's Glibc module doesn't show.
#pragma once
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/if.h>

/// Gives memory that the allocator keeps for later back to the system; true when there was some.
int clinux_trim_heap(void);

/// Names the calling thread as debuggers and top show it; all but the first 15 bytes are cut off.
void clinux_name_thread(const char *name);

/// Lets only datagrams that begin with these four bytes through to a UDP socket; the kernel drops the rest before
/// anybody is woken up. 0, or -1 with errno.
int clinux_keep_datagrams_with_prefix(int socket, const char prefix[4]);

/// Path of the library or program that `symbol` lies in; NULL when it is in none.
const char *clinux_library_path(const void *symbol);
