// @ts-check
// "Play from this phone": files are sent one after the other, whatever screen is shown meanwhile; and the songs that are kept.
import { announce, attribute, button, define, dotted, el, foreign, icon, language, listOf, patch, remember, memory, say, sheet, t, toast, wide } from './core.js';
import { ask, fail, follow, play, state } from './store.js';

/**
 * @typedef {{ file: File, how: string, batch: string, place: number, state: 'waits' | 'sends' | 'checks' | 'done' | 'failed', sent: number, words: string, request?: XMLHttpRequest }} Job
 */

/** What was chosen, in its order. @type {Job[]} */
const jobs = [];
/** @type {Set<() => void>} */
const readers = new Set();
const shown = 100;

const tell = () => readers.forEach((read) => read());
const isOpen = (job) => ['waits', 'sends', 'checks'].includes(job.state);
const isList = (file) => /\.m3u8?$/i.test(file.name);

/** 12 MB, in the language of the page. */
function size(bytes) {
  const [unit, one] = bytes < 1e6 ? ['kilobyte', 1e3] : bytes < 1e9 ? ['megabyte', 1e6] : ['gigabyte', 1e9];
  return new Intl.NumberFormat(language, { style: 'unit', unit: String(unit), maximumFractionDigits: unit === 'kilobyte' ? 0 : 1 }).format(bytes / Number(one));
}

/** Sends files; a list waits for those that were chosen with it. @param {File[]} files */
function send(files, how) {
  const batch = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const songs = files.filter((file) => !isList(file));
  const lists = files.filter(isList);
  for (const [place, file] of [...songs, ...lists].entries()) {
    // A list says itself what joins the queue.
    jobs.push({ file, how: lists.length && !isList(file) ? 'keep' : how, batch, place, state: 'waits', sent: 0, words: '' });
  }
  run();
}

function settle(job, outcome, words) {
  job.state = outcome;
  job.words = words;
  job.request = undefined;
  if (outcome === 'failed') announce(`${job.file.name}: ${words}`);
  else if (!jobs.some(isOpen)) announce(words);
  run();
}

/** Sends the next one, if none is on its way. */
function run() {
  tell();
  if (jobs.some((job) => job.state === 'sends' || job.state === 'checks')) return;
  const job = jobs.find((one) => one.state === 'waits');
  if (!job) return;
  const { file } = job;
  if (!file.size) return settle(job, 'failed', t('up_empty'));
  if (isList(file)) return void sendList(job);
  if (state.uploads && file.size > state.uploads.limit) return settle(job, 'failed', t('up_large'));
  sendSong(job);
}

/** @param {Job} job */
async function sendList(job) {
  job.state = 'checks';
  tell();
  try {
    const { value } = await ask('POST', 'uploads/list', { text: await job.file.text(), how: job.how === 'keep' ? 'end' : job.how });
    const missing = value.missing.length ? t('listMissing', { names: value.missing.join(', ') }) : '';
    settle(job, value.added ? 'done' : 'failed', dotted(value.added && t('tracks', { n: value.added }), missing, value.detail));
  } catch (problem) {
    settle(job, 'failed', problem.message);
  }
}

/** @param {Job} job */
function sendSong(job) {
  const request = new XMLHttpRequest();
  job.request = request;
  job.state = 'sends';
  job.sent = 0;
  request.open('POST', `/api/v1/uploads?${new URLSearchParams({ name: job.file.name.slice(-200), how: job.how, batch: job.batch, place: String(job.place) })}`);
  request.setRequestHeader('Content-Type', 'application/octet-stream');
  request.responseType = 'json';
  request.upload.onprogress = ({ loaded }) => {
    job.sent = loaded;
    if (loaded >= job.file.size) job.state = 'checks';
    tell();
  };
  request.onload = () => {
    const value = request.response ?? {};
    if (request.status === 200) return settle(job, 'done', value.detail ?? t(`up_${value.state}`));
    // Others send something: this one waits for its turn.
    const wait = [429, 503].includes(request.status) ? Number(request.getResponseHeader('Retry-After')) : 0;
    if (!wait) return settle(job, 'failed', value.detail ?? t('refused', { n: request.status }));
    job.state = 'checks';
    job.request = undefined;
    tell();
    setTimeout(() => {
      if (job.state !== 'checks') return;
      job.state = 'waits';
      run();
    }, wait * 1000);
  };
  request.onerror = () => settle(job, 'failed', t('noAnswer'));
  request.onabort = () => settle(job, 'failed', t('cancelled'));
  tell();
  request.send(job.file);
}

/** @param {Job} job */
function cancel(job) {
  if (job.request) job.request.abort();
  else if (isOpen(job)) settle(job, 'failed', t('cancelled'));
}

addEventListener('beforeunload', (event) => jobs.some(isOpen) && event.preventDefault());

/** What is on its way, and what came of it. */
function sending() {
  const list = listOf(t('sending'), 'rows', 'ol');
  const all = wide('close', t('cancelAll'), () => jobs.filter(isOpen).reverse().forEach(cancel));
  const hint = el('p', { class: 'hint', text: t('keepOpen') });
  const panel = el('section', { class: 'panel' }, el('h2', { text: t('sending') }), hint, list, el('p', { class: 'row' }, all));
  const row = (job) => el('li', {}, el('span', { class: 'words' }, el('b', {}, foreign(job.file.name)), el('small'), el('progress', { max: job.file.size, 'aria-label': job.file.name })),
    button('replace', t('retryOf', { title: job.file.name }), () => { job.state = 'waits'; run(); }, 'minor'),
    button('close', t('cancelOf', { title: job.file.name }), () => cancel(job), 'minor'));
  const show = () => {
    panel.hidden = !jobs.length;
    all.hidden = hint.hidden = !jobs.some(isOpen);
    patch(list, jobs, (job) => job, row, (node, job) => {
      const [words, bar, again, stop] = [node.querySelector('small'), node.querySelector('progress'), ...node.querySelectorAll('button')];
      say(words, job.state === 'sends' ? t('up_sends', { a: size(job.sent), b: size(job.file.size) }) : isOpen(job) ? t(`up_${job.state}`) : job.words);
      words.classList.toggle('problem', job.state === 'failed');
      bar.value = job.sent;
      bar.hidden = job.state !== 'sends';
      again.hidden = job.state !== 'failed';
      stop.hidden = !isOpen(job);
    });
  };
  return { panel, show };
}

define('uploads', (part) => {
  const input = el('input', { type: 'file', multiple: true, accept: 'audio/*,.m3u,.m3u8,.flac,.opus,.dsf,.dff', hidden: true, onchange: () => {
    send([...input.files], how.value);
    input.value = '';
  } });
  const how = el('select', { id: 'up-how', onchange: () => remember({ upload: how.value }) },
    ...[['now', 'playNow'], ['next', 'playNext'], ['end', 'atEnd'], ['replace', 'replace'], ['keep', 'keepOnly']].map(([value, words]) =>
      el('option', { value, text: t(words), selected: (memory.upload ?? 'end') === value })));
  const choose = el('section', { class: 'panel choices ctl' }, input, el('p', { class: 'row' }, wide('phone', t('chooseFiles'), () => input.click(), 'main')),
    el('div', {}, el('label', { for: 'up-how', text: t('up_how') }), how));
  const off = el('p', { class: 'note', role: 'status' });
  const { panel, show } = sending();
  const sum = el('p', { class: 'hint' });
  const list = listOf(t('keptSongs'), 'rows');
  const more = wide('down', t('showMore'), () => load(false));
  const clear = wide('close', t('deleteUnused'), () => {
    const dialog = sheet(t('deleteSure'), el('p', { class: 'row' }, wide('close', t('delete'), () => { dialog.close(); remove(''); }, 'main'), wide('', t('cancel'), () => dialog.close())));
  }, 'ctl');
  const kept = el('section', { class: 'panel' }, el('h2', { text: t('keptSongs') }), sum, list, el('p', { class: 'row' }, more, clear));
  part.replaceChildren(el('div', { class: 'screen-head' }, el('h1', { tabindex: '-1', text: t('fromPhone') })), off, choose, panel, kept);

  /** @type {API.UploadedSong[]} */
  let songs = [];
  let total = 0;
  let turn = 0;

  const remove = async (key) => {
    try {
      await ask('DELETE', `uploads${key && `/${key}`}`);
    } catch (problem) {
      fail(problem);
    }
  };

  const row = (song) => {
    const { title } = song;
    const items = [{ uri: song.uri, title }];
    return el('li', {}, el('button', { class: 'what', onclick: () => state.player?.access !== 'view' && play(items, 'now', title) }, el('span', { class: 'badge' }, icon('track')),
      el('span', { class: 'words' }, el('b', {}, foreign(title)), el('small'))),
    button('add', t('addToQueue'), () => play(items, 'end', title), 'minor ctl'),
    button('close', t('deleteOf', { title }), () => remove(song.key), 'minor ctl'));
  };

  /** Shows what is kept; `again`: as much as was shown before. */
  const load = async (again) => {
    const mine = ++turn;
    const start = again ? 0 : songs.length;
    const wanted = again ? Math.max(shown, songs.length) : shown;
    const found = [];
    try {
      while (found.length < wanted) {
        const { value } = await ask('GET', `uploads/songs?start=${start + found.length}&count=${shown}`);
        if (mine !== turn) return;
        total = value.total;
        found.push(...value.songs);
        if (value.songs.length < shown) break;
      }
    } catch (problem) {
      if (mine === turn) toast(problem.message, { kind: 'bad' });
      return;
    }
    songs = again ? found : [...songs, ...found];
    patch(list, songs, (song) => song.key, row, (node, song) => {
      say(node.querySelector('small'), dotted(size(song.bytes), song.isNeeded && t('inQueue')));
      node.lastElementChild.disabled = song.isNeeded;
    });
    more.hidden = songs.length >= total;
    clear.hidden = !songs.some((song) => !song.isNeeded);
  };

  let version = '';
  part.onleave(follow('uploads queue', () => {
    const { uploads } = state;
    if (!uploads) return;
    choose.hidden = !uploads.enabled;
    kept.hidden = !uploads.enabled;
    say(off, uploads.enabled ? uploads.problem ?? '' : t('up_off'));
    say(sum, uploads.songs ? t('keptMore', { a: size(uploads.bytes), b: size(uploads.limit) }) : t('nothingKept'));
    attribute(list, 'hidden', uploads.songs ? null : '');
    const now = `${uploads.songs} ${uploads.bytes} ${state.queue?.token}`;
    if (uploads.enabled && now !== version) load(true);
    version = now;
  }));
  readers.add(show);
  part.onleave(() => readers.delete(show));
  show();
});
