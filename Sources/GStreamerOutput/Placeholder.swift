import CGStreamer
import Player
