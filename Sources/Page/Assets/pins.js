// @ts-check
// Favourites: the tiles that play them, their order, and what keeps something as one.
import { announce, artwork, button, define, el, foreign, icon, listOf, patch, press, sheet, t, toast, wide } from './core.js';
import { ask, fail, follow, play, state, tellPlayer, usable } from './store.js';

/** What stands for a favourite without a picture, by its mode. */
const pictures = { server: 'album', playlist: 'playlist', transport: 'cast' };
const mayChange = () => usable() && state.player?.access !== 'view';

/** Keeps something as a favourite, and says so. */
export async function keep(what, title) {
  try {
    await ask('POST', 'pins', what);
    toast(t('kept', { title }));
  } catch (problem) {
    if (problem.type === 'pins-full') toast(t('pinsFull', { n: state.pins?.size ?? 12 }), { kind: 'bad', seconds: 8 });
    else fail(problem);
  }
}

/** @param {API.Pin} one */
const remove = (one) => tellPlayer('DELETE', `pins/${one.slot}?id=${one.id}`);

/** A star that keeps a station, or lets go of it. @param {API.Station} one */
export function star(one) {
  const pinned = () => state.pins?.pins.find((pin) => pin.mode === 'url' && pin.uri === one.uri);
  const node = button('star', t('keepOf', { title: one.title }), () => {
    const pin = pinned();
    if (pin) remove(pin);
    else keep({ preset: one.id }, one.title);
  }, 'minor ctl star');
  return Object.assign(node, {
    update() {
      press(node, pinned());
      node.disabled = !usable() || !state.pins;
    },
  });
}

/** What is to be played of a favourite. @param {API.Pin} one */
const start = (one) => mayChange() && play([{ pin: one.id }], one.mode === 'server' || one.mode === 'playlist' ? 'replace' : 'now', one.title);

define('pins', (part) => {
  const isSmall = part.hasAttribute('small');
  const list = listOf(t('favourites'), 'stations');
  const none = el('p', { class: 'hint', text: t('noPins') });
  const present = wide('star', t('keepPlaying'), () => {
    const track = state.player?.track;
    keep({ playing: true }, track?.station || track?.title || '');
  }, 'ctl');
  part.replaceChildren(el('div', { class: 'screen-head' }, el('h2', { text: t('favourites') }), !isSmall && present), ...(isSmall ? [] : [none]), list);
  let isDragging = false;
  const pins = () => state.pins?.pins ?? [];

  /** Gives a favourite the place of another one. */
  const move = async (id, to) => {
    const target = pins()[to];
    if (target && target.id !== id && await tellPlayer('POST', 'pins/move', { id, slot: target.slot })) announce(t('nowAt', { n: to + 1 }));
  };
  const shift = (id, step) => move(id, pins().findIndex((one) => one.id === id) + step);

  /** @param {API.Pin} one */
  const menu = (one) => {
    const act = (picture, name, what) => wide(picture, t(name), () => { dialog.close(); what(); }, 'how');
    const dialog = sheet(foreign(one.title), el('div', { class: 'hows' }, act('play', 'playNow', () => start(one)), act('up', 'moveUp', () => shift(one.id, -1)),
      act('down', 'moveDown', () => shift(one.id, 1)), act('close', 'remove', () => remove(one))));
  };

  /** @param {API.Pin} one */
  const make = (one) => {
    const art = pictures[one.mode] && !one.art ? Object.assign(el('span', { class: 'badge' }, icon(pictures[one.mode])), { show() {} }) : artwork(one.title);
    const name = el('b', {}, foreign(one.title));
    const tile = el('button', { class: 'tile', onclick: () => !isDragging && start(one) }, art, name, el('span', {}, foreign(one.description)));
    art.show(one.art, one.title);
    return Object.assign(el('li', { 'data-id': one.id }, tile, button('more', t('moreOf', { title: one.title }), () => menu(one), 'minor ctl', { 'aria-haspopup': 'dialog' })), { tile });
  };

  // Keys: Alt and an arrow move a tile, Delete removes it.
  list.addEventListener('keydown', (event) => {
    const id = Number(event.target.closest('li')?.dataset.id);
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const one = pins().find((pin) => pin.id === id);
    if (!one || !mayChange() || !(event.altKey ? step : event.key === 'Delete')) return;
    if (step) shift(id, step);
    else remove(one);
    event.preventDefault();
    event.stopPropagation();
  });

  // Dragging: by the mouse at once, by touch after a moment.
  list.addEventListener('pointerdown', (event) => {
    const row = event.target.closest('.tile')?.parentElement;
    if (!row || event.button || !mayChange() || pins().length < 2) return;
    const isTouch = event.pointerType === 'touch';
    const watch = new AbortController();
    const on = (name, act) => addEventListener(name, act, { signal: watch.signal });
    let over = row;
    const mark = (to) => {
      over.classList.remove('over');
      over = to;
      over.classList.toggle('over', isDragging && to !== row);
    };
    const begin = () => {
      isDragging = true;
      row.classList.add('dragged');
    };
    const timer = isTouch ? setTimeout(begin, 350) : 0;
    const finish = (drop) => {
      clearTimeout(timer);
      watch.abort();
      row.classList.remove('dragged');
      const id = Number(over.dataset.id);
      if (isDragging && drop && over !== row) move(Number(row.dataset.id), pins().findIndex((one) => one.id === id));
      mark(row);
      // The click that follows isn't one.
      setTimeout(() => { isDragging = false; });
    };
    on('pointermove', (moved) => {
      const isFar = Math.hypot(moved.clientX - event.clientX, moved.clientY - event.clientY) > 8;
      if (!isDragging && isFar) {
        if (isTouch) return finish(false);
        begin();
      }
      const under = document.elementFromPoint(moved.clientX, moved.clientY)?.closest('li');
      if (isDragging) mark(under?.parentElement === list ? under : row);
    });
    on('pointerup', () => finish(true));
    on('pointercancel', () => finish(false));
    on('keydown', (pressed) => pressed.key === 'Escape' && finish(false));
  });
  list.addEventListener('touchmove', (event) => isDragging && event.preventDefault(), { passive: false });
  list.addEventListener('contextmenu', (event) => isDragging && event.preventDefault());

  part.onleave(follow('pins player link', () => {
    const player = state.player;
    const all = pins();
    const focus = list.contains(document.activeElement) && document.activeElement;
    part.hidden = isSmall && !all.length;
    none.hidden = !state.pins || all.length > 0;
    list.hidden = !all.length;
    present.hidden = !player?.track || player.source !== 'radio';
    present.disabled = !usable();
    patch(list, all, (one) => one.id, make, (node, one) => {
      press(node.tile, one.mode === 'url' && player?.source === 'radio' && player.track?.uri === one.uri);
      node.tile.disabled = !usable() || !!player?.standby;
    });
    // A tile that was moved has lost the focus.
    if (focus instanceof HTMLElement && focus.isConnected) focus.focus({ preventScroll: true });
  }));
});
