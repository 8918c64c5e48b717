// @ts-check
// The queue: ids come with the state, tracks are fetched for what is seen, and only rows near the window exist.
import { announce, artwork, attribute, button, clock, define, dotted, el, empty, foreign, icon, listOf, say, spoken, t, wide } from './core.js';
import { ask, edit, follow, state, tellPlayer, undo, usable } from './store.js';

/** Tracks that were fetched, and ids that were asked for. @type {Map<number, API.Track>} */
const known = new Map();
const asked = new Set();
/** Up to so many rows exist all at once. */
const few = 120;

async function fetchTracks(ids, done) {
  const missing = ids.filter((id) => !known.has(id) && !asked.has(id));
  while (missing.length) {
    const some = missing.splice(0, 100);
    for (const id of some) asked.add(id);
    const answer = await ask('GET', `queue/tracks?ids=${some.join(',')}`).catch(() => undefined);
    for (const track of answer?.value.tracks ?? []) known.set(track.id, track);
    for (const id of some) asked.delete(id);
    if (answer) done();
  }
}

// The addresses of pictures are those of one run.
follow('restart', () => known.clear());

const move = (ids, after) => edit('POST', 'queue/move', { ids, after });

/** The list, on its screen and (without the attribute `full`) beside the others. */
define('queue', (part) => {
  const isFull = part.hasAttribute('full');
  /** @type {number[]} */
  let ids = [];
  const chosen = new Set();
  /** The rows that exist, by id. @type {Map<number, any>} */
  const rows = new Map();
  let [first, end] = [0, 0];
  let height = 64;
  let isDragging = false;
  let isWaiting = false;
  const scroller = (part.closest('aside') ?? document.scrollingElement);

  const head = el(isFull ? 'h1' : 'h2', { tabindex: '-1', text: t('queue') });
  const sum = el('p', { class: 'sum' });
  const count = el('span', { class: 'sum' });
  const list = listOf(t('queue'), 'rows', 'ol');
  const back = wide('undo', t('undo'), () => undo(state.queue?.token), 'ctl');
  const select = wide('ok', t('select'), () => choose(true), 'ctl');
  const clear = wide('close', t('clear'), async () => await edit('DELETE', 'queue') && head.focus(), 'ctl');
  const here = button('now', t('toCurrent'), () => showCurrent(true));
  const save = el('a', { class: 'wide', href: '/api/v1/queue/export', download: true }, icon('down'), t('save'));
  const lists = (act) => async () => act(await import('./keep.js'));
  const keep = wide('playlist', t('saveAsPlaylist'), lists((part) => part.saveQueue()), 'ctl');
  const tools = el('div', { class: 'tools' }, back, isFull && select, clear, isFull && keep, isFull && save,
    isFull && el('a', { class: 'wide', href: '#/party' }, icon('party'), t('party')));
  const withChosen = (act) => async () => {
    const some = ids.filter((id) => chosen.has(id));
    if (some.length && await act(some)) choose(false);
  };
  const picks = el('div', { class: 'picks ctl', role: 'group', 'aria-label': t('selected'), hidden: true }, count,
    wide('top', t('toTop'), withChosen((some) => move(some, 0))),
    wide('after', t('playNext'), withChosen((some) => move(some.filter((id) => id !== state.queue.current), state.queue.current))),
    wide('playlist', t('addToPlaylist'), lists((part) => chosen.size && part.addTo({ from: 'queue', ids: ids.filter((id) => chosen.has(id)) }, ''))),
    wide('close', t('remove'), withChosen((some) => edit('POST', 'queue/remove', { ids: some }))), wide('', t('done'), () => choose(false)));
  const none = empty('perch', t('queueEmpty'), t('queueEmptyMore'), isFull && el('a', { class: 'wide main', href: '#/library' }, icon('library'), t('library')));
  part.replaceChildren(el('div', { class: 'screen-head' }, el('div', {}, head, sum), here), tools, picks, none, list);

  const choose = (on) => {
    chosen.clear();
    part.toggleAttribute('selecting', on);
    picks.hidden = !on;
    tools.hidden = on;
    mark();
  };

  /** Makes the rows that the window shows, and those near it. */
  const draw = () => {
    [first, end] = [0, ids.length];
    if (ids.length > few) {
      const top = list.getBoundingClientRect().top;
      end = Math.min(ids.length, Math.max(40, Math.ceil((innerHeight - top) / height) + 15));
      first = Math.max(0, Math.min(Math.floor(-top / height) - 15, end - 40));
    }
    const focus = list.contains(document.activeElement) && document.activeElement;
    const shown = ids.slice(first, end);
    const keep = new Set(shown);
    for (const [id, row] of rows) {
      // A row that has the focus stays, wherever it is.
      if (!keep.has(id) && (!row.contains(document.activeElement) || !ids.includes(id))) {
        row.remove();
        rows.delete(id);
      }
    }
    let place = list.firstElementChild;
    for (const id of shown) {
      let row = rows.get(id);
      if (!row) rows.set(id, row = makeRow(id));
      if (row === place) place = place.nextElementSibling;
      else list.insertBefore(row, place);
    }
    // A row that was moved has lost the focus.
    if (focus instanceof HTMLElement && focus.isConnected) focus.focus({ preventScroll: true });
    height = list.querySelector('li')?.offsetHeight || height;
    list.style.setProperty('--above', `${first * height}px`);
    list.style.setProperty('--below', `${(ids.length - end) * height}px`);
    mark();
    fetchTracks(shown, () => part.isConnected && mark());
  };

  /** Brings all rows up to date. */
  const mark = () => {
    say(count, t('nSelected', { n: chosen.size }));
    const current = ids.indexOf(state.queue?.current);
    for (let index = first; index < end; index++) rows.get(ids[index])?.update(index, current);
  };

  const makeRow = (id) => {
    const art = artwork();
    const play = el('button', { class: 'cover ctl', 'aria-label': t('play'), title: t('play'), onclick: () => tellPlayer('POST', `queue/tracks/${id}/play`) }, art, icon('play'));
    const title = el('b');
    const detail = el('span');
    const time = el('span', { class: 'time' });
    const pick = el('input', { type: 'checkbox', class: 'pick', onchange: () => { if (!chosen.delete(id)) chosen.add(id); mark(); } });
    const up = button('up', t('moveUp'), () => shift(id, -1, up), 'small');
    const down = button('down', t('moveDown'), () => shift(id, 1, down), 'small');
    const gone = button('close', t('remove'), () => remove(id), 'minor ctl');
    const row = el('li', { 'data-id': id }, pick, play, el('span', { class: 'words' }, title, detail), time,
      el('span', { class: 'moves ctl' }, up, down), gone, el('span', { class: 'grip ctl', 'aria-hidden': 'true' }, icon('grip')));
    let shown;
    const update = (index, current) => {
      const track = known.get(id);
      attribute(row, 'aria-setsize', ids.length);
      attribute(row, 'aria-posinset', index + 1);
      attribute(row, 'aria-current', index === current && 'true');
      row.classList.toggle('plays', index === current && state.player?.state === 'playing');
      if (track && track !== shown) {
        shown = track;
        title.replaceChildren(foreign(track.title));
        detail.replaceChildren(foreign(dotted(track.artist, track.album)));
        say(time, track.seconds ? clock(track.seconds) : '');
        art.show(track.art, track.title + (track.album ?? ''));
        attribute(pick, 'aria-label', track.title);
      }
      pick.checked = chosen.has(id);
      play.disabled = gone.disabled = !usable();
      up.disabled = !usable() || index === 0;
      down.disabled = !usable() || index === ids.length - 1;
    };
    return Object.assign(row, { update });
  };

  /** After an edit the focus would be lost: it goes to that row. */
  const focusSoon = (id, node) => setTimeout(() => {
    const row = rows.get(id);
    row?.scrollIntoView({ block: 'nearest' });
    if (document.activeElement && document.activeElement !== document.body) return;
    (node && !node.disabled ? node : row?.querySelector('.cover') ?? head).focus();
  }, 150);

  const remove = async (id) => {
    const index = ids.indexOf(id);
    const next = ids[index + 1] ?? ids[index - 1];
    if (await edit('DELETE', `queue/tracks/${id}`)) focusSoon(next);
  };

  /** One place up or down. */
  const shift = async (id, step, node) => {
    const to = ids.indexOf(id) + step;
    if (to < 0 || to >= ids.length || !await move([id], step < 0 ? ids[to - 1] ?? 0 : ids[to])) return;
    announce(t('nowAt', { n: to + 1 }));
    focusSoon(id, node);
  };

  const showCurrent = (smooth) => {
    const index = ids.indexOf(state.queue?.current);
    if (index < (smooth ? 0 : 3)) return;
    const top = list.getBoundingClientRect().top + (index + 0.5) * height - innerHeight / 2;
    const calm = !smooth || Math.abs(top) > 3000 || matchMedia('(prefers-reduced-motion)').matches;
    scroller.scrollBy({ top, behavior: calm ? 'auto' : 'smooth' });
  };

  // Keys: Alt and an arrow move the row, the arrows alone go to the next one, Delete removes.
  list.addEventListener('keydown', (event) => {
    const focus = document.activeElement;
    const row = focus.closest('li');
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!row || event.ctrlKey || event.metaKey || !(step || event.key === 'Delete')) return;
    const id = Number(row.dataset.id);
    if (!step) remove(id);
    else if (event.altKey) shift(id, step, focus);
    else {
      const controls = (node) => [...node?.querySelectorAll('button, input') ?? []];
      controls(step < 0 ? row.previousElementSibling : row.nextElementSibling)[controls(row).indexOf(focus)]?.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  });

  // Dragging: by the grip at once, by touch anywhere on the row after a moment.
  list.addEventListener('pointerdown', (event) => {
    const target = event.target instanceof Element ? event.target : list;
    const row = target.closest('li');
    const isGrip = !!target.closest('.grip');
    if (!row || event.button || isDragging || !usable() || state.player?.access === 'view') return;
    if (!isGrip && (event.pointerType !== 'touch' || target.closest('button, input'))) return;
    const id = Number(row.dataset.id);
    const from = ids.indexOf(id);
    const [began, scrolled] = [event.clientY, scroller.scrollTop];
    let [y, to, frame] = [began, from, 0];
    const step = () => {
      const speed = Math.min(0, y - 90) + Math.max(0, y - innerHeight + 90);
      if (speed) scroller.scrollTop += speed / 6;
      const way = y - began + scroller.scrollTop - scrolled;
      to = Math.max(0, Math.min(ids.length - 1, from + Math.round(way / height)));
      for (const [other, node] of rows) {
        const index = ids.indexOf(other);
        const aside = index > from && index <= to ? -height : index < from && index >= to ? height : 0;
        node.style.setProperty('--y', `${other === id ? way : aside}px`);
      }
      frame = requestAnimationFrame(step);
    };
    const begin = () => {
      isDragging = true;
      row.classList.add('dragged');
      list.classList.add('dragging');
      step();
    };
    const timer = isGrip ? 0 : setTimeout(begin, 350);
    const finish = (drop) => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      watch.abort();
      if (!isDragging) return;
      isDragging = false;
      row.classList.remove('dragged');
      list.classList.remove('dragging');
      for (const node of rows.values()) node.style.removeProperty('--y');
      const after = to > from ? ids[to] : ids[to - 1] ?? 0;
      ids = state.queue.ids;
      if (drop && to !== from) {
        // Shown at once; the speaker's answer is the truth.
        ids = ids.filter((one) => one !== id);
        ids.splice(to, 0, id);
        move([id], after).then((done) => { if (!done) { ids = state.queue.ids; draw(); } });
      }
      draw();
    };
    const watch = new AbortController();
    const on = (name, act) => addEventListener(name, act, { signal: watch.signal });
    on('pointermove', (moved) => {
      y = moved.clientY;
      if (!isDragging && Math.abs(y - began) > 8) finish(false);
    });
    on('pointerup', () => finish(true));
    on('pointercancel', () => finish(false));
    on('keydown', (pressed) => pressed.key === 'Escape' && finish(false));
    if (isGrip) {
      event.preventDefault();
      begin();
    }
  });
  list.addEventListener('touchmove', (event) => isDragging && event.preventDefault(), { passive: false });
  list.addEventListener('contextmenu', (event) => isDragging && event.preventDefault());

  part.onleave(follow('queue link', () => {
    const queue = state.queue;
    if (!queue) return;
    ids = isDragging ? ids : queue.ids;
    const length = queue.ids.length;
    const all = new Set(queue.ids);
    for (const id of chosen) if (!all.has(id)) chosen.delete(id);
    none.hidden = length > 0;
    list.hidden = here.hidden = clear.hidden = select.hidden = keep.hidden = save.hidden = !length;
    back.hidden = !queue.undo;
    attribute(back, 'title', queue.undo);
    clear.disabled = select.disabled = back.disabled = !usable();
    say(sum, length ? t('tracks', { n: length }) + (queue.seconds ? ` · ${clock(queue.seconds)}` : '') : '');
    attribute(sum, 'title', queue.seconds ? spoken(queue.seconds) : null);
    if (!isDragging) draw();
  }));
  part.onleave(follow('player', mark));
  const watch = new AbortController();
  const onmove = () => {
    if (ids.length <= few || isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => { isWaiting = false; if (!isDragging) draw(); });
  };
  addEventListener('scroll', onmove, { capture: true, passive: true, signal: watch.signal });
  addEventListener('resize', onmove, { signal: watch.signal });
  part.onleave(() => watch.abort());
  requestAnimationFrame(() => showCurrent(false));
});
