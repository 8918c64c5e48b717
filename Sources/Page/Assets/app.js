// @ts-check
// The page: which screen is shown, the banner, the keys, colours and language.
import { attribute, colour, el, foreign, icon, language, memory, rename, say, sheet, t } from './core.js';
import { follow, link, start, state, usable, where } from './store.js';
import { change, command, seekBy, stepVolume, watchTrack } from './player.js';
import './queue.js';

const root = document.documentElement;
const main = document.getElementById('content');
const beside = document.getElementById('beside');
const bar = document.getElementById('bar');
const banner = document.getElementById('banner');
const links = [...document.querySelectorAll('nav a')];
const screens = ['now', 'queue', 'library', 'radio', 'rooms', 'system', 'party'];
/** Screens without a link of their own, and the one whose link leads to them. @type {Record<string, string>} */
const inner = { playlists: 'library', uploads: 'library' };

root.lang = language;
colour();

for (const [index, node] of links.entries()) say(node.lastElementChild, t(screens[index]));
attribute(document.querySelector('nav'), 'aria-label', t('screens'));
say(document.querySelector('.skip'), t('skipTo'));

const isWide = matchMedia('(min-width: 56.25em)');
let shown = '';
let visits = 0;

/** What the address says: the screen and what follows. */
function place() {
  const [name, ...rest] = location.hash.replace(/^#\/?/, '').split('/').map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return '';
    }
  });
  return { name: name in inner || screens.includes(name) ? name : 'now', rest };
}

async function go() {
  if (location.hash && !location.hash.startsWith('#/')) return;
  const { name, rest } = place();
  const visit = ++visits;
  root.dataset.screen = name;
  for (const [index, node] of links.entries()) attribute(node, 'aria-current', screens[index] === (inner[name] ?? name) ? 'page' : null);
  if (name !== 'now' && name !== 'queue') await import(`./${name}.js`);
  if (visit !== visits) return;
  const isFirst = !shown;
  if (shown !== name) {
    const screen = document.createElement(`vireo-${name}`);
    screen.toggleAttribute('full', true);
    main.replaceChildren(screen);
    scrollTo(0, 0);
  }
  shown = name;
  /** @type {any} */
  const screen = main.firstElementChild;
  screen.visit?.(rest);
  lay();
  if (!isFirst) screen.querySelector('h1')?.focus({ preventScroll: true });
}

/** What stands beside the screen and below it. */
function lay() {
  const withQueue = isWide.matches && ['now', 'library', 'radio'].includes(shown);
  if (withQueue !== !beside.hidden) {
    beside.hidden = !withQueue;
    beside.replaceChildren(...(withQueue ? [el('vireo-queue')] : []));
    attribute(beside, 'aria-label', t('queue'));
  }
  const withBar = shown !== 'now';
  if (withBar !== !bar.hidden) {
    bar.hidden = !withBar;
    attribute(bar, 'aria-label', t('player'));
    bar.replaceChildren(...(withBar ? [el('vireo-bar')] : []));
  }
}

addEventListener('hashchange', go);
isWide.addEventListener('change', lay);

follow('player link', () => {
  const player = state.player;
  if (player) {
    say(document.getElementById('name'), player.name);
    root.dataset.access = player.access;
  }
  const words = link === 'lost' ? t('lost') : link === 'polling' ? t('polling') : '';
  say(banner, words);
});
watchTrack();

// The room for what is chosen here; another one is named.
const room = el('button', { class: 'chip ctl', onclick: async () => sheet(t('playsOn'), (await import('./library.js')).whereChoice()) }, icon('rooms'), el('span'));
// What guests may do is one touch away while there is a party.
const party = el('a', { class: 'chip', href: '#/party' }, icon('party'), el('span', { text: t('party') }));
document.querySelector('header')?.append(room, party);
follow('party', () => { party.hidden = !state.party?.isRunning; });
follow('player where', () => {
  const name = t('on', { name: where()?.name ?? state.player?.name ?? '' });
  rename(room, name);
  room.lastChild.hidden = !where();
  room.lastChild.replaceChildren(foreign(name));
});

/** @type {any[]} */
const keys = [
  [' ', 'keyPlay', () => command('toggle')],
  ['n', 'next', () => command('next')],
  ['p', 'previous', () => command('previous')],
  ['ArrowRight', 'keyForward', () => seekBy(10)],
  ['ArrowLeft', 'keyBack', () => seekBy(-10)],
  ['+', 'louder', () => stepVolume(2)],
  ['-', 'quieter', () => stepVolume(-2)],
  ['m', 'mute', () => change({ muted: !state.player?.muted })],
  ['s', 'shuffle', () => change({ shuffle: !state.player?.shuffle })],
  ['r', 'repeat', () => change({ repeat: !state.player?.repeat })],
];

/** The list of keys. */
export function showKeys() {
  const shownAs = { ' ': t('space'), ArrowRight: '→', ArrowLeft: '←' };
  sheet(t('keys'), el('dl', { class: 'facts' }, ...[...keys, ['1–6', 'keyScreens'], ['/', 'search'], ['Alt ↑ ↓', 'keyMove'], ['?', 'keys']]
    .map(([key, name]) => el('div', {}, el('dt', {}, el('kbd', { text: shownAs[key] ?? key })), el('dd', { text: t(name) })))));
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || memory.keys === false || document.querySelector('dialog[open]')) return;
  const target = event.target instanceof Element ? event.target : root;
  if (target.closest('input, select, textarea, [contenteditable]')) return;
  if (event.key === ' ' && target.closest('button, a, summary')) return;
  const screen = screens[Number(event.key) - 1];
  if (event.key === '?') showKeys();
  else if (event.key === '/') {
    if (place().name !== 'library') location.hash = '#/library';
    setTimeout(() => {
      const field = main.querySelector('input');
      field?.focus();
    }, 200);
  } else if (screen) location.hash = `#/${screen}`;
  else {
    const found = keys.find(([key]) => key === event.key);
    if (!found || !usable() || state.player?.access === 'view' || state.player?.standby) return;
    found[2]();
  }
  event.preventDefault();
});

start();
go();
