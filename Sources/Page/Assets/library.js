// @ts-check
// The library: media servers, their folders, search, and the menu that plays what is found here or elsewhere.
import { ago, artwork, attribute, button, clock, el, empty, foreign, icon, memory, Part, patch, remember, say, sheet, t, wide } from './core.js';
import { ask, fail, follow, play, Problem, setWhere, state, usable, where } from './store.js';

const pictures = { folder: 'folder', album: 'album', artist: 'artist', playlist: 'playlist', track: 'track', other: 'track' };

/** @param {string} udn @param {string} [id] */
const address = (udn, id) => `#/library/${encodeURIComponent(udn)}${id ? `/${encodeURIComponent(id)}` : ''}`;

/** The choice of a renderer, as a group of radio buttons. @param {Part} part */
function whereChoice(part) {
  const group = el('fieldset', { class: 'choice' }, el('legend', { text: t('where') }));
  part.onleave(follow('renderers where', () => {
    const chosen = where();
    const others = (state.renderers?.renderers ?? []).filter((one) => !one.isSelf && one.isThere);
    if (chosen && !others.some((one) => one.udn === chosen.udn)) others.push({ ...chosen, model: t('notFound'), kind: 'av', isSelf: false, seen: 0, isThere: false });
    patch(group, [undefined, ...others], (one) => one?.udn ?? '', (one) => {
      const input = el('input', { type: 'radio', name: 'where', onchange: () => setWhere(one && { udn: one.udn, name: one.name }) });
      return el('label', {}, input, icon('rooms'), el('span', { class: 'words' }, foreign(one ? one.name : state.player?.name), el('small', {}, one ? foreign(one.model) : t('thisSpeaker'))));
    }, (node, one) => { node.querySelector('input').checked = (chosen?.udn ?? '') === (one?.udn ?? ''); });
    const legend = group.querySelector('legend');
    if (legend) group.prepend(legend);
  }));
  return group;
}

/** The play menu: where, and how. @param {any[]} items @param {string} title */
function playMenu(items, title) {
  const holder = /** @type {Part} */ (document.createElement('vireo-menu'));
  const how = (/** @type {string} */ name, /** @type {string} */ picture) => wide(picture, t(name === 'end' ? 'atEnd' : name === 'now' ? 'playNow' : name === 'next' ? 'playNext' : 'replace'), () => {
    dialog.close();
    play(items, name, title);
  }, { class: 'wide how' });
  holder.append(whereChoice(holder), el('div', { class: 'hows', role: 'group', 'aria-label': t('how') }, how('now', 'play'), how('next', 'after'), how('end', 'end'), how('replace', 'replace')));
  const dialog = sheet(foreign(title), holder);
}
customElements.define('vireo-menu', class extends Part {});

/** A folder's content so far. @typedef {{ objects: API.MediaObject[], total?: number, isEnd: boolean, title?: string, path?: API.PathStep[] }} Content */

class Library extends Part {
  connectedCallback() {
    this.udn = '';
    this.folder = '';
    this.words = '';
    this.kind = '';
    this.turn = 0;
    this.busy = false;
    this.shown = 0;
    this.content = /** @type {Content | undefined} */ (undefined);
    this.started = performance.now();
    const head = this.head = el('h1', { tabindex: '-1', text: t('library') });
    this.crumbs = el('nav', { class: 'crumbs', 'aria-label': t('path') });
    this.here = el('button', { type: 'button', class: 'chip ctl', onclick: () => { const part = /** @type {Part} */ (document.createElement('vireo-menu')); part.append(whereChoice(part)); sheet(t('playsOn'), part); } }, icon('rooms'), el('span'));
    this.search = el('input', { type: 'search', 'aria-label': t('search'), placeholder: t('search'), autocomplete: 'off', spellcheck: 'false', maxlength: '256' });
    this.kinds = el('div', { class: 'chips', role: 'group', 'aria-label': t('kind') }, ...['', 'track', 'album', 'artist'].map((kind) => el('button', { type: 'button', class: 'chip', 'data-kind': kind, text: t(`kind_${kind || 'all'}`), onclick: () => { this.kind = kind; this.find(); } })));
    this.note = el('p', { class: 'note', role: 'status' });
    this.album = el('div', { class: 'album-head' });
    this.cover = artwork();
    this.trouble = el('div', { class: 'trouble', role: 'status', hidden: true });
    this.servers = el('ul', { class: 'cards', 'aria-label': t('servers'), role: 'list' });
    this.none = el('div', { role: 'status' });
    this.list = el('ul', { class: 'rows', role: 'list' });
    this.end = el('div', { class: 'end' });
    const field = el('label', { class: 'field' }, icon('search'), this.search);
    this.field = el('div', { class: 'search', hidden: true }, field, this.kinds);
    this.replaceChildren(el('div', { class: 'screen-head' }, el('div', {}, this.crumbs, head), this.here), this.field, this.album, this.note, this.trouble, this.none, this.servers, this.list, this.end);
    let timer = 0;
    this.search.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.find(), this.server()?.canSearch ? 300 : 60);
    });
    const near = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && this.more(), { rootMargin: '800px' });
    near.observe(this.end);
    this.onleave(() => near.disconnect());
    this.onleave(follow('servers link', () => this.showServers()));
    this.onleave(follow('renderers where player', () => {
      const label = this.here?.querySelector('span');
      if (label) label.replaceChildren(foreign(t('on', { name: where()?.name ?? state.player?.name ?? '' })));
    }));
    const tick = setInterval(() => this.showServers(), 5000);
    const soon = setTimeout(() => this.showServers(), 1300);
    this.onleave(() => { clearInterval(tick); clearTimeout(soon); });
  }

  server() {
    return state.servers?.servers.find((one) => one.udn === this.udn);
  }

  /** @param {string[]} rest what follows #/library in the address: a server and a folder, or `servers` */
  visit([udn, id]) {
    const last = memory.library;
    if (!udn && last && state.servers === undefined) {
      // Wait until it is known whether that server is there.
      const stop = follow('servers', () => {
        if (!state.servers) return;
        setTimeout(() => stop());
        if (this.isConnected && location.hash === '#/library') this.visit([]);
      });
      return;
    }
    if (!udn && last && state.servers?.servers.some((one) => one.udn === last.udn && one.isThere)) {
      return void location.replace(address(last.udn, last.id));
    }
    this.udn = udn && udn !== 'servers' ? udn : '';
    this.folder = id ?? '';
    this.words = this.kind = '';
    if (this.search) this.search.value = '';
    if (this.udn) remember({ library: { udn: this.udn, id: this.folder } });
    this.load();
  }

  /** The list of servers, or why there is none. */
  showServers() {
    const { servers, none, head } = this;
    if (!servers || !none || !head) return;
    const isList = !this.udn;
    servers.hidden = !isList;
    none.hidden = !isList;
    if (!isList) return;
    say(head, t('servers'));
    const found = state.servers?.servers ?? [];
    patch(servers, found, (one) => one.udn, (one) => {
      const name = el('b');
      const model = el('span');
      const seen = el('small');
      const art = el('span', { class: 'badge' }, icon('server'));
      const node = el('li', {}, el('a', { class: 'card', href: address(one.udn) }, art, el('span', { class: 'words' }, name, model, seen), icon('right')));
      return Object.assign(node, { parts: { name, model, seen, art } });
    }, (node, one) => {
      const age = one.seen + (performance.now() - (this.started ?? 0)) / 1e9;
      node.parts.name.replaceChildren(foreign(one.name));
      node.parts.model.replaceChildren(foreign(one.model));
      say(node.parts.seen, t(one.isThere ? 'lastSeen' : 'goneSince', { when: ago(age) }));
      node.classList.toggle('gone', !one.isThere);
      if (one.icon?.startsWith('/art/') && !node.parts.art.querySelector('img')) {
        const image = el('img', { alt: '', src: one.icon });
        image.addEventListener('error', () => image.remove());
        node.parts.art.append(image);
      }
    });
    const late = performance.now() - (this.started ?? 0) > 1200;
    const key = found.length || (!state.servers && !late) ? '' : `${state.servers?.problem}${state.servers?.isSearching}`;
    if (none.dataset.key === key) return;
    none.dataset.key = key;
    if (!key) return void none.replaceChildren();
    const again = wide('replace', t('searchAgain'), async () => {
      await ask('POST', 'servers/search').catch(fail);
    }, { class: 'wide ctl' });
    none.replaceChildren(empty('server', t('noServer'), state.servers?.problem ?? t('noServerMore'),
      el('p', { class: 'looking' }, el('i', { class: 'dots', 'aria-hidden': 'true' }, el('i'), el('i'), el('i')), el('span', { text: t('keepsLooking') })), el('p', { class: 'row' }, again)));
  }

  /** Shows the folder of the address from its beginning. */
  load() {
    this.turn = (this.turn ?? 0) + 1;
    this.busy = false;
    this.shown = 0;
    this.content = undefined;
    const { list, crumbs, head, album, note, trouble, field, kinds } = this;
    if (!list || !crumbs || !head || !album || !note || !trouble || !field || !kinds) return;
    patch(list, [], () => '', () => el('li'));
    album.replaceChildren();
    trouble.hidden = true;
    say(note, '');
    field.hidden = !this.udn;
    kinds.hidden = true;
    list.hidden = !this.udn;
    crumbs.replaceChildren();
    this.showServers();
    if (!this.udn) return;
    this.showPath();
    this.more();
  }

  showPath() {
    const { content, crumbs, head } = this;
    if (!crumbs || !head) return;
    const name = this.server()?.name ?? '';
    head.replaceChildren(foreign(this.words ? t('results', { q: this.words }) : this.folder ? content?.title ?? '…' : name || content?.title || '…'));
    attribute(this.list ?? head, 'aria-label', head.textContent || t('library'));
    const step = (/** @type {string} */ href, /** @type {string} */ title) => el('li', {}, el('a', { href }, foreign(title)));
    const above = (content?.path ?? []).filter((one) => one.id !== '0' && one.id !== this.folder);
    crumbs.replaceChildren(el('ol', { role: 'list' }, step('#/library/servers', t('servers')),
      this.folder || this.words ? step(address(this.udn ?? ''), name || '…') : null,
      ...above.map((one) => step(address(this.udn ?? '', one.id), one.title))));
  }

  /** Searches on the server, or filters what is here. */
  find() {
    this.words = this.search?.value.trim() ?? '';
    const server = this.server();
    if (server && !server.canSearch) {
      if (this.note) say(this.note, this.words ? t('filterOnly') : '');
      return this.show();
    }
    for (const chip of this.kinds?.children ?? []) attribute(chip, 'aria-pressed', String(/** @type {HTMLElement} */ (chip).dataset.kind === this.kind));
    const words = this.words;
    this.load();
    this.words = words;
    if (this.kinds) this.kinds.hidden = !words;
  }

  /** The next fifty. */
  async more() {
    const { content, udn, words } = this;
    if (!udn || this.busy || content?.isEnd || this.trouble?.hidden === false) return;
    const turn = this.turn;
    this.busy = true;
    this.end?.classList.add('busy');
    const server = this.server();
    const query = new URLSearchParams({ start: String(content?.objects.length ?? 0), count: '50' });
    if (words && (server?.canSearch ?? true)) {
      query.set('q', words);
      if (this.kind) query.set('kind', this.kind);
    } else if (this.folder) query.set('id', this.folder);
    try {
      const { value } = await ask('GET', `servers/${encodeURIComponent(udn)}/${query.has('q') ? 'search' : 'objects'}?${query}`);
      if (turn !== this.turn) return;
      const objects = [...content?.objects ?? [], ...value.objects];
      this.content = { ...value, title: value.title ?? content?.title, path: value.path ?? content?.path, objects, isEnd: value.isEnd || !value.objects.length };
    } catch (problem) {
      if (turn !== this.turn) return;
      if (problem instanceof Problem && problem.status === 409 && query.has('q')) {
        // No search after all: filter what the folder has.
        if (server) server.canSearch = false;
        this.words = '';
        this.load();
        this.words = words ?? '';
        if (this.note) say(this.note, t('filterOnly'));
        return;
      }
      this.gone(problem);
    } finally {
      if (turn === this.turn) {
        this.busy = false;
        this.end?.classList.remove('busy');
      }
    }
    this.show();
    // While the end is still near, the observer says nothing more.
    if (this.end && this.end.getBoundingClientRect().top < innerHeight + 800) this.more();
  }

  /** The server doesn't answer: what is here stays. @param {unknown} problem */
  gone(problem) {
    const { trouble } = this;
    if (!trouble) return;
    const detail = problem instanceof Problem && problem.status === 404 ? problem.message : t('serverSilent');
    trouble.replaceChildren(icon('warning'), el('div', {}, el('p', { text: detail }),
      el('p', { class: 'row' }, wide('replace', t('again'), () => { trouble.hidden = true; this.more(); }),
        el('a', { class: 'wide', href: '#/library/servers' }, icon('server'), el('span', { text: t('servers') })))));
    trouble.hidden = false;
  }

  show() {
    const { content, list, album, note, words } = this;
    if (!list || !album || !note) return;
    this.showPath();
    if (!content) return;
    const isSearch = !!words && (this.server()?.canSearch ?? true);
    const needle = isSearch || !words ? '' : words.toLocaleLowerCase();
    const objects = needle ? content.objects.filter((one) => [one.title, one.artist, one.album].some((text) => text?.toLocaleLowerCase().includes(needle))) : content.objects;
    list.classList.toggle('tiles', objects.length > 1 && objects.every((one) => one.kind === 'album' || one.kind === 'artist') && objects.some((one) => one.art));
    patch(list, objects.map((one, index) => ({ one, index })), ({ one, index }) => `${one.id} ${index}`, ({ one }) => this.row(one));
    const first = content.objects[0];
    const tracks = content.objects.filter((one) => one.kind === 'track');
    if (!isSearch && tracks.length && !album.firstChild && this.folder) this.showAlbum(first);
    if (needle) say(note, t('filterOnly'));
    else if (content.isEnd && !objects.length) say(note, t(isSearch ? 'nothingFound' : 'folderEmpty'));
    else say(note, '');
  }

  /** The head of a folder with tracks: picture, names, and how to play all of it. @param {API.MediaObject} first */
  showAlbum(first) {
    const { album, content, cover } = this;
    if (!album || !content || !cover) return;
    const title = content.title ?? first.album ?? '';
    const same = (/** @type {'artist' | 'album'} */ key) => content.objects.every((one) => one[key] === first[key]) ? first[key] : '';
    const items = [{ server: this.udn, object: this.folder }];
    cover.show(first.art, title + (first.album ?? ''));
    const count = content.total ?? (content.isEnd ? content.objects.length : 0);
    const seconds = content.isEnd ? content.objects.reduce((sum, one) => sum + (one.seconds ?? 0), 0) : 0;
    album.replaceChildren(cover, el('div', { class: 'words' },
      el('p', { class: 'artist' }, foreign(same('artist') || (same('album') ? t('various') : ''))),
      el('p', { class: 'sum', text: [count ? t('tracks', { n: count }) : '', seconds ? clock(seconds) : ''].filter(Boolean).join(' · ') }),
      el('p', { class: 'row ctl' }, wide('play', t('playAll'), () => play(items, 'replace', title), { class: 'wide main' }),
        wide('end', t('addAll'), () => play(items, 'end', title)), button('more', t('moreOf', { title }), () => playMenu(items, title)))));
  }

  /** @param {API.MediaObject} one */
  row(one) {
    const isTrack = one.kind === 'track' || one.kind === 'other';
    const items = [{ server: this.udn, object: one.id }];
    const art = artwork();
    art.show(one.art, one.title + (one.album ?? ''));
    if (!one.art) art.replaceChildren(icon(pictures[one.kind] ?? 'folder'));
    const details = isTrack ? [one.artist, one.album !== this.content?.title ? one.album : ''] : [one.artist, one.count === undefined ? '' : t('items', { n: one.count })];
    const words = el('span', { class: 'words' }, el('b', {}, foreign(one.title)), el('span', {}, foreign(details.filter(Boolean).join(' · '))));
    if (!isTrack) {
      return el('li', { class: 'folder' }, el('a', { class: 'what', href: address(this.udn ?? '', one.id) }, art, words),
        button('more', t('moreOf', { title: one.title }), () => playMenu(items, one.title), { class: 'round minor ctl' }), icon('right'));
    }
    const time = el('span', { class: 'time', text: one.seconds ? clock(one.seconds) : '' });
    if (!one.isPlayable) return el('li', { class: 'gone', title: t('notPlayable') }, el('span', { class: 'what' }, art, words), el('small', { text: t('notPlayable') }));
    const tap = el('button', { type: 'button', class: 'what', onclick: () => usable() && state.player?.access !== 'view' && play(items, 'now', one.title) }, art, words);
    return el('li', {}, tap, time, button('add', t('addToQueue'), () => play(items, 'end', one.title), { class: 'round minor ctl' }),
      button('more', t('more'), () => playMenu(items, one.title), { class: 'round minor ctl', 'aria-haspopup': 'dialog' }));
  }
}
customElements.define('vireo-library', Library);
