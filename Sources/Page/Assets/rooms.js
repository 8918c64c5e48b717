// @ts-check
// Rooms: every renderer of the network, what it plays, its volume; the queue cast there; rooms that play together.
import { ago, attribute, button, define, dotted, el, empty, foreign, listOf, logo, patch, press, rename, say, setIcon, sheet, t, toast, wide } from './core.js';
import { ask, fail, follow, searchAgain, state, usable } from './store.js';
async function tell(method, path, body = undefined) {
  try {
    return await ask(method, path, body);
  } catch (problem) {
    fail(problem);
  }
}
const at = (kind, udn, verb = '') => `${kind}/${encodeURIComponent(udn)}${verb}`;

/** @param {API.Renderer} one */
function castMenu(one) {
  const cast = (from) => async () => {
    dialog.close();
    const done = await tell('POST', at('renderers', one.udn, '/cast'), { from });
    if (done) toast([t('castDone', { n: done.value.added, name: one.name }), done.value.left ? done.value.detail : ''].filter(Boolean).join(' '));
  };
  const dialog = sheet(t('castTo', { name: one.name }), el('div', { class: 'hows' },
    wide('play', t('castCurrent'), cast('current'), 'how'), wide('queue', t('castAll'), cast('all'), 'how')));
}

/** Mute, slider and level of what `send` changes. What is set here is shown until the renderer will have taken it. */
function volume(send) {
  const mute = button('volume', '', () => send({ muted: mute.getAttribute('aria-pressed') !== 'true' }), 'minor ctl');
  const slider = el('input', { type: 'range', min: 0, max: 100 });
  const level = el('span', { class: 'level' });
  let [own, latest, until, isSending] = [0, 0, 0, false];
  const paint = (value) => {
    slider.value = String(value);
    slider.style.setProperty('--fill', `${100 * value / slider.max}%`);
    say(level, String(value));
  };
  slider.addEventListener('input', async () => {
    paint(own = Number(slider.value));
    until = performance.now() + 1500;
    if (isSending) return;
    isSending = true;
    for (let sent = -1; sent !== own && await send({ volume: sent = own }););
    isSending = false;
    setTimeout(() => performance.now() > until && paint(latest), 1550);
  });
  return Object.assign(el('div', { class: 'volume' }, mute, slider, level), {
    show: (value, muted, limit, name, muteName) => {
      latest = value ?? 0;
      slider.hidden = level.hidden = mute.hidden = value === undefined;
      attribute(slider, 'max', String(limit ?? 100));
      attribute(slider, 'aria-label', name);
      rename(mute, muteName);
      setIcon(mute, muted ? 'muted' : 'volume');
      press(mute, muted);
      if (performance.now() > until) paint(latest);
      slider.disabled = !usable() || state.player?.access === 'view';
      mute.disabled = !usable();
    },
  });
}

/** The room of that UDN. */
const roomOf = (udn) => state.rooms?.rooms.find((room) => room.udn === udn);

/** The UDN of the room that plays what this one plays: its own, when it listens to none that is known. */
function headOf(udn) {
  let room = roomOf(udn);
  for (let step = 0; step < 9 && room?.host; step++) room = roomOf(room.host);
  return room && !room.host ? room.udn : udn;
}

/** What rooms say of themselves, as far as it is known here. @type {API.RoomReports | undefined} */
let reports;

const ms = (value, step = 10) => t('ms', { n: Math.round(value / step) * step / 1000 });

/** What a room that listens says, in plain words. @param {API.RoomFigures} one */
function inWords(one) {
  if (one.seen > 4) return t('notHeard', { when: ago(one.seen) });
  if (one.state !== 'playing') return t(`is_${one.state}`);
  if (one.loss) return t('someLost');
  const most = Math.max(Math.abs(one.offset), one.p95);
  return t(most > 5000 ? 'outOfStep' : 'inStep', { n: Math.max(1, Math.ceil(most / 100)) / 10 });
}

const leaves = (udn) => wide('', t('leave'), () => tell('POST', at('rooms', udn, '/leave')), 'ctl');

/** A room of a group: how it keeps step, its own volume. */
function place(udn) {
  const name = el('b');
  const plain = el('span');
  const words = el('summary');
  const facts = el('dl', { class: 'facts' });
  const figures = el('details', {}, words, facts);
  const own = volume((body) => tell('PATCH', at('renderers', udn), body));
  const leave = leaves(udn);
  return Object.assign(el('li', { class: 'row' }, el('div', { class: 'words' }, name, plain), leave, figures, own), {
    /** @param {API.Room} room */
    update: (room, isHost) => {
      name.replaceChildren(foreign(room.name));
      const report = isHost ? undefined : room.isSelf ? reports?.listening : reports?.listeners.find((one) => one.udn === udn);
      figures.hidden = !report;
      plain.hidden = !!report;
      say(plain, t(isHost ? 'playsForAll' : room.isThere ? `is_${room.state ?? 'unknown'}` : 'notFound'));
      if (report) {
        say(words, inWords(report));
        const rows = [['offset', t(report.offset < 0 ? 'late' : 'early', { time: ms(Math.abs(report.offset)) })], ['mostly', ms(report.p95)],
          ['loss', t('lossOf', { n: report.loss / 10, lost: report.lost, repaired: report.repaired })], ['buffer', ms(report.buffer, 1000)]];
        patch(facts, rows, (row) => row[0], (row) => el('div', {}, el('dt', { text: t(row[0]) }), el('dd')), (node, row) => say(node.lastChild, row[1]));
      }
      leave.hidden = isHost || !room.isThere;
      leave.disabled = !usable();
      own.hidden = !room.isThere;
      own.show(room.volume, room.muted, room.volumeLimit, t('volumeOf', { name: room.name }), t('muteOf', { name: room.name }));
    },
  });
}

/** A renderer, and the rooms that listen to it. @param {API.Renderer} one */
function card(one) {
  const { udn } = one;
  const name = el('h2');
  const model = el('p', { class: 'model' });
  const plays = el('p', { class: 'plays-what' });
  const problem = el('p', { class: 'problem' });
  const play = button('play', t('play'), () => tell('POST', at('renderers', udn, `/${pauses ? 'pause' : 'play'}`)));
  const stop = button('stop', t('stop'), () => tell('POST', at('renderers', udn, '/stop')), 'minor');
  const level = volume((body) => tell('PATCH', isGroup ? at('rooms', udn, '/group') : at('renderers', udn), body));
  const cast = button('cast', t('castHere'), () => castMenu(latest), 'ctl');
  const join = wide('rooms', '', () => (hosts.length === 1 ? joins(hosts[0]) : chooses()), 'ctl');
  const members = listOf(t('together'), 'members');
  const next = el('div');
  const leave = leaves(udn);
  const party = el('a', { class: 'wide', rel: 'noreferrer', hidden: true });
  let latest = one;
  let [pauses, isGroup] = [false, false];
  /** The rooms that it may listen to. @type {API.Room[]} */
  let hosts = [];
  const joins = (host) => tell('POST', at('rooms', udn, '/join'), { host: host.udn });
  const chooses = () => {
    const dialog = sheet(t('joinTitle', { name: latest.name }), el('div', { class: 'hows' }, ...hosts.map((host) => wide('rooms', dotted(host.name, host.title), () => {
      dialog.close();
      joins(host);
    }, 'how'))));
  };
  const grouping = el('div', { class: 'row' }, join, leave);
  const controls = el('div', { class: 'row' }, el('span', { class: 'ctl row' }, play, stop), level);
  const node = Object.assign(el('li', { class: 'panel' }, el('div', { class: 'room-head' }, logo('rooms', one.icon), el('div', { class: 'words' }, name, model), cast), plays, problem, controls, members, next, party, grouping), {
    /** @param {API.Renderer} now @param {API.Room[]} group */
    update: (now, group) => {
      latest = now;
      const player = now.isSelf ? state.player : undefined;
      const playing = player ? player.state : now.state;
      const title = player ? player.track?.title : now.title;
      const artist = player ? player.track?.artist : now.artist;
      const room = roomOf(udn);
      isGroup = group.length > 1;
      name.replaceChildren(foreign(now.name));
      model.replaceChildren(foreign([now.isSelf ? t('thisSpeaker') : now.model, now.kind === 'openhome' ? 'OpenHome' : 'UPnP AV',
        room?.hostName ? t('listensTo', { name: room.hostName }) : ''].filter(Boolean).join(' · ')));
      plays.replaceChildren(...(now.isThere ? [el('span', { text: t(playing ? `is_${playing}` : 'is_unknown') }), title ? foreign(dotted(title, artist)) : null]
        .filter((part) => part !== null) : [el('span', { text: t('goneSince', { when: ago(now.seen) }) })]));
      problem.hidden = !now.problem;
      problem.replaceChildren(foreign(now.problem));
      node.classList.toggle('gone', !now.isThere);
      node.classList.toggle('plays', playing === 'playing');
      pauses = playing === 'playing' || playing === 'buffering';
      setIcon(play, pauses ? 'pause' : 'play');
      rename(play, t(pauses ? 'pause' : 'play'));
      controls.hidden = !now.isThere;
      const shown = player ?? now;
      level.show(shown.volume, isGroup ? group.every((one) => one.muted) : shown.muted, player?.volumeLimit ?? room?.volumeLimit,
        isGroup ? t('volumeOfGroup') : t('volumeOf', { name: now.name }), isGroup ? t('muteAll') : t('mute'));
      play.disabled = stop.disabled = !usable();
      cast.hidden = now.isSelf || !now.isThere || !state.queue?.ids.length;
      cast.disabled = !usable();
      members.hidden = !isGroup;
      patch(members, isGroup ? group : [], (one) => one.udn, (one) => place(one.udn), (row, one) => row.update(one, one.udn === udn));
      hosts = isGroup || !room?.canReceive || !room.isThere ? [] : (state.rooms?.rooms ?? [])
        .filter((one) => one.canSend && one.isThere && one.udn !== udn && headOf(one.udn) === one.udn);
      // What it listens to isn't among the rooms.
      leave.hidden = !room?.isThere || !room.hostName;
      leave.disabled = !usable();
      join.hidden = !hosts.length;
      join.disabled = !usable();
      grouping.hidden = join.hidden && leave.hidden;
      say(join.lastChild, t(hosts.length === 1 ? 'join' : 'joinOne', { name: hosts[0]?.name }));
      const titles = group.some((one) => one.isSelf && one.udn !== udn) ? state.rooms?.next ?? [] : [];
      next.hidden = !titles.length;
      const guests = isGroup && now.udn === udn && group.some((one) => one.isSelf && one.udn !== udn) ? state.rooms?.party : undefined;
      party.hidden = !guests;
      attribute(party, 'href', guests?.address);
      say(party, guests ? t('partyOf', { name: guests.name }) : '');
      if (titles.length && !next.firstChild) next.append(el('h3', { text: t('upNext') }), listOf(t('upNext'), 'songs', 'ol'));
      if (next.lastChild) patch(next.lastChild, titles.map((one, index) => ({ ...one, index })), (one) => `${one.index} ${one.title}`, (one) => el('li', {}, foreign(one.title), one.artist ? el('small', {}, foreign(one.artist)) : null));
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
  const show = () => {
    const renderers = state.renderers;
    again.disabled = !usable();
    if (!renderers) return;
    const others = renderers.renderers.filter((one) => !one.isSelf);
    none.hidden = others.length > 0;
    say(note, renderers.isSearching ? t('searching') : t('nRooms', { n: renderers.renderers.length }));
    /** The host first. @param {string} udn */
    const group = (udn) => (state.rooms?.rooms ?? []).filter((room) => headOf(room.udn) === udn).sort((one, other) => Number(other.udn === udn) - Number(one.udn === udn));
    patch(list, renderers.renderers.filter((one) => headOf(one.udn) === one.udn), (one) => one.udn, card, (node, one) => node.update(one, group(one.udn)));
  };
  part.onleave(follow('renderers rooms player queue link', show));
  /** This speaker knows how well those are in step that listen to it, and how well it is itself. */
  let isShown = true;
  (async () => {
    for (reports = undefined; isShown;) {
      const self = state.rooms?.rooms.find((room) => room.isSelf);
      const isGroup = !document.hidden && usable() && self && (self.host || state.rooms?.rooms.some((room) => room.host === self.udn));
      if (isGroup) {
        reports = await ask('GET', 'rooms/reports').then((answer) => answer.value, () => undefined);
        if (isShown) show();
      }
      await new Promise((go) => setTimeout(go, isGroup ? 2000 : 500));
    }
  })();
  part.onleave(() => { isShown = false; });
});
