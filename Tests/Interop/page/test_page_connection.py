"""What a page says and does when the daemon goes, comes back, is another version, lets nobody change anything, or has too many pages."""

import re
import time

import pytest
from kit import browser as browsers, sound
from kit.api import API, base
from kit.subject import stored_tracks
from kit.waiting import until
from playwright.sync_api import expect

#: What a browser itself says of a host that is gone.
GONE = ("net::ERR_", "status of 503")


@pytest.fixture
def own(own_host, cable, launch):
    """A speaker of the test's own, and where its page is. It outlives the tabs."""
    subject = launch(own_host, friendly_name="Own speaker")
    subject.shared_location = subject.location(cable)
    subject.base = base(subject.shared_location)
    return subject


def test_the_daemon_is_killed_and_comes_back(own, tabs, served, tmp_path):
    tab = tabs(own.base)
    tab.expects(*GONE)
    API(own.base).play({"uri": served.add("/a.flac", sound.flac(sound.noise(60)), "audio/flac"), "title": "Before"}, how="end")
    tab.page.evaluate("""() => {
      window.said = [];
      new MutationObserver(() => window.said.push(document.getElementById('banner').textContent))
        .observe(document.getElementById('banner'), { childList: true, characterData: true, subtree: true });
    }""")
    until(lambda: stored_tracks(own.folder / "state", tmp_path / "copy") == 1, 15, "the queue is written")
    own.kill()
    expect(tab.banner).to_have_text("Connection lost, trying again")
    expect(tab.banner).to_have_attribute("role", "status")
    # What was last known stays, and nothing can be commanded: what is known of the sound may still be read.
    expect(tab.page.locator("header")).to_contain_text("Own speaker")
    expect(tab.page.locator("main button:visible:enabled, main input:visible:enabled, main select:visible:enabled")).to_have_text(["Sound"])
    since = len(tab.requests)
    until(lambda: attempts(tab, since) >= 3, 10, "several attempts")
    assert [text for text in tab.page.evaluate("() => window.said") if text] == ["Connection lost, trying again"], "said once"
    own.start()
    until(lambda: API(own.base).ask("GET", "player").status == 200 if listening(own) else False, 10, "the daemon's answer")
    began = time.monotonic()
    expect(tab.banner).to_have_text("")
    assert time.monotonic() - began < 2.5, "back within 2 s"
    tab.link("queue")
    expect(tab.main).to_contain_text("Before")
    tab.link("now")
    tab.slider("Volume", tab.main).fill("40")
    API(own.base).wait(lambda player: player["volume"] == 40)


def attempts(tab, since):
    """How often it has asked for the events."""
    tab.page.evaluate("() => 0")  # what has been sent to us arrives before the answer
    return sum("/events" in url for _, url in tab.requests[since:])


def listening(own):
    try:
        API(own.base).ask("GET", "player")
        return True
    except OSError:
        return False


def test_the_network_goes_and_comes_back(own, tabs, cable):
    tab = tabs(own.base)
    tab.expects(*GONE)
    cable.unplug()
    # Nothing ends a silent connection; the browser says itself that it is offline, or a command gets no answer.
    tab.context.set_offline(True)
    tab.page.evaluate("() => 0")
    cable.plug()
    tab.context.set_offline(False)
    expect(tab.page.locator("html")).to_have_attribute("data-link", "live")
    tab.slider("Volume", tab.main).fill("40")
    API(own.base).wait(lambda player: player["volume"] == 40)


def test_another_version_offers_to_reload_and_forces_nothing(own, tabs, tmp_path):
    tab = tabs(own.base, "radio")
    tab.expects(*GONE)
    field = tab.main.get_by_role("textbox", name="Play an address")
    field.fill("http://half.a.word")
    # A program with other words in one of the files of its page.
    other = tmp_path / "vireod"
    ours, theirs = b"otherVersion: 'Vireo has been updated.'", b"otherVersion: 'Vireo has been changed.'"
    program = own.binary().read_bytes()
    assert program.count(ours) == 1
    other.write_bytes(program.replace(ours, theirs))
    other.chmod(0o755)
    files = tab.files()
    own.kill()
    expect(tab.banner).to_have_text("Connection lost, trying again")
    own.binary = lambda: other
    own.start()
    expect(tab.message).to_contain_text("updated")
    # Nothing is forced while somebody types.
    expect(field).to_have_value("http://half.a.word")
    expect(field).to_be_focused()
    assert tab.files() == files
    with tab.page.expect_navigation():
        tab.button("Reload", tab.message).click()
    expect(tab.page.locator("html")).to_have_attribute("data-link", "live")
    assert tab.files() != files
    assert theirs in API(own.base).ask("GET", f"{tab.files()}/en.js").body


def test_the_seventh_tab_works(browser, tabs, api):
    """A browser has six connections for a host. Beyond the streams that one address may have, pages ask every 5 seconds, and say so."""
    first = tabs(api.base)
    first.expects("status of 503")
    others = [first.context.new_page() for _ in range(6)]
    # The time of the last one can be set forward.
    others[-1].clock.install()
    for page in others:
        page.goto(f"{api.base}/#/now")
        expect(page.locator("html")).to_have_attribute("data-link", re.compile("live|polling"))
    last = others[-1]
    expect(last.locator("#banner")).to_contain_text("Too many pages are open")
    slider = last.locator("main").get_by_role("slider", name="Volume", exact=True)
    slider.fill("35")
    api.wait(lambda player: player["volume"] == 35)
    api.tell("PATCH", "player", {"volume": 45})
    until(lambda: slider.input_value() == "45", 8, "the news by asking")
    # A page that closes leaves its place to the others.
    for page in others[:-1]:
        page.close()

    def follows():
        last.clock.run_for(5000)
        return last.locator("#banner").text_content() == ""
    until(follows, 20, "a stream for the last one", step=0.1)
    expect(last.locator("html")).to_have_attribute("data-link", "live")


def test_a_hidden_tab_holds_no_connection(tab, api):
    until(lambda: api.get("system")["pages"] == 1, 5, "one page")
    hide = """(hidden) => {
      Object.defineProperty(document, 'hidden', { get: () => hidden, configurable: true });
      Object.defineProperty(document, 'visibilityState', { get: () => hidden ? 'hidden' : 'visible', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    }"""
    tab.page.evaluate(hide, True)
    until(lambda: api.get("system")["pages"] == 0, 5, "no page")
    api.tell("PATCH", "player", {"volume": 23})
    tab.page.evaluate(hide, False)
    until(lambda: tab.slider("Volume", tab.main).input_value() == "23", 3, "what changed meanwhile")


def test_who_may_only_look_has_no_controls(own_host, cable, launch, tabs, served):
    subject = launch(own_host, settings={"page": {"access": "view"}})
    tab = tabs(base(subject.location(cable)))
    for place in browsers.SCREENS:
        tab.link(place)
        expect(tab.main.locator("h1")).to_have_count(1)
        for name in ("Play", "Pause", "Stop", "Next", "Previous", "Mute", "Shuffle", "Repeat", "Standby", "Clear", "Undo", "Search again", "Check"):
            expect(tab.page.get_by_role("button", name=name, exact=True)).to_have_count(0)
        expect(tab.page.get_by_role("combobox", name="Source")).to_have_count(0)
    answer = API(tab.base).ask("PATCH", "player", {"volume": 10})
    assert answer.status == 403


def test_a_wrong_host_name_is_explained(own_host, cable, launch, tabs):
    """The page of 403 says which names work, and the key to set."""
    subject = launch(own_host)
    location = base(subject.location(cable))
    port = location.rsplit(":", 1)[1]
    tab = tabs("http://evil.example", None)
    tab.expects("status of (403|412)")
    page = tab.page
    page.route("**", lambda route: route.fulfill(response=page.request.get(
        f"{location}/", headers={**route.request.headers, "host": f"evil.example:{port}"})))
    answer = page.goto("http://evil.example/")
    assert answer.status in (403, 412)
    expect(page.locator("body")).to_contain_text("hostnames")
    expect(page.locator("body")).to_contain_text("[network]")
    expect(page.get_by_role("link", name=cable.speaker)).to_be_visible()
    assert tab.axe() == []


def test_a_page_of_another_origin_changes_nothing(browser, api, page_media, songs):
    """A form, fetches, an image and an event stream of a foreign page: nothing is done and nothing is learnt."""
    html = """<!doctype html><title>evil</title><iframe name=sink></iframe>
      <form method=post enctype=text/plain target=sink></form>"""
    page_media.add("/evil.html", html.encode(), "text/html")
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(f"{page_media.base}/evil.html")
        learnt = page.evaluate("""async (base) => {
          const learnt = [];
          for (const [path, method, type, body] of [['/api/v1/player', 'PATCH', 'application/json', '{"volume":1}'],
              ['/api/v1/player/stop', 'POST', 'text/plain', ''], ['/api/v1/play', 'POST', 'text/plain', '{"items":[]}']]) {
            for (const mode of ['cors', 'no-cors']) {
              try {
                const answer = await fetch(base + path, { method: mode === 'cors' ? method : 'POST', mode, body, headers: mode === 'cors' ? { 'Content-Type': type } : {} });
                if (answer.type !== 'opaque') learnt.push(path + answer.status);
              } catch { }
            }
          }
          const form = document.querySelector('form');
          form.action = base + '/api/v1/player/toggle';
          form.submit();
          try { learnt.push(await (await fetch(base + '/api/v1/player')).text()); } catch { }
          await new Promise((resolve) => {
            const source = new EventSource(base + '/api/v1/events?sections=player');
            source.onmessage = source.onopen = () => { learnt.push('events'); resolve(); };
            source.onerror = resolve;
          });
          return learnt;
        }""", api.base)
        assert learnt == []
        page.wait_for_timeout(300)
        player = api.player
        assert player["volume"] == 50 and player["state"] == "stopped"
    finally:
        context.close()


def test_a_cold_and_a_warm_load(browser, tabs, api):
    """No more than 12 requests when cold, and 40 kB packed; 1 and the stream when warm."""
    tab = tabs(api.base)
    sizes = tab.page.evaluate("() => performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))"
                              ".filter((one) => !one.name.includes('/api/')).map((one) => [one.name, one.encodedBodySize])")
    sent = [url for method, url in tab.requests if "/api/" not in url]
    assert len(set(sent)) <= 12, sorted(set(sent))
    assert sum(size for _, size in sizes) <= 40_000, sizes
    session = tab.context.new_cdp_session(tab.page)
    session.send("Network.enable")
    asked = []
    session.on("Network.responseReceived", lambda event: None if event["response"].get("fromDiskCache") or "/api/" in event["response"]["url"]
               else asked.append(event["response"]["url"]))
    tab.page.evaluate("() => { location.href = '/#/now'; }")
    again = tab.context.new_page()
    session = tab.context.new_cdp_session(again)
    session.send("Network.enable")
    session.on("Network.responseReceived", lambda event: None if event["response"].get("fromDiskCache") or event["response"].get("fromPrefetchCache")
               or "/api/" in event["response"]["url"] else asked.append(event["response"]["url"]))
    again.goto(f"{api.base}/#/now")
    again.wait_for_selector("html[data-link=live]")
    again.wait_for_timeout(200)
    assert len(asked) <= 1, asked
