// @ts-check
// What plays: the screen Now, the bar on all other screens, and the controls of both.
import { announce, artwork, attribute, button, clock, define, dotted, el, empty, foreign, icon, patch, press, rename, say, setIcon, sheet, spoken, t, wide } from './core.js';
import { caster, follow, position, releaseVolume, setVolume, shownVolume, state, tellPlayer, usable } from './store.js';

export const command = (verb) => tellPlayer('POST', `player/${verb}`);
export const change = (change) => tellPlayer('PATCH', 'player', change);
const may = (action) => usable() && !state.player?.standby && !!state.player?.actions.includes(action);

export function stepVolume(step) {
  setVolume(shownVolume() + step, false);
}

/** The buttons: shuffle, previous, play or pause, next, repeat, stop. */
function transport(part) {
  const shuffle = button('shuffle', t('shuffle'), () => change({ shuffle: !state.player?.shuffle }), 'minor');
  const previous = button('previous', t('previous'), () => command('previous'));
  const play = button('play', t('play'), () => command(may('pause') ? 'pause' : 'play'), 'main');
  const next = button('next', t('next'), () => command('next'));
  const repeat = button('repeat', t('repeat'), () => change({ repeat: !state.player?.repeat }), 'minor');
  part.onleave(follow('player link', () => {
    const player = state.player;
    const pauses = !!player && (player.state === 'playing' || player.state === 'buffering') && player.actions.includes('pause');
    setIcon(play, pauses ? 'pause' : 'play');
    rename(play, t(pauses ? 'pause' : 'play'));
    play.disabled = !may(pauses ? 'pause' : 'play');
    play.classList.toggle('busy', player?.state === 'buffering');
    next.disabled = !may('next');
    previous.disabled = !may('previous');
    for (const [node, on] of [[shuffle, player?.shuffle], [repeat, player?.repeat]]) {
      press(node, on);
      node.disabled = !usable() || !player || player.standby || player.source !== 'playlist';
    }
  }));
  return el('div', { class: 'transport ctl', role: 'group', 'aria-label': t('transport') }, shuffle, previous, play, next, repeat);
}

function stopButton(part) {
  const stop = button('stop', t('stop'), () => command('stop'), 'minor ctl');
  part.onleave(follow('player link', () => { stop.disabled = !may('stop'); }));
  return stop;
}

/** Fills the slider up to its value. @param {HTMLInputElement} slider */
function fill(slider) {
  const share = Number(slider.max) ? Number(slider.value) / Number(slider.max) : 0;
  slider.style.setProperty('--fill', `${share * 100}%`);
}

let ids = 0;

/** Where in the track it is. It is moved once a second, and only while something plays. */
function seekBar(part) {
  const id = `why${++ids}`;
  const slider = el('input', { type: 'range', min: 0, max: 0, step: 1, value: 0, 'aria-label': t('position'), class: 'seek' });
  const from = el('span', { class: 'time' });
  const to = el('span', { class: 'time' });
  const why = el('p', { class: 'why', id, hidden: true });
  let held = false;
  let timer = 0;
  const show = () => {
    clearTimeout(timer);
    const player = state.player;
    const length = player?.track?.seconds ?? 0;
    const now = held ? Number(slider.value) : position();
    attribute(slider, 'max', String(Math.max(1, Math.floor(length))));
    if (!held) slider.value = String(length ? Math.floor(now) : 0);
    fill(slider);
    say(from, player?.track ? clock(now) : '');
    say(to, length ? clock(length) : player?.track?.isLive ? t('live') : '');
    to.classList.toggle('live', !!player?.track?.isLive && !length);
    attribute(slider, 'aria-valuetext', length ? t('of', { a: spoken(now), b: spoken(length) }) : spoken(now));
    if (player?.state === 'playing' && usable()) timer = setTimeout(show, 1010 - ((position() * 1000) % 1000));
  };
  slider.addEventListener('input', () => { held = true; show(); });
  slider.addEventListener('change', async () => {
    held = true;
    await change({ position: Number(slider.value) });
    held = false;
    show();
  });
  part.onleave(follow('player link', () => {
    const player = state.player;
    slider.disabled = !may('seek') || player?.access === 'view';
    const reason = player?.track && !player.standby && !player.actions.includes('seek') ? player.seekReason ?? '' : '';
    why.hidden = !reason;
    say(why, reason);
    attribute(slider, 'aria-describedby', reason ? id : null);
    show();
  }));
  part.onleave(() => clearTimeout(timer));
  return el('div', { class: 'position' }, slider, el('div', { class: 'times' }, from, why, to));
}

/** Mute, less, slider, more, and what it is. */
function volumeBar(part) {
  const mute = button('volume', t('mute'), () => change({ muted: !state.player?.muted }), 'minor ctl');
  const slider = el('input', { type: 'range', min: 0, max: 100, step: 1, 'aria-label': t('volume') });
  const less = button('minus', t('quieter'), () => stepVolume(-2), 'minor ctl step');
  const louder = button('add', t('louder'), () => stepVolume(2), 'minor ctl step');
  const value = el('span', { class: 'level' });
  const limit = el('p', { class: 'why', hidden: true, id: `limit${++ids}` });
  slider.addEventListener('input', () => setVolume(Number(slider.value), true));
  slider.addEventListener('change', releaseVolume);
  slider.addEventListener('wheel', (event) => {
    event.preventDefault();
    if (!slider.disabled) stepVolume(event.deltaY < 0 ? 2 : -2);
  }, { passive: false });
  part.onleave(follow('player link volume', () => {
    const player = state.player;
    if (!player) return;
    const shown = shownVolume();
    const off = !usable() || player.standby;
    slider.disabled = off || player.access === 'view';
    mute.disabled = less.disabled = louder.disabled = off;
    attribute(slider, 'max', String(player.volumeLimit));
    slider.value = String(shown);
    fill(slider);
    setIcon(mute, player.muted ? 'muted' : 'volume');
    press(mute, player.muted);
    const decibels = player.decibels === undefined || shown !== player.volume ? '' : ` · ${player.decibels.toFixed(1)} dB`;
    attribute(slider, 'aria-valuetext', player.muted ? t('mutedAt', { n: shown }) : String(shown));
    say(value, player.muted ? t('muted') : String(shown));
    attribute(value, 'title', `${shown}${decibels}`);
    limit.hidden = player.volumeLimit >= 100;
    say(limit, t('limited', { n: player.volumeLimit }));
    attribute(slider, 'aria-describedby', limit.hidden ? null : limit.id);
  }));
  return el('div', { class: 'volume' }, mute, less, slider, louder, value, limit);
}

/** Codec, rate, depth. @param {API.Format} format */
function formatText(format) {
  const { codec, sampleRate, bitDepth, bitRate, isLossless, channels } = format;
  return dotted(codec, sampleRate && t('kilohertz', { n: sampleRate / 1000 }), bitDepth && t('bits', { n: bitDepth }),
    bitRate && !isLossless && `${Math.round(bitRate / 1000)} kbit/s`, channels && channels !== 2 && t('channels', { n: channels }));
}

/** The large screen. */
define('now', (part) => {
  const art = artwork();
  const glow = artwork();
  glow.classList.add('glow');
  const title = el('h2', { class: 'title' });
  const artist = el('p', { class: 'artist' });
  const album = el('p', { class: 'album' });
  const format = el('p', { class: 'format' });
  const who = el('p', { class: 'who' });
  const trouble = el('div', { class: 'trouble', role: 'status' });
  const source = el('select', { class: 'ctl', 'aria-label': t('source'), onchange: () => change({ source: source.value }) });
  const standby = button('standby', t('standby'), () => change({ standby: true }), 'minor ctl');
  const later = el('p', { class: 'later' });
  const sound = el('dl', { class: 'facts' });
  const balance = el('input', { type: 'range', min: -15, max: 15, step: 1, 'aria-label': t('balance'), onchange: () => change({ balance: Number(balance.value) }) });
  const more = wide('', t('sound'), () => sheet(t('sound'), sound, el('label', { class: 'balance ctl' }, el('span', { class: 'time', text: t('left') }), balance, el('span', { class: 'time', text: t('right') }))), 'minor');
  const wake = el('button', { class: 'wake ctl', 'aria-label': t('standby'), 'aria-pressed': 'true', onclick: () => change({ standby: false }) },
    icon('standby'), t('asleep'));
  const how = el('span');
  const phone = el('a', { class: 'wide ctl', href: '#/uploads' }, icon('phone'), t('fromPhone'));
  const nothing = empty('perch', t('nothing'), t('nothingMore'),
    el('p', { class: 'row' }, el('a', { class: 'wide main', href: '#/library' }, icon('library'), t('library')),
      el('a', { class: 'wide', href: '#/radio' }, icon('radio'), t('radio'))),
    phone,
    el('p', { class: 'hint' }, icon('phone'), how));
  // Favourites, where there are some; their script comes only then.
  part.onleave(follow('pins', () => {
    if (state.pins?.pins.length && !nothing.querySelector('vireo-pins')) nothing.prepend(el('vireo-pins', { small: true })), import('./pins.js');
  }));
  const info = el('div', { class: 'info' }, title, artist, album, format, who);
  const controls = el('div', { class: 'controls' }, seekBar(part), transport(part), volumeBar(part),
    el('div', { class: 'row last' }, source, more, stopButton(part), standby));
  const stage = el('div', { class: 'stage' }, glow, art);
  part.replaceChildren(el('h1', { class: 'unseen', tabindex: '-1', text: t('now') }), stage, nothing, trouble, info, controls, later, wake);

  part.onleave(follow('player link', () => {
    const player = state.player;
    part.classList.toggle('waits', !player);
    if (!player) return;
    const { track, failure } = player;
    const sleeps = player.standby;
    wake.hidden = !sleeps;
    wake.disabled = !usable();
    nothing.hidden = !!track || sleeps;
    stage.hidden = info.hidden = !track || sleeps;
    controls.hidden = sleeps;
    say(how, t('howToCast', { name: player.name }));
    phone.hidden = !player.uploads;
    if (track) {
      art.show(track.art, track.title + (track.album ?? ''));
      glow.show(track.art, '');
      title.replaceChildren(foreign(track.title));
      artist.replaceChildren(foreign(track.artist || track.station));
      album.replaceChildren(foreign(track.artist && track.station ? track.station : track.album));
    }
    say(format, player.format && track ? formatText(player.format) : '');
    who.replaceChildren(...(player.caster && !player.caster.isPage && track ? [icon('cast'), foreign(t('chosenBy', { who: caster(player.caster) }))] : []));

    const visible = player.sources.filter((one) => one.isVisible || one.id === player.source);
    patch(source, visible, (one) => one.id + one.name, (one) => el('option', { value: one.id, text: one.name }));
    source.value = player.source;
    source.disabled = standby.disabled = !usable();

    const next = player.next;
    later.hidden = !next || sleeps;
    if (next) later.replaceChildren(el('b', { text: `${t('upNext')} ` }), foreign(dotted(next.title, next.artist)));

    sound.replaceChildren(...[
      [t('device'), player.sound.name], [t('mixer'), player.sound.mixer], ['bit-perfect', player.format?.bitPerfect],
      [t('volume'), player.decibels === undefined ? '' : `${player.decibels.toFixed(1)} dB`],
    ].filter(([, value]) => value).map(([name, value]) => el('div', {}, el('dt', { text: name }), el('dd', {}, foreign(value)))));
    if (document.activeElement !== balance) balance.value = String(player.balance);
    balance.disabled = !usable();

    const problem = failure ? [failure.detail, failure.cure] : player.sound.problem ? [player.sound.problem] : [];
    const key = JSON.stringify(problem);
    if (trouble.dataset.key !== key) {
      trouble.dataset.key = key;
      trouble.replaceChildren(...(problem.length ? [icon('warning'),
        el('div', {}, ...problem.filter(Boolean).map((line) => el('p', {}, foreign(line))),
          failure ? el('p', { class: 'row ctl' }, wide('replace', t('tryAgain'), () => command('play')),
            wide('next', t('skip'), () => command('next'))) : null)] : []));
    }
    trouble.hidden = !problem.length || sleeps;
  }));
});

/** The bar on all other screens. */
define('bar', (part) => {
  const art = artwork();
  const title = el('b');
  const artist = el('span');
  const open = el('a', { class: 'what', href: '#/now' }, art, el('span', { class: 'words' }, title, artist));
  part.replaceChildren(open, el('div', { class: 'middle' }, transport(part), seekBar(part)),
    el('div', { class: 'right' }, stopButton(part), volumeBar(part)));
  part.onleave(follow('player link', () => {
    const player = state.player;
    const track = player?.track;
    const words = player?.standby ? t('asleep') : track?.title ?? t('nothing');
    title.replaceChildren(foreign(words));
    artist.replaceChildren(foreign(player?.standby ? '' : dotted(track?.artist, track?.station)));
    art.show(track?.art, (track?.title ?? '') + (track?.album ?? ''));
  }));
});

let lastSaid = '';

/** Says a new track once, and keeps the window's title. */
export function watchTrack() {
  follow('player', () => {
    const track = state.player?.track;
    const words = dotted(track?.title, track?.artist || track?.station);
    if (words && lastSaid && words !== lastSaid) announce(words);
    lastSaid = words || lastSaid;
    document.title = words && state.player?.state === 'playing' ? `${words} · ${state.player.name}` : state.player?.name ?? document.title;
  });
}

/** The keys' seconds. */
export function seekBy(step) {
  if (may('seek')) change({ position: Math.max(0, Math.min(position() + step, (state.player?.track?.seconds ?? Infinity) - 1)) });
}
