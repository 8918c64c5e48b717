// @ts-check
// The library: media servers, their folders, search, and the menu that plays what is found here or elsewhere.
import { ago, artwork, attribute, button, clock, define, dotted, el, empty, foreign, icon, listOf, logo, memory, patch, press, remember, say, sheet, t, wide } from './core.js';
import { ask, fail, follow, isGuest, play, Problem, searchAgain, setWhere, state, usable, where } from './store.js';
import { keep } from './pins.js';

const address = (udn, id) => `#/library/${encodeURIComponent(udn)}${id ? `/${encodeURIComponent(id)}` : ''}`;
const serverList = '#/library/servers';

define('menu', () => {});

/** The choice of a renderer, as a group of radio buttons. */
export function whereChoice() {
  const part = el('vireo-menu');
  const legend = el('legend', { text: t('where') });
  const group = el('fieldset', { class: 'choice' });
  part.append(group);
  part.onleave(follow('renderers where', () => {
    const chosen = where();
    const others = (state.renderers?.renderers ?? []).filter((one) => !one.isSelf && one.isThere);
    if (chosen && !others.some((one) => one.udn === chosen.udn)) others.push({ ...chosen, model: t('notFound') });
    patch(group, [undefined, ...others], (one) => one?.udn, (one) => {
      const input = el('input', { type: 'radio', name: 'where', onchange: () => setWhere(one && { udn: one.udn, name: one.name }) });
      return el('label', {}, input, icon('rooms'), el('span', { class: 'words' }, foreign(one ? one.name : state.player?.name), el('small', {}, foreign(one ? one.model : t('thisSpeaker')))));
    }, (node, one) => { node.querySelector('input').checked = chosen?.udn === one?.udn; });
    group.prepend(legend);
  }));
  return part;
}

/** The play menu: where, and how; and what keeps it as a favourite. */
function playMenu(items, title, art) {
  const how = (name, picture, words) => wide(picture, t(words), () => {
    dialog.close();
    play(items, name, title);
  }, 'how');
  const dialog = sheet(foreign(title), whereChoice(), el('div', { class: 'hows', role: 'group', 'aria-label': t('how') },
    how('now', 'play', 'playNow'), how('next', 'after', 'playNext'), how('end', 'end', 'atEnd'), how('replace', 'replace', 'replace')),
    wide('playlist', t('addToPlaylist'), async () => { dialog.close(); (await import('./keep.js')).addTo({ items }, title); }, 'how ctl'),
    wide('star', t('keep'), () => {
      dialog.close();
      keep({ ...items[0], title, ...(art ? { art } : {}) }, title);
    }, 'how'));
}

define('library', (part) => {
  let [udn, folder, words, kind] = ['', '', '', ''];
  let [turn, busy, broken] = [0, false, false];
  /** What of the folder is here. @type {API.MediaObjects | undefined} */
  let content;
  const started = performance.now();
  const server = () => state.servers?.servers.find((one) => one.udn === udn);
  const searches = () => !!words && (server()?.canSearch ?? true);

  const head = el('h1', { tabindex: '-1' });
  const crumbs = el('nav', { class: 'crumbs', 'aria-label': t('path') });
  const field = el('input', { type: 'search', 'aria-label': t('search'), placeholder: t('search'), autocomplete: 'off', spellcheck: 'false', maxlength: 256 });
  const kinds = el('div', { class: 'chips', role: 'group', 'aria-label': t('kind') }, ...['', 'track', 'album', 'artist'].map((name) =>
    el('button', { class: 'chip', 'data-kind': name, text: t(`kind_${name || 'all'}`), onclick: () => { kind = name; find(); } })));
  const search = el('div', { class: 'search' }, el('label', { class: 'field' }, icon('search'), field), kinds);
  const note = el('p', { class: 'note', role: 'status' });
  const album = el('div', { class: 'album-head' });
  const trouble = el('div', { class: 'trouble', role: 'status' });
  const none = el('div', { role: 'status' });
  const servers = listOf(t('servers'), 'cards');
  const phone = el('a', { class: 'card ctl', href: '#/uploads' }, logo('phone'), el('span', { class: 'words' }, el('b', { text: t('fromPhone') }), el('small', { text: t('fromPhoneMore') })), icon('right'));
  const list = listOf(t('library'), 'rows');
  const end = el('div', { class: 'end' });
  const lists = el('p', { class: 'tools' }, el('a', { class: 'wide', href: '#/playlists' }, icon('playlist'), el('span', { text: t('playlists') })));
  part.replaceChildren(crumbs, el('div', { class: 'screen-head' }, head), lists, search, album, note, phone, none, servers, list, trouble, end);

  /** The list of servers, or why there is none. */
  const showServers = () => {
    servers.hidden = none.hidden = lists.hidden = !!udn;
    phone.hidden = !!udn || !state.player?.uploads;
    if (udn) return;
    say(head, t('servers'));
    const found = state.servers?.servers ?? [];
    patch(servers, found, (one) => one.udn, (one) => el('li', {}, el('a', { class: 'card', href: address(one.udn) }, logo('server', one.icon),
      el('span', { class: 'words' }, el('b', {}, foreign(one.name)), el('span', {}, foreign(one.model)), el('small')), icon('right'))),
    (node, one) => {
      say(node.querySelector('small'), t(one.isThere ? 'lastSeen' : 'goneSince', { when: ago(one.seen) }));
      node.classList.toggle('gone', !one.isThere);
    });
    const isLate = performance.now() - started > 1200;
    const why = found.length || (!state.servers && !isLate) ? '' : state.servers?.problem || t('noServerMore');
    if (none.dataset.why === why) return;
    none.dataset.why = why;
    none.replaceChildren(...(why ? [empty('server', t('noServer'), why,
      el('p', { class: 'looking busy' }, icon('search'), t('keepsLooking')), wide('replace', t('searchAgain'), searchAgain, 'ctl'))] : []));
  };

  const showPath = () => {
    const name = server()?.name ?? '…';
    head.replaceChildren(foreign(searches() ? t('results', { q: words }) : folder ? content?.title ?? '…' : name));
    attribute(list, 'aria-label', head.textContent);
    const step = (href, title) => el('li', {}, el('a', { href }, foreign(title)));
    crumbs.replaceChildren(listOf(undefined, '', 'ol', step(serverList, t('servers')), folder || words ? step(address(udn), name) : null,
      ...(content?.path ?? []).filter((one) => one.id !== '0' && one.id !== folder).map((one) => step(address(udn, one.id), one.title))));
  };

  /** Shows the folder, or the search, from its beginning. */
  const load = () => {
    turn++;
    busy = broken = false;
    content = undefined;
    list.replaceChildren();
    delete list.kept;
    album.replaceChildren();
    crumbs.replaceChildren();
    say(note, '');
    trouble.hidden = true;
    search.hidden = list.hidden = !udn;
    kinds.hidden = !searches();
    showServers();
    if (!udn) return;
    showPath();
    more();
  };

  /** Searches on the server, or filters what is here. */
  const find = () => {
    words = field.value.trim();
    for (const chip of kinds.querySelectorAll('button')) press(chip, chip.dataset.kind === kind);
    if (server()?.canSearch === false) show();
    else load();
  };

  /** The next fifty. */
  const more = async () => {
    if (!udn || busy || broken || content?.isEnd) return;
    const mine = turn;
    const isSearch = searches();
    busy = true;
    const query = new URLSearchParams({ start: String(content?.objects.length ?? 0), count: '50' });
    if (isSearch) query.set('q', words);
    if (isSearch && kind) query.set('kind', kind);
    if (!isSearch && folder) query.set('id', folder);
    try {
      const { value } = await ask('GET', `servers/${encodeURIComponent(udn)}/${isSearch ? 'search' : 'objects'}?${query}`);
      if (mine !== turn) return;
      value.isEnd ||= !value.objects.length;
      content = { ...content, ...value, objects: [...content?.objects ?? [], ...value.objects] };
    } catch (problem) {
      if (mine !== turn) return;
      const one = server();
      if (one && isSearch && problem instanceof Problem && problem.status === 409) {
        // No search after all: the folder is filtered.
        one.canSearch = false;
        return load();
      }
      // What is here stays.
      broken = true;
      const detail = problem instanceof Problem && problem.status === 404 ? problem.message : t('serverSilent');
      trouble.replaceChildren(icon('warning'), el('div', {}, el('p', { text: detail }), el('p', { class: 'row' },
        wide('replace', t('tryAgain'), () => { trouble.hidden = true; broken = false; more(); }),
        el('a', { class: 'wide', href: serverList }, icon('server'), t('servers')))));
      trouble.hidden = false;
    } finally {
      if (mine === turn) busy = false;
    }
    show();
    // While the end is still near, the observer says nothing more.
    if (end.getBoundingClientRect().top < innerHeight + 800) more();
  };

  const show = () => {
    showPath();
    if (!content) return;
    const isSearch = searches();
    const needle = isSearch ? '' : words.toLocaleLowerCase();
    const fits = (one) => [one.title, one.artist, one.album].some((text) => text?.toLocaleLowerCase().includes(needle));
    const objects = needle ? content.objects.filter(fits) : content.objects;
    list.classList.toggle('tiles', objects.length > 1 && objects.every((one) => one.kind === 'album' || one.kind === 'artist') && objects.some((one) => one.art));
    patch(list, objects, (one) => one, row);
    if (!isSearch && folder && !album.firstChild && content.objects.some((one) => one.kind === 'track')) showAlbum(content.objects[0]);
    say(note, needle ? t('filterOnly') : content.isEnd && !objects.length ? t(isSearch ? 'nothingFound' : 'folderEmpty') : '');
  };

  /** The head of a folder with tracks: picture, names, and how to play all of it. @param {API.MediaObject} first */
  const showAlbum = (first) => {
    const { title = first.album ?? '', objects, isEnd, total } = content;
    const same = (key) => objects.every((one) => one[key] === first[key]) ? first[key] : '';
    const items = [{ server: udn, object: folder }];
    const cover = artwork();
    cover.show(first.art, title);
    const count = total ?? (isEnd ? objects.length : 0);
    const seconds = isEnd ? objects.reduce((sum, one) => sum + (one.seconds ?? 0), 0) : 0;
    album.replaceChildren(cover, el('div', { class: 'words' }, el('p', { class: 'artist' }, foreign(same('artist') || (same('album') ? t('various') : ''))),
      el('p', { class: 'sum', text: dotted(count && t('tracks', { n: count }), seconds && clock(seconds)) }),
      el('p', { class: 'row ctl' }, wide('play', t('playAll'), () => play(items, 'replace', title), 'main'), wide('end', t('addAll'), () => play(items, 'end', title)),
        button('more', t('moreOf', { title }), () => playMenu(items, title, first.art)))));
  };

  /** @param {API.MediaObject} one */
  const row = (one) => {
    const { title, album } = one;
    const isTrack = one.kind === 'track' || one.kind === 'other';
    const items = [{ server: udn, object: one.id }];
    const art = artwork();
    art.show(one.art, title + (album ?? ''));
    if (!one.art) art.className = 'badge', art.replaceChildren(icon(one.kind === 'other' ? 'track' : one.kind));
    const details = [one.artist, !isTrack ? one.count !== undefined && t('items', { n: one.count }) : album !== content.title && album];
    const what = [art, el('span', { class: 'words' }, el('b', {}, foreign(title)), el('span', {}, foreign(details.filter(Boolean).join(' · '))))];
    const menu = (name) => button('more', name, () => playMenu(items, title, one.art), 'minor ctl', { 'aria-haspopup': 'dialog' });
    if (!isTrack) return el('li', { class: 'folder' }, el('a', { class: 'what', href: address(udn, one.id) }, ...what), menu(t('moreOf', { title })), icon('right'));
    if (!one.isPlayable) return el('li', { class: 'gone' }, el('span', { class: 'what' }, ...what), el('small', { text: t('notPlayable') }));
    if (isGuest()) {
      const want = (how) => async () => (await import('./party.js'))[how](items[0], title);
      return el('li', {}, el('button', { class: 'what', onclick: want('choose') }, ...what), button('add', t('request'), want('request'), 'minor'));
    }
    return el('li', {}, el('button', { class: 'what', onclick: () => usable() && state.player?.access !== 'view' && play(items, 'now', title) }, ...what),
      el('span', { class: 'time', text: one.seconds ? clock(one.seconds) : '' }), button('add', t('addToQueue'), () => play(items, 'end', title), 'minor ctl'), menu(t('more')));
  };

  /** What follows #/library in the address: a server and a folder, or `servers`; nothing for where one was last. */
  part.visit = ([one, id]) => {
    const last = memory.library;
    if (!one && last && !state.servers) {
      // Wait until it is known whether that server is there.
      const stop = follow('servers', () => {
        if (!state.servers) return;
        setTimeout(() => stop());
        if (part.isConnected && location.hash === '#/library') part.visit([]);
      });
    } else if (!one && last && state.servers.servers.some((other) => other.udn === last.udn && other.isThere)) {
      return location.replace(address(last.udn, last.id));
    }
    udn = one && one !== 'servers' ? one : '';
    folder = id ?? '';
    words = kind = field.value = '';
    if (udn) remember({ library: { udn, id: folder } });
    load();
  };

  let timer = 0;
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(find, server()?.canSearch === false ? 50 : 300);
  });
  const near = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && more(), { rootMargin: '800px' });
  near.observe(end);
  const tick = setInterval(showServers, 1300);
  part.onleave(() => { near.disconnect(); clearInterval(tick); });
  part.onleave(follow('servers link', () => { if (udn) showPath(); else showServers(); }));
});
