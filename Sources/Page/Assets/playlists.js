// @ts-check
// The playlists that the speaker keeps: all of them, and one with its tracks.
import { announce, artwork, attribute, button, clock, define, dotted, el, empty, foreign, icon, listOf, patch, say, sheet, t, toast, wide } from './core.js';
import { ask, follow, play, state, tellPlayer, usable } from './store.js';
import { all, ask1, create, nameDialog, refused, tell } from './keep.js';
import { whereChoice } from './library.js';
import { keep } from './pins.js';

const address = (id) => `#/playlists/${id}`;

/** What can be done with a whole playlist. @param {API.Playlist} one */
function menu(one) {
  const control = state.player?.access !== 'view';
  const way = (picture, words, act) => wide(picture, t(words), () => { dialog.close(); act(); }, 'how ctl');
  const how = (name, picture, words) => way(picture, words, () => play([{ playlist: one.id }], name, one.name));
  const file = (format) => el('a', { class: 'wide how', href: `/api/v1/playlists/${one.id}/export?format=${format}`, download: true }, icon('down'), el('span', { text: t('saveFile', { format: format.toUpperCase() }) }));
  const dialog = sheet(foreign(one.name), control && whereChoice(), el('div', { class: 'hows' },
    how('now', 'play', 'playNow'), how('next', 'after', 'playNext'), how('end', 'end', 'atEnd'), how('replace', 'replace', 'replace'),
    way('playlist', 'rename', () => nameDialog(t('rename'), one.name, (name) => ask1('PATCH', `playlists/${one.id}`, { name }))),
    way('star', 'keep', () => keep({ playlist: one.id, title: one.name }, one.name)),
    file('m3u8'), file('xspf'), way('close', 'deleteList', () => confirmDelete(one))));
}

function confirmDelete(one) {
  const dialog = sheet(t('deleteList'), el('p', { text: t('deleteAsk', { name: one.name }) }), el('p', { class: 'row' },
    wide('close', t('deleteList'), async () => {
      dialog.close();
      if (!await tellPlayer('DELETE', `playlists/${one.id}`)) return;
      toast(t('deleted', { name: one.name }));
      if (location.hash === address(one.id)) location.hash = '#/playlists';
    }, 'main'), wide('', t('cancel'), () => dialog.close())));
}

/** Cuts the text of a file into lists that a request takes: behind an address, behind a track of XSPF, or before a file of PLS. */
function parts(text, most = 60000) {
  text = text.trim();
  if (text.length <= most) return [text];
  let [head, tail, pieces] = ['#EXTM3U\n', '', /** @type {string[]} */ ([])];
  if (text[0] === '<') {
    const last = text.lastIndexOf('</track>') + 8;
    const first = text.indexOf('<track>');
    if (first < 0 || last < first) return [text];
    [head, tail] = [text.slice(0, first), text.slice(last)];
    pieces = text.slice(first, last).split('</track>').slice(0, -1).map((piece) => `${piece}</track>`);
  } else if (text[0] === '[') {
    head = '[playlist]\n';
    pieces = text.split(/\r?\n(?=file\d)/i).map((piece) => `${piece}\n`);
  } else {
    let piece = '';
    for (const line of text.split(/\r?\n/)) {
      piece += `${line}\n`;
      if (line.startsWith('#')) continue;
      pieces.push(piece);
      piece = '';
    }
  }
  const lists = [];
  let list = '';
  for (const piece of pieces) {
    if (list && list.length + piece.length > most) {
      lists.push(head + list + tail);
      list = '';
    }
    list += piece;
  }
  return [...lists, head + list + tail];
}

/** Keeps a file from this browser's device. @param {File} file */
async function importFile(file) {
  if (file.size > 8e6) return toast(t('tooLarge'), { kind: 'bad' });
  const bytes = await file.arrayBuffer();
  let text;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    text = new TextDecoder('windows-1252').decode(bytes);
  }
  const base = file.name.replace(/\.[^.]*$/, '').slice(0, 90).replace(/\p{C}/gu, '').trim() || t('newPlaylist');
  const taken = new Set(all().map((one) => one.name.toLowerCase()));
  let name = base;
  for (let number = 2; taken.has(name.toLowerCase()); number++) name = `${base} ${number}`;
  const [first, ...rest] = parts(text);
  const value = await ask1('POST', 'playlists', { name, text: first });
  if (!value) return;
  for (const part of rest) {
    const more = await ask1('POST', `playlists/${value.playlist.id}/tracks`, { text: part });
    if (!more) return;
    value.left += more.left;
    value.detail ??= more.detail;
  }
  tell(value, t('saved', { name }));
}

const sum = (one) => dotted(t('tracks', { n: one.count }), one.seconds && clock(one.seconds));

define('playlists', (part) => {
  let id = 0;
  let [turn, busy, loads, waiting, version] = [0, false, false, 0, ''];
  /** The tracks that are here. @type {API.Track[]} */
  let tracks = [];
  const one = () => all().find((list) => list.id === id);

  const head = el('h1', { tabindex: '-1' });
  const length = el('p', { class: 'sum' });
  const crumbs = el('nav', { class: 'crumbs', 'aria-label': t('path') });
  const picker = el('input', { type: 'file', accept: '.m3u,.m3u8,.xspf,.pls,audio/x-mpegurl,application/xspf+xml', hidden: true, 'aria-label': t('importList'),
    onchange: async () => { const [file] = picker.files; if (file) await importFile(file); picker.value = ''; } });
  const tools = el('div', { class: 'tools' }, wide('add', t('newPlaylist'), () => create({}), 'ctl'), wide('up', t('importList'), () => picker.click(), 'ctl'), picker);
  const whole = el('div', { class: 'tools' }, wide('play', t('playAll'), () => play([{ playlist: id }], 'replace', one()?.name), 'main ctl'),
    wide('end', t('addAll'), () => play([{ playlist: id }], 'end', one()?.name), 'ctl'), button('more', t('more'), () => { const list = one(); if (list) menu(list); }, '', { 'aria-haspopup': 'dialog' }));
  const none = el('div');
  const lists = listOf(t('playlists'), 'rows');
  const list = listOf(t('playlists'), 'rows', 'ol');
  const end = el('div', { class: 'end' });
  part.replaceChildren(crumbs, el('div', { class: 'screen-head' }, el('div', {}, head, length)), tools, whole, none, lists, list, end);

  const showLists = () => {
    patch(lists, all(), (list) => list.id, (list) => {
      const node = el('li', { class: 'folder' }, el('a', { class: 'what', href: address(list.id) }, el('span', { class: 'badge' }, icon('playlist')),
        el('span', { class: 'words' }, el('b'), el('span'))), button('play', t('playNow'), () => play([{ playlist: list.id }], 'replace', node.list.name), 'minor ctl'),
      button('more', t('more'), () => menu(node.list), 'minor', { 'aria-haspopup': 'dialog' }), icon('right'));
      return node;
    }, (node, list) => {
      node.list = list;
      node.querySelector('b').replaceChildren(foreign(list.name));
      say(node.querySelector('.words > span'), sum(list));
      attribute(node.querySelector('[aria-haspopup]'), 'aria-label', t('moreOf', { title: list.name }));
    });
  };

  const show = () => {
    const { playlists } = state;
    const list1 = one();
    tools.hidden = lists.hidden = !!id;
    whole.hidden = list.hidden = crumbs.hidden = !list1;
    head.replaceChildren(id ? foreign(list1?.name ?? '…') : t('playlists'));
    attribute(list, 'aria-label', head.textContent);
    crumbs.replaceChildren(listOf(undefined, '', 'ol', el('li', {}, el('a', { href: '#/playlists', text: t('playlists') }))));
    say(length, list1 ? sum(list1) : '');
    const isEmpty = playlists && (id ? !list1?.count : !all().length);
    const why = !isEmpty ? '' : !playlists.isKept ? 'notKept' : id ? list1 ? 'listEmpty' : 'notFound' : 'noPlaylists';
    if (none.dataset.why !== why) {
      none.dataset.why = why;
      none.replaceChildren(...(why ? [empty('playlist', t(why), why === 'noPlaylists' ? t('noPlaylistsMore') : '')] : []));
    }
    for (const node of tools.querySelectorAll('button')) node.disabled = !usable() || !playlists?.isKept;
    if (!id) return showLists();
    if (list1 && list1.version !== version && !loads && !waiting) load();
  };

  /** Reads the tracks from the beginning, as many as were here. */
  const load = async () => {
    const [mine, wanted, known] = [++turn, Math.max(100, tracks.length), one()?.version];
    const fresh = [];
    let value;
    loads = true;
    for (let total = 1; fresh.length < Math.min(wanted, total) && mine === turn;) {
      if (!(value = await page(fresh.length))) break;
      fresh.push(...value.tracks);
      total = value.tracks.length ? value.total : 0;
    }
    if (mine !== turn) return;
    loads = false;
    if (!value) return;
    [tracks, version] = [fresh, value.version];
    draw();
    // It has changed meanwhile.
    if (one()?.version !== known) show();
  };
  const page = (start) => ask1('GET', `playlists/${id}/tracks?start=${start}&count=100`);

  const more = async () => {
    if (busy || !tracks.length || tracks.length >= (one()?.count ?? 0)) return;
    busy = true;
    const mine = turn;
    const value = await page(tracks.length);
    busy = false;
    if (!value || mine !== turn) return;
    tracks.push(...value.tracks);
    draw();
  };

  /** Edits the list as this page sees it, one edit after the other. It is drawn as it will be, and needs no reading. */
  /** @type {Promise<any>} */
  let edited = Promise.resolve();
  const edit = (path, body) => {
    const [mine, known] = [id, version];
    [turn, loads, waiting] = [turn + 1, false, waiting + 1];
    edited = edited.then(async (last) => {
      // Another list may be shown by now: then the edit before says which version this one has.
      const seen = (mine === id && version) || (last?.id === mine ? last.version : known);
      let now = '';
      try {
        now = (await ask('POST', `playlists/${mine}/${path}`, body, { 'If-Match': seen })).value.version;
      } catch (problem) {
        refused(problem);
      }
      waiting--;
      if (mine === id && tracks.length) version = now;
      if (mine !== id || !now || !tracks.length) show();
      return { id: mine, version: now };
    });
  };

  const move = (track, to, node) => {
    const from = tracks.indexOf(track);
    if (from < 0 || to < 0 || to >= tracks.length || to === from) return;
    tracks.splice(from, 1);
    tracks.splice(to, 0, track);
    draw();
    announce(t('nowAt', { n: to + 1 }));
    if (node?.isConnected && !node.disabled) node.focus();
    edit('move', { ids: [track.id], after: tracks[to - 1]?.id ?? 0 });
  };

  const remove = (track) => {
    const index = tracks.indexOf(track);
    tracks.splice(index, 1);
    draw();
    (list.children[Math.min(index, tracks.length - 1)]?.querySelector('.cover') ?? head).focus();
    edit('remove', { ids: [track.id] });
  };

  const draw = () => {
    patch(list, tracks, (track) => track.id, row, (node, track) => {
      const index = tracks.indexOf(track);
      node.track = track;
      attribute(node, 'aria-posinset', index + 1);
      attribute(node, 'aria-setsize', one()?.count ?? tracks.length);
      const [up, down] = node.querySelectorAll('.small');
      up.disabled = index === 0;
      down.disabled = index === tracks.length - 1;
    });
  };

  /** @param {API.Track} track */
  const row = (track) => {
    const art = artwork();
    art.show(track.art, track.title + (track.album ?? ''));
    const at = (step) => move(node.track, tracks.indexOf(node.track) + step, step < 0 ? up : down);
    const up = button('up', t('moveUp'), () => at(-1), 'small');
    const down = button('down', t('moveDown'), () => at(1), 'small');
    const from = () => tellPlayer('POST', `playlists/${id}/play`, { how: 'replace', start: tracks.indexOf(node.track) });
    const node = el('li', {}, el('button', { class: 'cover ctl', 'aria-label': t('playFrom'), title: t('playFrom'), onclick: from }, art, icon('play')),
      el('span', { class: 'words' }, el('b', {}, foreign(track.title)), el('span', {}, foreign(dotted(track.artist, track.album)))),
      el('span', { class: 'time', text: track.seconds ? clock(track.seconds) : '' }), el('span', { class: 'moves ctl' }, up, down),
      button('close', t('remove'), () => remove(node.track), 'minor ctl'), el('span', { class: 'grip ctl', 'aria-hidden': 'true' }, icon('grip')));
    return node;
  };

  // Keys: Alt and an arrow move the row, Delete removes it.
  list.addEventListener('keydown', (event) => {
    const node = document.activeElement?.closest('li');
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const { track } = /** @type {any} */ (node ?? {});
    if (!track || state.player?.access === 'view' || !(event.altKey && step || event.key === 'Delete')) return;
    if (step) move(track, tracks.indexOf(track) + step, document.activeElement);
    else remove(track);
    event.preventDefault();
    event.stopPropagation();
  });

  // Dragging, by the grip.
  list.addEventListener('pointerdown', (event) => {
    const target = event.target instanceof Element ? event.target : list;
    /** @type {any} */
    const node = target.closest('.grip')?.closest('li');
    if (!node || event.button || !usable()) return;
    event.preventDefault();
    const { clientY: began } = event;
    const [from, scrolled, height] = [tracks.indexOf(node.track), scrollY, node.offsetHeight];
    let to = from;
    const watch = new AbortController();
    const on = (name, act) => addEventListener(name, act, { signal: watch.signal });
    const finish = (drop) => {
      watch.abort();
      list.classList.remove('dragging');
      node.classList.remove('dragged');
      for (const other of list.children) other.style.removeProperty('--y');
      if (drop) move(node.track, to);
    };
    list.classList.add('dragging');
    node.classList.add('dragged');
    on('pointermove', ({ clientY }) => {
      if (clientY < 90 || clientY > innerHeight - 90) scrollBy(0, clientY < 90 ? -12 : 12);
      const way = clientY - began + scrollY - scrolled;
      to = Math.max(0, Math.min(tracks.length - 1, from + Math.round(way / height)));
      for (const [index, other] of [...list.children].entries()) {
        const aside = index > from && index <= to ? -height : index < from && index >= to ? height : 0;
        other.style.setProperty('--y', `${other === node ? way : aside}px`);
      }
    });
    on('pointerup', () => finish(true));
    on('pointercancel', () => finish(false));
    on('keydown', (pressed) => pressed.key === 'Escape' && finish(false));
  });

  /** What follows #/playlists in the address: the id of one. */
  part.visit = ([chosen]) => {
    id = Number(chosen) || 0;
    [tracks, version, turn, loads] = [[], '', turn + 1, false];
    list.replaceChildren();
    delete list.kept;
    show();
  };

  const near = new IntersectionObserver((seen) => seen.some((entry) => entry.isIntersecting) && more(), { rootMargin: '800px' });
  near.observe(end);
  part.onleave(() => near.disconnect());
  part.onleave(follow('playlists link', show));
});
