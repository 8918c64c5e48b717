"""The soak: a round to warm up, then two alike; what the daemon holds after each must be the same."""

import tempfile
import time
from pathlib import Path

from broken import Broken
from callers import Callers, SLOWEST
from catalogue import Catalogue
from checks import check_state, play_reference, settle, stays_over_a_restart, taste
from evidence import collect
from levels import settled, wakeups
from listener import Soaked
from music import Music
from subscribers import Subscribers, wait_gone
from world import World

from kit.upnp import Fault

#: Of what a round leaves: the heap's pages that hold something young beside something old. A leak of 50 bytes per
#: action, subscription or connection would be more than that in the full soak.
DIRTY_KIB = 2048
#: Between the two rounds, which are alike: nothing may grow, so this is what the heap's layout varies by.
ROUND_KIB = 768
IDLE_SECONDS = 5


class Soak:
    def __init__(self, actions, seed, folder, log=None, silence=60, rounds=2, outages=None):
        self.actions = actions
        self.seed = seed
        self.rounds = rounds
        #: Seconds in which no thread may wake up.
        self.silence = silence
        self.outages = outages
        self.problems = []
        self.world = World()
        self.music = Music(self.world.link.phone, folder)
        self.subject = Soaked(self.world.host, folder / "renderer", log=log, settings={
            "device": {"room": "Soak"},
            "audio": {"output": "null", "release-after": "1s"},
            "metrics": {"enabled": True},
            # So that what is slow or forgotten goes while the soak runs, and not a long time after.
            "limits": {"header-seconds": "3s", "body-seconds": "3s", "idle-seconds": f"{IDLE_SECONDS}s"},
            "radio": {"preset": [{"name": f"Station {n}", "url": url} for n, url in enumerate(self.music.stations)]},
        })

    def run(self):
        begun = time.monotonic()
        try:
            self._discover()
            self._say(f"seed {self.seed}, {self.actions} actions, {self.subject.binary()}")
            taste(self.device, self.speaker, self.music)
            # A tenth is enough for caches and the heap to find their size.
            share = self.actions * 9 // 10 // self.rounds
            names = ["warm-up"] + [f"round {number}" for number in range(1, self.rounds + 1)]
            levels = []
            for name, count in zip(names, [self.actions - share * self.rounds] + [share] * self.rounds):
                self._round(name, count)
                levels.append((name, self._level(name, levels[0][1] if levels else None)))
            self._compare(levels)
            self._need(stays_over_a_restart(self.subject, self.world, self.music), "after a restart")
        except (AssertionError, OSError, Fault) as error:
            self._failed([f"{type(error).__name__}: {error}"])
        finally:
            if not self.subject.is_running():
                last = "\n  ".join(line for _, line in list(self.subject.recent)[-5:])
                self._failed([f"it died (status {self.subject.process.returncode}); the last it logged:\n  {last}"])
            self.close()
        for line, count in self.subject.faults.items():
            self.problems.append(f"logged {count} times: {line}")
        self._say(f"log: {dict(self.subject.levels)}")
        for line, count in self.subject.warnings.most_common(12):
            self._say(f"  warning, {count} times: {line}")
        for problem in self.problems:
            self._say(f"FAILED: {problem}")
        self._say(f"{'failed' if self.problems else 'passed'} after {time.monotonic() - begun:.0f} s")
        return self.problems

    def close(self):
        self.subject.kill()
        self.music.close()
        self.world.close()

    def _say(self, text):
        print(text, flush=True)

    def _need(self, problems, when):
        self._failed([f"{when}: {problem}" for problem in problems])

    def _failed(self, problems):
        """Keeps the problems; at the first one, prints what the daemon logged and does."""
        if problems and not self.problems:
            self._say("\n".join([problems[0], *collect(self.subject)]))
        self.problems += problems

    def _discover(self):
        self.device, self.speaker = self.world.found(self.subject.uuid)
        self.subject.netloc = self.world.netloc

    def _round(self, name, count):
        begun = time.monotonic()
        seed = f"{self.seed} {name}"
        catalogue = Catalogue([self.device, self.speaker], self.music.addresses, self.music.stations)
        events = sorted({service.event.split(self.world.netloc)[1]
                         for device in (self.device, self.speaker) for service in device.services.values()})
        control = next(action.url for action in catalogue.actions if action.name == "GetVolume")
        callers = Callers(self.world, catalogue, seed, count)
        subscribers = Subscribers(self.world, events, seed, max(20, count // 10), lambda: callers.progress)
        broken = Broken(self.world, control, seed, max(24, count // 50), lambda: callers.progress)
        crowd = (callers, subscribers, broken)
        for part in crowd:
            part.start()
        outages = max(2, count // 5000) if self.outages is None else self.outages
        for number in range(outages):
            while callers.progress < (number + 0.5) / outages and not callers.is_over:
                time.sleep(0.05)  # when the network goes away doesn't depend on anything
            self.device, self.speaker = self.world.outage(("address", "link", "cable")[number % 3], callers.abort)
            self.subject.netloc = self.world.netloc
        for part in crowd:
            part.join()
        self._need([] if self.subject.is_running() else ["it has died"], name)
        settle(self.subject, self.device, self.speaker)
        wait_gone(self.subject.statistics, subscribers.SECONDS + 5)
        subscribers.finish()
        self._need(check_state(self.device, self.speaker), name)
        for part in crowd:
            self._need((f"{count} times: {what}" for what, count in part.failures.items()), name)
        self._need([f"an answer took {callers.slowest:.2f} s"] if callers.slowest > SLOWEST else [], name)
        statistics = self.subject.statistics()
        self._say(
            f"{name}: {callers.done} actions ({callers.answers[200]} done, "
            f"{sum(callers.answers.values()) - callers.answers[200]} refused, slowest {callers.slowest * 1000:.0f} ms), "
            f"{subscribers.made} subscriptions ({dict(subscribers.answers)}, {subscribers.ears.heard} events checked), "
            f"{broken.made.total()} broken clients, {outages} times no network (found again within "
            f"{self.world.slowest_return:.1f} s), {statistics['vireo_tracks_started_total']:.0f} tracks so far, "
            f"{time.monotonic() - begun:.0f} s")

    def _level(self, name, first):
        """What is held when all is quiet again; waits for what needs a while to go."""
        self._need(play_reference(self.device, self.speaker, self.music), name)
        settle(self.subject, self.device, self.speaker)
        # The short soak looks for wake-ups at its end only.
        is_brief = self.rounds == 1 and first is None
        level = settled(self.subject, first, self.subject.statistics, DIRTY_KIB, is_brief)
        if not is_brief:
            level.wakeups = wakeups(self.subject, self.world.link, self.silence)
        self._say(f"  then: {level} in {0 if is_brief else self.silence} s")
        return level

    def _compare(self, levels):
        first = levels[0][1]
        for name, level in levels:
            if level.dirty > first.dirty + DIRTY_KIB:
                self._failed([f"{name}: private dirty grew from {first.dirty} to {level.dirty} kB"])
            if level.descriptors != first.descriptors:
                self._failed([f"{name}: descriptors were {first.descriptors} and are {level.descriptors}"])
            if level.threads != first.threads:
                self._failed([f"{name}: threads were {first.threads} and are {level.threads}"])
            if level.wakeups:
                self._failed([f"{name}: {level.wakeups} wake-ups in {self.silence} s of silence"])
        for (_, before), (name, level) in zip(levels[1:], levels[2:]):
            if level.dirty > before.dirty + ROUND_KIB:
                self._failed([f"{name}: private dirty still grows, from {before.dirty} to {level.dirty} kB"])


def run(actions, seed, **options):
    """True when all is as before."""
    with tempfile.TemporaryDirectory(prefix="vireo-soak-") as folder:
        return not Soak(actions, seed, Path(folder), **options).run()
