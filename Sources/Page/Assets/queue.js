// @ts-check
// The queue: ids come with the state, tracks are fetched for what is seen, and only rows near the window exist.
import { announce, artwork, attribute, button, clock, el, empty, foreign, icon, Part, say, spoken, t, wide } from './core.js';
import { ask, edit, fail, follow, state, tellPlayer, undo, usable } from './store.js';

/** Tracks that were fetched. @type {Map<number, API.Track>} */
const known = new Map();
/** @type {Set<number>} */
const asked = new Set();
/** Up to so many rows exist all at once. */
const few = 120;

/** @param {number[]} ids @param {() => void} done */
async function fetchTracks(ids, done) {
  const missing = ids.filter((id) => !known.has(id) && !asked.has(id));
  for (let first = 0; first < missing.length; first += 100) {
    const some = missing.slice(first, first + 100);
    for (const id of some) asked.add(id);
    try {
      const { value } = await ask('GET', `queue/tracks?ids=${some.join(',')}`);
      for (const track of value.tracks) known.set(track.id, track);
      done();
    } catch (problem) {
      fail(problem);
    }
    for (const id of some) asked.delete(id);
  }
}

/** @param {number[]} ids @param {number} after */
const move = (ids, after) => edit('POST', 'queue/move', { ids, after });

/** The list itself, on its screen and beside the others. */
class Queue extends Part {
  connectedCallback() {
    const full = this.hasAttribute('full');
    this.ids = /** @type {number[]} */ ([]);
    this.chosen = /** @type {Set<number>} */ (new Set());
    this.rows = /** @type {Map<number, any>} */ (new Map());
    this.range = [0, 0];
    this.rowHeight = 0;
    this.selecting = false;
    const list = this.list = el('ol', { class: 'rows', 'aria-label': t('queue'), role: 'list' });
    this.sum = el('p', { class: 'sum' });
    const undoButton = wide('undo', t('undo'), undo, { class: 'wide ctl' });
    const select = wide('ok', t('select'), () => this.setSelecting(!this.selecting), { class: 'wide ctl' });
    const here = button('now', t('toCurrent'), () => this.showCurrent(true));
    const clear = wide('close', t('clear'), async () => await edit('DELETE', 'queue') && this.focusHead(), { class: 'wide ctl' });
    this.head = el('h1', { tabindex: '-1', text: t('queue') });
    this.tools = el('div', { class: 'tools' }, undoButton, full ? select : null, clear);
    const count = el('span', { class: 'sum' });
    const chosenAll = (/** @type {(ids: number[]) => Promise<boolean>} */ act) => async () => {
      const ids = this.ids.filter((id) => this.chosen.has(id));
      if (ids.length && await act(ids)) this.setSelecting(false);
    };
    this.picks = el('div', { class: 'picks ctl', role: 'group', 'aria-label': t('selected'), hidden: true }, count,
      wide('top', t('toTop'), chosenAll((ids) => move(ids, 0))),
      wide('after', t('playNext'), chosenAll((ids) => this.moveNext(ids))),
      wide('close', t('remove'), chosenAll((ids) => edit('POST', 'queue/remove', { ids }))),
      wide('', t('done'), () => this.setSelecting(false)));
    const none = this.none = empty('perch', t('queueEmpty'), t('queueEmptyMore'), el('p', { class: 'row' },
      el('a', { class: 'wide main', href: '#/library' }, icon('library'), el('span', { text: t('library') }))));
    this.replaceChildren(el('div', { class: 'screen-head' }, el('div', {}, this.head, this.sum), here), this.tools, this.picks, none, list);

    this.onleave(follow('queue link', () => {
      const queue = state.queue;
      if (!queue) return;
      this.ids = queue.ids;
      for (const id of this.chosen) if (!queue.ids.includes(id)) this.chosen.delete(id);
      say(count, t('nSelected', { n: this.chosen.size }));
      const known = new Set(queue.ids);
      for (const [id, row] of this.rows) if (!known.has(id)) { row.remove(); this.rows.delete(id); }
      none.hidden = queue.ids.length > 0;
      list.hidden = here.hidden = clear.hidden = select.hidden = !queue.ids.length;
      undoButton.hidden = !queue.undo;
      attribute(undoButton, 'title', queue.undo);
      clear.disabled = select.disabled = undoButton.disabled = !usable();
      say(this.sum, queue.ids.length ? t('tracks', { n: queue.ids.length }) + (queue.seconds ? ` · ${clock(queue.seconds)}` : '') : '');
      attribute(this.sum, 'aria-label', queue.ids.length ? `${t('tracks', { n: queue.ids.length })}, ${spoken(queue.seconds)}` : null);
      if (!this.dragging) this.draw();
    }));
    this.onleave(follow('player', () => this.mark()));
    const onscroll = () => { if (this.ids.length > few && !this.waiting) { this.waiting = true; requestAnimationFrame(() => { this.waiting = false; this.draw(); }); } };
    addEventListener('scroll', onscroll, { capture: true, passive: true });
    addEventListener('resize', onscroll);
    this.onleave(() => { removeEventListener('scroll', onscroll, { capture: true }); removeEventListener('resize', onscroll); });
    list.addEventListener('pointerdown', (event) => this.press(event));
    list.addEventListener('touchmove', (event) => this.dragging && event.preventDefault(), { passive: false });
    list.addEventListener('contextmenu', (event) => this.dragging && event.preventDefault());
    list.addEventListener('keydown', (event) => this.key(event));
    requestAnimationFrame(() => this.showCurrent(false));
  }

  focusHead() {
    this.head?.focus();
  }

  /** @param {boolean} on */
  setSelecting(on) {
    this.selecting = on;
    this.chosen?.clear();
    this.toggleAttribute('selecting', on);
    if (this.picks) this.picks.hidden = !on;
    if (this.tools) this.tools.hidden = on;
    this.mark();
    this.count();
  }

  count() {
    const count = this.picks?.querySelector('.sum');
    if (count) say(count, t('nSelected', { n: this.chosen?.size ?? 0 }));
  }

  /** Behind the present track. @param {number[]} ids */
  moveNext(ids) {
    const current = state.queue?.current ?? 0;
    return move(ids.filter((id) => id !== current), current);
  }

  /** Makes the rows that the window shows, and those near it. */
  draw() {
    const { list, ids } = this;
    if (!list || !ids || !this.rows) return;
    let [first, end] = [0, ids.length];
    if (ids.length > few) {
      this.rowHeight ||= parseFloat(getComputedStyle(document.documentElement).fontSize) * 4;
      const top = list.getBoundingClientRect().top;
      first = Math.max(0, Math.floor(-top / this.rowHeight) - 15);
      end = Math.min(ids.length, Math.ceil((innerHeight - top) / this.rowHeight) + 15);
      end = Math.max(end, Math.min(first + 40, ids.length));
      first = Math.max(0, Math.min(first, end - 40));
    }
    const focused = list.contains(document.activeElement) ? document.activeElement?.closest('li') : null;
    const shown = ids.slice(first, end);
    const keep = new Set(shown);
    for (const [id, row] of this.rows) {
      if (!keep.has(id) && row !== focused) { row.remove(); this.rows.delete(id); }
    }
    let place = list.firstElementChild;
    for (const id of shown) {
      let row = this.rows.get(id);
      if (!row) this.rows.set(id, row = this.row(id));
      if (row === place) place = place.nextElementSibling;
      else if (place === focused && row !== focused) list.insertBefore(row, place);
      else list.insertBefore(row, place);
    }
    this.range = [first, end];
    const row = list.querySelector('li');
    if (row?.offsetHeight) this.rowHeight = row.offsetHeight;
    list.style.setProperty('--above', ids.length > few ? `${first * this.rowHeight}px` : '0px');
    list.style.setProperty('--below', ids.length > few ? `${(ids.length - end) * this.rowHeight}px` : '0px');
    this.mark();
    fetchTracks(shown, () => this.isConnected && this.mark());
  }

  /** @param {number} id */
  row(id) {
    const art = artwork();
    const play = el('button', { type: 'button', class: 'cover ctl', 'aria-label': t('play'), title: t('play'), onclick: () => tellPlayer('POST', `queue/tracks/${id}/play`) }, art, icon('play'));
    const title = el('b');
    const detail = el('span');
    const time = el('span', { class: 'time' });
    const pick = el('input', { type: 'checkbox', class: 'pick', onchange: () => {
      if (pick.checked) this.chosen?.add(id);
      else this.chosen?.delete(id);
      this.count();
    } });
    const up = button('up', t('moveUp'), () => this.shift(id, -1, up), { class: 'small' });
    const down = button('down', t('moveDown'), () => this.shift(id, 1, down), { class: 'small' });
    const remove = button('close', t('remove'), () => this.remove_(id), { class: 'round minor ctl' });
    const row = el('li', { 'data-id': id }, pick, play, el('span', { class: 'words' }, title, detail), time,
      el('span', { class: 'moves ctl' }, up, down), remove, el('span', { class: 'grip ctl', 'aria-hidden': 'true' }, icon('grip')));
    const update = (/** @type {number} */ index) => {
      const track = known.get(id);
      const current = state.queue?.current === id;
      attribute(row, 'aria-setsize', String(this.ids?.length));
      attribute(row, 'aria-posinset', String(index + 1));
      attribute(row, 'aria-current', current ? 'true' : null);
      row.classList.toggle('plays', current && state.player?.state === 'playing');
      row.classList.toggle('past', index < (this.ids?.indexOf(state.queue?.current ?? 0) ?? 0));
      if (track && row.dataset.shown !== track.uri + track.title) {
        row.dataset.shown = track.uri + track.title;
        title.replaceChildren(foreign(track.title));
        detail.replaceChildren(foreign([track.artist, track.album].filter(Boolean).join(' · ')));
        say(time, track.seconds ? clock(track.seconds) : '');
        art.show(track.art, track.title + (track.album ?? ''));
        attribute(pick, 'aria-label', track.title);
      }
      pick.checked = !!this.chosen?.has(id);
      const off = !usable();
      up.disabled = off || index === 0;
      down.disabled = off || index === (this.ids?.length ?? 0) - 1;
      play.disabled = remove.disabled = off;
    };
    return Object.assign(row, { update });
  }

  /** Brings all rows up to date. */
  mark() {
    if (!this.rows) return;
    const [first] = this.range ?? [0];
    let index = first;
    for (const id of this.ids?.slice(...(this.range ?? [])) ?? []) this.rows.get(id)?.update(index++);
  }

  /** @param {number} id */
  async remove_(id) {
    const index = this.ids?.indexOf(id) ?? 0;
    if (!await edit('DELETE', `queue/tracks/${id}`)) return;
    // The focus goes to the row that took the place.
    const next = this.ids?.[index + 1] ?? this.ids?.[index - 1];
    setTimeout(() => {
      if (document.activeElement && document.activeElement !== document.body) return;
      const row = next === undefined ? undefined : this.rows?.get(next);
      if (row) row.querySelector('.cover').focus();
      else this.focusHead();
    }, 150);
  }

  /** One place up or down. @param {number} id @param {number} step @param {HTMLElement} focus */
  async shift(id, step, focus) {
    const ids = this.ids ?? [];
    const index = ids.indexOf(id);
    const to = index + step;
    if (to < 0 || to >= ids.length) return;
    if (await move([id], step < 0 ? ids[to - 1] ?? 0 : ids[to])) {
      announce(t('nowAt', { n: to + 1 }));
      setTimeout(() => {
        const row = this.rows?.get(id);
        row?.scrollIntoView({ block: 'nearest' });
        if (row && !row.contains(document.activeElement)) (row.contains(focus) && !(/** @type {any} */ (focus).disabled) ? focus : row.querySelector('.cover')).focus();
      }, 150);
    }
  }

  /** Alt and an arrow move the row, the arrows alone go to the next one, Delete removes. @param {KeyboardEvent} event */
  key(event) {
    const row = /** @type {HTMLElement} */ (event.target).closest('li');
    if (!row || event.ctrlKey || event.metaKey) return;
    const id = Number(row.dataset.id);
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    const focus = /** @type {HTMLElement} */ (document.activeElement);
    if (step && event.altKey) this.shift(id, step, focus);
    else if (step) {
      const other = /** @type {HTMLElement | null} */ (step < 0 ? row.previousElementSibling : row.nextElementSibling);
      const same = [...row.querySelectorAll('button, input')].indexOf(focus);
      /** @type {HTMLElement | undefined} */ (other?.querySelectorAll('button, input')[same])?.focus();
    } else if (event.key === 'Delete' && usable()) this.remove_(id);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {boolean} smooth */
  showCurrent(smooth) {
    const index = this.ids?.indexOf(state.queue?.current ?? 0) ?? -1;
    if (!this.list || index < 0 || (!smooth && index < 3)) return;
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches || Math.abs(index - (this.range?.[0] ?? 0)) > 60;
    const row = this.rows?.get(this.ids?.[index] ?? 0);
    if (row) return void row.scrollIntoView({ block: 'center', behavior: smooth && !calm ? 'smooth' : 'instant' });
    const box = this.closest('aside') ?? document.scrollingElement;
    const top = this.list.getBoundingClientRect().top - (this.closest('aside')?.getBoundingClientRect().top ?? 0);
    box?.scrollBy({ top: top + (index + 0.5) * (this.rowHeight ?? 64) - innerHeight / 2, behavior: 'instant' });
  }

  /** Dragging: by the grip at once, by touch anywhere on the row after a moment. @param {PointerEvent} event */
  press(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const row = target.closest('li');
    if (!row || !this.list || event.button || !usable() || state.player?.access === 'view' || this.dragging) return;
    const grip = !!target.closest('.grip');
    if (!grip && (event.pointerType !== 'touch' || target.closest('button, input'))) return;
    const list = this.list;
    const id = Number(row.dataset.id);
    const from = this.ids?.indexOf(id) ?? 0;
    let to = from;
    let y = event.clientY;
    const began = y;
    const scroller = this.closest('aside') ?? document.scrollingElement;
    const scrolled = scroller?.scrollTop ?? 0;
    let frame = 0;
    const height = row.offsetHeight;
    const offset = () => y - began + (scroller?.scrollTop ?? 0) - scrolled;
    const step = () => {
      const edge = 90;
      const speed = y < edge ? y - edge : y > innerHeight - edge ? y - innerHeight + edge : 0;
      if (speed) scroller?.scrollBy({ top: speed / 6, behavior: 'instant' });
      to = Math.max(0, Math.min((this.ids?.length ?? 1) - 1, from + Math.round(offset() / height)));
      row.style.setProperty('--y', `${offset()}px`);
      for (const [other, node] of this.rows ?? []) {
        if (other === id) continue;
        const index = this.ids?.indexOf(other) ?? 0;
        node.style.setProperty('--y', index > from && index <= to ? `${-height}px` : index < from && index >= to ? `${height}px` : '0px');
      }
      frame = requestAnimationFrame(step);
    };
    const begin = () => {
      this.dragging = true;
      row.classList.add('dragged');
      list.classList.add('dragging');
      try { row.setPointerCapture(event.pointerId); } catch { /* It was lifted already. */ }
      if (event.pointerType === 'touch') navigator.vibrate?.(10);
      step();
    };
    const timer = grip ? 0 : setTimeout(begin, 350);
    const end = (/** @type {boolean} */ drop) => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      for (const [name, handler] of handlers) removeEventListener(name, /** @type {any} */ (handler));
      if (!this.dragging) return;
      this.dragging = false;
      row.classList.remove('dragged');
      list.classList.remove('dragging');
      for (const node of this.rows?.values() ?? []) node.style.removeProperty('--y');
      const ids = this.ids ?? [];
      if (drop && to !== from) {
        const after = to > from ? ids[to] : ids[to - 1] ?? 0;
        // Shown at once; the speaker's answer is the truth.
        this.ids = ids.filter((one) => one !== id);
        this.ids.splice(to, 0, id);
        this.draw();
        move([id], after).then((done) => { if (!done) { this.ids = state.queue?.ids ?? []; this.draw(); } });
      } else {
        this.ids = state.queue?.ids ?? [];
        this.draw();
      }
    };
    /** @type {[string, (event: any) => void][]} */
    const handlers = [
      ['pointermove', (/** @type {PointerEvent} */ moved) => {
        y = moved.clientY;
        if (!this.dragging && Math.abs(y - began) > 8 && !grip) end(false);
      }],
      ['pointerup', () => end(true)],
      ['pointercancel', () => end(false)],
      ['keydown', (/** @type {KeyboardEvent} */ pressed) => pressed.key === 'Escape' && end(false)],
    ];
    for (const [name, handler] of handlers) addEventListener(name, handler);
    if (grip) { event.preventDefault(); begin(); }
  }
}
customElements.define('vireo-queue', Queue);
