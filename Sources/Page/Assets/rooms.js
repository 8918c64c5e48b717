// @ts-check
// Rooms: every renderer of the network, what it plays, its volume; and the queue cast there.
import { ago, attribute, button, define, dotted, el, empty, foreign, listOf, logo, patch, press, rename, say, setIcon, sheet, t, toast, wide } from './core.js';
import { ask, fail, follow, searchAgain, state, usable } from './store.js';
async function tell(method, udn, verb, body) {
  try {
    return await ask(method, `renderers/${encodeURIComponent(udn)}${verb}`, body);
  } catch (problem) {
    fail(problem);
  }
}

/** @param {API.Renderer} one */
function castMenu(one) {
  const cast = (from) => async () => {
    dialog.close();
    const done = await tell('POST', one.udn, '/cast', { from });
    if (done) toast([t('castDone', { n: done.value.added, name: one.name }), done.value.left ? done.value.detail : ''].filter(Boolean).join(' '));
  };
  const dialog = sheet(t('castTo', { name: one.name }), el('div', { class: 'hows' },
    wide('play', t('castCurrent'), cast('current'), 'how'), wide('queue', t('castAll'), cast('all'), 'how')));
}

/** @param {API.Renderer} one */
function card(one) {
  const { udn } = one;
  const name = el('h2');
  const model = el('p', { class: 'model' });
  const plays = el('p', { class: 'plays-what' });
  const problem = el('p', { class: 'problem' });
  const play = button('play', t('play'), () => tell('POST', udn, `/${pauses ? 'pause' : 'play'}`));
  const stop = button('stop', t('stop'), () => tell('POST', udn, '/stop'), 'minor');
  const mute = button('volume', t('mute'), () => tell('PATCH', udn, '', { muted: mute.getAttribute('aria-pressed') !== 'true' }), 'minor ctl');
  const slider = el('input', { type: 'range', min: 0, max: 100 });
  const level = el('span', { class: 'level' });
  const cast = button('cast', t('castHere'), () => castMenu(latest), 'ctl');
  let latest = one;
  let pauses = false;
  /** This page's own volume is shown until the renderer will have taken it. */
  let [own, until, isSending] = [0, 0, false];
  slider.addEventListener('input', async () => {
    paint(own = Number(slider.value));
    until = performance.now() + 1500;
    if (isSending) return;
    isSending = true;
    for (let sent = -1; sent !== own && await tell('PATCH', udn, '', { volume: sent = own }););
    isSending = false;
    setTimeout(() => node.update(latest), 1550);
  });
  const paint = (value) => {
    slider.value = String(value);
    slider.style.setProperty('--fill', `${value}%`);
    say(level, String(value));
  };
  const controls = el('div', { class: 'row' }, el('span', { class: 'ctl row' }, play, stop), el('div', { class: 'volume' }, mute, slider, level));
  const node = Object.assign(el('li', { class: 'panel' }, el('div', { class: 'room-head' }, logo('rooms', one.icon), el('div', { class: 'words' }, name, model), cast), plays, problem, controls), {
    update: (now) => {
      latest = now;
      const player = now.isSelf ? state.player : undefined;
      const playing = player ? player.state : now.state;
      const title = player ? player.track?.title : now.title;
      const artist = player ? player.track?.artist : now.artist;
      name.replaceChildren(foreign(now.name));
      attribute(slider, 'aria-label', t('volumeOf', { name: now.name }));
      model.replaceChildren(foreign([now.isSelf ? t('thisSpeaker') : now.model, now.kind === 'openhome' ? 'OpenHome' : 'UPnP AV'].join(' · ')));
      plays.replaceChildren(...(now.isThere ? [el('span', { text: t(playing ? `is_${playing}` : 'is_unknown') }), title ? foreign(dotted(title, artist)) : null]
        .filter((part) => part !== null) : [el('span', { text: t('goneSince', { when: ago(now.seen) }) })]));
      problem.hidden = !now.problem;
      problem.replaceChildren(foreign(now.problem));
      node.classList.toggle('gone', !now.isThere);
      node.classList.toggle('plays', playing === 'playing');
      pauses = playing === 'playing' || playing === 'buffering';
      setIcon(play, pauses ? 'pause' : 'play');
      rename(play, t(pauses ? 'pause' : 'play'));
      const muted = player ? player.muted : now.muted;
      setIcon(mute, muted ? 'muted' : 'volume');
      press(mute, muted);
      const volume = player ? player.volume : now.volume;
      controls.hidden = !now.isThere;
      slider.hidden = level.hidden = mute.hidden = volume === undefined;
      if (player) attribute(slider, 'max', String(player.volumeLimit));
      if (performance.now() > until) paint(volume ?? 0);
      slider.disabled = !usable() || state.player?.access === 'view';
      mute.disabled = play.disabled = stop.disabled = !usable();
      cast.hidden = now.isSelf || !now.isThere || !state.queue?.ids.length;
      cast.disabled = !usable();
    },
  });
  return node;
}

define('rooms', (part) => {
  const head = el('h1', { tabindex: '-1', text: t('rooms') });
  const note = el('p', { class: 'sum', role: 'status' });
  const list = listOf(t('rooms'), 'rooms');
  const again = wide('replace', t('searchAgain'), searchAgain, 'ctl');
  const none = empty('rooms', t('noRooms'), t('noRoomsMore'));
  part.replaceChildren(el('div', { class: 'screen-head' }, el('div', {}, head, note), again), list, none);
  part.onleave(follow('renderers player queue link', () => {
    const renderers = state.renderers;
    again.disabled = !usable();
    if (!renderers) return;
    const others = renderers.renderers.filter((one) => !one.isSelf);
    none.hidden = others.length > 0;
    say(note, renderers.isSearching ? t('searching') : t('nRooms', { n: renderers.renderers.length }));
    patch(list, renderers.renderers, (one) => one.udn, (one) => card(one), (node, one) => node.update(one));
  }));
});
