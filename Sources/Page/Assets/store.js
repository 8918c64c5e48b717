// @ts-check
// The state of the speaker, fed by one event stream, or by polling where no stream is to be had; and all commands.
import { memory, remember, t, toast, ui } from './core.js';

const api = '/api/v1/';

/** @typedef {{ player?: API.Player, queue?: API.Queue, radio?: API.Radio, pins?: API.Pins, servers?: API.Servers, renderers?: API.Renderers, rooms?: API.Rooms, party?: API.Party, playlists?: API.Playlists, uploads?: API.Uploads, system?: API.System }} Sections */

/** The sections as they were last heard, and when (in ms of `performance.now`). @type {Sections} */
export const state = {};
/** @type {Record<string, number>} */
export const heard = {};

/** How the page hears of changes: `connecting`, `live`, `polling` or `lost`. */
export let link = 'connecting';

/** @type {Map<string, Set<() => void>>} */
const readers = new Map();

/** Calls `read` now and whenever one of the sections (or `link`) changes; gives what ends that. @param {() => void} read */
export function follow(names, read) {
  for (const name of names.split(' ')) {
    if (!readers.has(name)) readers.set(name, new Set());
    readers.get(name)?.add(read);
  }
  want();
  read();
  return () => {
    for (const name of names.split(' ')) readers.get(name)?.delete(read);
    want();
  };
}
function tell(name) {
  for (const read of [...(readers.get(name) ?? [])]) read();
}
function take(name, value) {
  const old = (state)[name];
  /** @type {any} */ (state)[name] = value;
  heard[name] = performance.now();
  if (name === 'player') given = value.access;
  setAccess();
  if (name === 'player' && old && value.caster && !value.caster.isPage && !value.standby
    && (old.caster?.address !== value.caster.address || old.caster.agent !== value.caster.agent || old.caster.isPage)) {
    toast(t('tookOver', { who: caster(value.caster) }));
  }
  tell(name);
}

/** What pages may do here. */
let given = '';

/** Is this browser a guest of the party? Another party, or none, has no guests of before. */
export const isGuest = () => !!memory.guest && (!state.party || state.party.code === memory.guest.code);

/** A guest looks only, and requests songs. */
export function setAccess() {
  const { player } = state;
  const access = /** @type {any} */ (isGuest() ? 'view' : given);
  if (!player || player.access === access) return;
  player.access = access;
  tell('player');
}

/** Who it is, in words. @param {API.Caster} who */
export function caster(who) {
  return who.agent ? `${who.agent} (${who.address})` : who.address;
}
function setLink(value) {
  if (link === value) return;
  link = value;
  document.documentElement.dataset.link = value;
  tell('link');
}

const always = ['player', 'queue'];
const others = ['radio', 'pins', 'servers', 'renderers', 'rooms', 'party', 'playlists', 'uploads', 'system'];
let wanted = '';
let boot = '';
/** @type {AbortController | undefined} */
let stream;
let timer = 0;
let due = false;

/** Opens another stream when other sections are looked at. */
function want() {
  if (due) return;
  due = true;
  queueMicrotask(() => {
    due = false;
    const names = [...always, ...others.filter((name) => readers.get(name)?.size)].join(',');
    if (names === wanted) return;
    wanted = names;
    for (const name of others) if (!names.includes(name)) delete ((state)[name]);
    if (!document.hidden) open();
  });
}

function close() {
  clearTimeout(timer);
  stream?.abort();
  stream = undefined;
}
function again(ms) {
  clearTimeout(timer);
  timer = setTimeout(open, ms);
}

async function open() {
  close();
  const mine = new AbortController();
  stream = mine;
  /** The stream sends something every 20 s; after 45 s of silence it is dead. */
  let watch = setTimeout(() => mine.abort(), 10000);
  let wasOpen = false;
  try {
    const answer = await fetch(`${api}events?sections=${wanted}`, { signal: mine.signal, cache: 'no-store', headers: { Accept: 'text/event-stream' } });
    if (answer.status === 503) {
      clearTimeout(watch);
      return void (await poll(mine));
    }
    if (!answer.ok || !answer.body) throw new Error(String(answer.status));
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      clearTimeout(watch);
      watch = setTimeout(() => mine.abort(), 45000);
      const { done, value } = await reader.read();
      if (done) break;
      wasOpen = true;
      const events = (rest + value).split(/\r?\n\r?\n/);
      rest = events.pop() ?? '';
      for (const event of events) read(event);
    }
  } catch { /* The stream is gone: below. */ }
  clearTimeout(watch);
  if (stream !== mine) return;
  setLink('lost');
  again((wasOpen ? 200 : 700) + Math.random() * 500);
}
function read(event) {
  let [name, data, id] = ['', '', ''];
  for (const line of event.split(/\r?\n/)) {
    if (line.startsWith('event:')) name = line.slice(6).trim();
    else if (line.startsWith('data:')) data += line.slice(5);
    else if (line.startsWith('id:')) id = line.slice(3).trim();
  }
  if (!name || !data) return;
  const now = id.split('.')[0];
  if (boot && now && now !== boot) restarted();
  boot = now || boot;
  setLink('live');
  take(name, JSON.parse(data));
}

/** The daemon was started again: other files may belong to it. */
async function restarted() {
  volume.version = 0;
  tell('restart');
  const shell = await fetch('/', { cache: 'no-store', headers: { Accept: 'text/html' } }).then((answer) => answer.text()).catch(() => '');
  const found = shell.match(/\/ui\/[^/"]+/);
  if (found && found[0] !== ui) toast(t('otherVersion'), { name: t('reload'), act: () => location.reload(), seconds: 600 });
}

/** Too many pages are open: asks every 5 s, and for a stream every 30 s. @param {AbortController} mine */
async function poll(mine) {
  for (let turn = 0; turn < 6 && stream === mine; turn++) {
    for (const name of wanted.split(',')) {
      const answer = await fetch(api + name, { cache: 'no-store', signal: mine.signal });
      if (!answer.ok && name === 'player') throw new Error(String(answer.status));
      if (!answer.ok) continue;
      const value = await answer.json();
      if (stream !== mine) return;
      if (value.version < (state[name]?.version ?? 0)) restarted();
      setLink('polling');
      take(name, value);
    }
    await new Promise((resolve) => setTimeout(resolve, 5000));
  }
  if (stream === mine) open();
}

/** Starts. A hidden page holds no connection: a browser has six for a host. */
export function start() {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) close();
    else open();
  });
  addEventListener('online', () => !document.hidden && open());
  addEventListener('pagehide', close);
  want();
}

/** Why a request was refused. */
export class Problem extends Error {
  /** @param {{ type?: string, detail?: string }} body */
  constructor(status, body) {
    super(body.detail || t('refused', { n: status }));
    this.status = status;
    this.type = body.type ?? '';
  }
}

/**
 * Asks the speaker; throws a Problem.
 * @param {Record<string, string>} [headers]
 * @returns {Promise<{ value: any, version: number }>}
 */
export async function ask(method, path, body, headers = {}) {
  /** @type {RequestInit} */
  const request = { method, headers, cache: 'no-store' };
  if (body !== undefined) {
    request.body = JSON.stringify(body);
    request.headers = { ...headers, 'Content-Type': 'application/json' };
  }
  let answer;
  try {
    answer = await fetch(api + path, request);
  } catch {
    throw new Problem(0, { type: 'unreachable', detail: t('noAnswer') });
  }
  const value = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Problem(answer.status, value);
  return { value, version: Number(answer.headers.get('Vireo-Version')) };
}

/** True when a command was done; else the page says why. */
async function done(answer) {
  try {
    await answer;
    return true;
  } catch (problem) {
    fail(problem);
    return false;
  }
}

export const tellPlayer = (method, path, body) => done(ask(method, path, body));

/** Says why something failed. */
export function fail(problem) {
  toast(problem.status === 412 ? t('conflict') : problem.message, { kind: 'bad', seconds: 8 });
}

/** Ends when the page knows what its last edit of the queue has made of it. */
let edited = Promise.resolve();

/** An edit of the queue as this page sees it; refused when somebody else has changed it. One after the other: before the
 * event that follows an edit comes, this page's own next one would look like somebody else's. */
export function edit(method, path, body) {
  let token;
  const answer = edited.then(() => {
    token = state.queue?.token;
    return done(ask(method, path, body, token ? { 'If-Match': token } : {}));
  });
  edited = answer.then(async (isDone) => {
    for (let turn = 0; isDone && turn < 40 && state.queue?.token === token; turn++) await new Promise((go) => setTimeout(go, 10));
  });
  return answer;
}

export const searchAgain = () => tellPlayer('POST', 'servers/search');
/** Takes the last edit back, if nobody has changed the queue since it had this token. */
export const undo = (token) => done(ask('POST', 'queue/undo', undefined, token ? { 'If-Match': token } : {}));

/** The position now, in seconds. */
export function position() {
  const player = state.player;
  if (!player) return 0;
  const { seconds, age } = player.position;
  const since = player.state === 'playing' ? (age + performance.now() - heard.player) / 1000 : 0;
  return Math.min(seconds + since, player.track?.seconds || Infinity);
}

/** May pages change anything, and does the speaker hear us? */
export const usable = () => link === 'live' || link === 'polling';

let volume = { value: -1, version: 0, sending: false, held: false };

/** The volume to show: this page's own while the speaker hasn't taken it yet. */
export function shownVolume() {
  const player = state.player;
  if (!player) return 0;
  if (volume.held || volume.sending || (volume.value >= 0 && player.version < volume.version)) return volume.value;
  volume.value = -1;
  return player.volume;
}

/** Sets it; `held` while the slider is held. One request at a time, the last value last. */
export async function setVolume(value, held) {
  volume.held = held;
  volume.value = Math.max(0, Math.min(value, state.player?.volumeLimit ?? 100));
  const isSending = volume.sending;
  volume.sending = true;
  tell('volume');
  if (isSending) return;
  try {
    for (let sent = -1; sent !== volume.value && volume.value >= 0;) {
      sent = volume.value;
      volume.version = (await ask('PATCH', 'player', { volume: sent })).version || volume.version;
    }
  } catch (problem) {
    volume.version = 0;
    fail(problem);
  }
  volume.sending = false;
  tell('volume');
}

/** The slider was let go. */
export function releaseVolume() {
  volume.held = false;
  tell('volume');
}

/** The renderer that was chosen for what is played from here; undefined for this speaker. */
export const where = () => memory.where;

export function setWhere(renderer) {
  remember({ where: renderer });
  tell('where');
}

/** Plays, and says what came of it. */
export async function play(items, how, title) {
  const room = where();
  try {
    const { value } = await ask('POST', 'play', { items, how, ...(room ? { where: room.udn } : {}) });
    const words = value.added === 0 && value.detail ? value.detail
      : t(how === 'now' || how === 'replace' ? 'playsNow' : 'added', { title, n: value.added }) + (value.isPartial ? ` ${t('partial')}` : value.left && value.detail ? ` ${value.detail}` : '');
    const mayUndo = !room && how !== 'now' && value.added > 0;
    toast(words, { name: mayUndo ? t('undo') : '', act: () => undo(value.token), seconds: mayUndo ? 10 : 5, kind: value.added ? '' : 'bad' });
    return true;
  } catch (problem) {
    fail(problem);
    return false;
  }
}
