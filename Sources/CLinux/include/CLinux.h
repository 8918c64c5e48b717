// Linux interfaces that Swift's Glibc module doesn't show.
#pragma once
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/if.h>
