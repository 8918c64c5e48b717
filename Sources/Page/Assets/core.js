// @ts-check
// Elements, texts, times, memory, messages, dialogs. Everything from outside enters as text.

/** `/ui/FINGERPRINT` of this version. */
export const ui = new URL('.', import.meta.url).pathname.replace(/\/$/, '');

/** What this browser remembers: language, colours, keys, server, folder, renderer. @type {Record<string, any>} */
export const memory = (() => {
  try {
    return JSON.parse(localStorage.getItem('vireo') || '{}') || {};
  } catch {
    return {};
  }
})();

/** Remembers values; undefined forgets. */
export function remember(values) {
  Object.assign(memory, values);
  try {
    localStorage.setItem('vireo', JSON.stringify(memory));
  } catch { /* Private windows may refuse. */ }
}

/** Chooses light or dark, by the first media query of the style sheet. */
export function colour() {
  const rule = [...document.styleSheets[0].cssRules].find((one) => one instanceof CSSMediaRule);
  if (rule instanceof CSSMediaRule) rule.media.mediaText = { dark: 'all', light: 'not all' }[memory.theme] ?? '(prefers-color-scheme:dark)';
}

/** The languages, each named in itself. @type {Record<string, string>} */
export const languages = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español', nl: 'Nederlands' };

/** The language in use. */
export const language = [memory.language, ...navigator.languages]
  .map((tag) => String(tag).slice(0, 2).toLowerCase()).find((tag) => tag in languages) || 'en';

/** @type {Record<string, string>} */
const texts = (await import(`./${language}.js`)).default;
const plural = new Intl.PluralRules(language);
const number = new Intl.NumberFormat(language);

/**
 * The text of that name, `{x}` replaced. `one|many` is chosen by `n`.
 * @param {Record<string, string | number>} [values]
 */
export function t(key, values = {}) {
  let text = texts[key] ?? key;
  if (text.includes('|')) text = text.split('|')[plural.select(Number(values.n)) === 'one' ? 0 : 1];
  return text.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name];
    return typeof value === 'number' ? number.format(value) : String(value ?? '');
  });
}

/** 3:05 or 1:02:03. */
export function clock(seconds) {
  const all = Math.max(0, Math.floor(seconds));
  const [h, m, s] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  const two = (n) => String(n).padStart(2, '0');
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** "3 minutes 5 seconds", for screen readers. */
export function spoken(seconds) {
  const all = Math.max(0, Math.floor(seconds));
  const parts = [];
  if (all >= 3600) parts.push(t('hours', { n: Math.floor(all / 3600) }));
  if (all >= 60) parts.push(t('minutes', { n: Math.floor(all / 60) % 60 }));
  if (all < 3600) parts.push(t('seconds', { n: all % 60 }));
  return parts.join(' ');
}

/** "12 s ago", "5 min ago", "2 d ago". */
export function ago(seconds) {
  const format = new Intl.RelativeTimeFormat(language, { style: 'short' });
  /** @type {[number, Intl.RelativeTimeFormatUnit]} */
  const [unit, name] = seconds < 60 ? [1, 'second'] : seconds < 3600 ? [60, 'minute'] : seconds < 86400 ? [3600, 'hour'] : [86400, 'day'];
  return format.format(-Math.round(seconds / unit), name);
}

/**
 * An element. `class`, `text`, `onclick` … as one expects; true is an empty attribute; undefined and false are left out.
 * @param {...(Node | string | null | undefined | false)} children @returns {any}
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  if (tag === 'button') node.setAttribute('type', tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === false || value === null) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'text') node.textContent = value;
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child) node.append(child);
  return node;
}

const svg = 'http://www.w3.org/2000/svg';

/** A picture of the sprite, for the eyes only. */
export function icon(name) {
  const node = document.createElementNS(svg, 'svg');
  node.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS(svg, 'use');
  use.setAttribute('href', `${ui}/sprite.svg#${name}`);
  node.append(use);
  return node;
}

/** Shows another picture. */
export function setIcon(parent, name) {
  const href = `${ui}/sprite.svg#${name}`;
  const use = parent.querySelector('use');
  if (use && use.getAttribute('href') !== href) use.setAttribute('href', href);
}

/** A button with a picture; `name` is what it is called. */
export function button(picture, name, onclick, classes = '', more = {}) {
  return el('button', { class: classes === 'small' ? 'small' : `round ${classes}`, 'aria-label': name, title: name, ...more, onclick }, icon(picture));
}

/** Calls a button something else. */
export function rename(node, name) {
  attribute(node, 'aria-label', name);
  attribute(node, 'title', name);
}

export const press = (node, on) => attribute(node, 'aria-pressed', String(!!on));

/** What there is of these, with dots between. */
export const dotted = (...parts) => parts.filter(Boolean).join(' · ');

/** A list, named for screen readers where it has a name. Safari wants the role where there are no bullets. */
export const listOf = (name, classes, tag = 'ul', ...items) => el(tag, { class: classes, role: 'list', 'aria-label': name }, ...items);

/** A button with words. */
export function wide(picture, words, onclick, classes = '', more = {}) {
  return el('button', { class: `wide ${classes}`, ...more, onclick }, picture ? icon(picture) : null, el('span', { text: words }));
}

/** Text of a stranger: its direction is its own. */
export function foreign(text, more = {}) {
  return el('bdi', { dir: 'auto', ...more, text: text ?? '' });
}

/** Sets text only where it differs. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Sets or removes an attribute only where it differs. */
export function attribute(node, name, value) {
  if (value === false || value === null || value === undefined) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

/** Makes a list show `items`: nodes of the same key are kept, moved and updated. */
export function patch(list, items, key, make, update = undefined) {
  const before = list.kept ?? new Map();
  const after = new Map();
  for (const item of items) {
    const name = key(item);
    if (!after.has(name)) after.set(name, before.get(name) ?? make(item));
  }
  for (const [name, node] of before) if (!after.has(name)) node.remove();
  let place = list.firstChild;
  for (const item of items) {
    const node = after.get(key(item));
    update?.(node, item);
    if (node === place) place = place.nextSibling;
    else list.insertBefore(node, place);
  }
  list.kept = after;
}

/** Its colour is its text's own. */
function tint(node, text) {
  let hash = 7;
  for (const letter of text) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  /** @type {HTMLElement} */ (node).style.setProperty('--hue', String(60 + (hash % 120)));
}

/** A picture; the bird or the initial where it is missing. */
export function artwork(initial) {
  const picture = el('span', { class: 'art', 'aria-hidden': 'true' }, initial === undefined ? icon('perch') : el('b'));
  const show = (address, title) => {
    tint(picture, title);
    const letter = picture.querySelector('b');
    if (letter) say(letter, [...title.trim()][0]?.toUpperCase() ?? '♪');
    const old = picture.querySelector('img');
    if (old?.getAttribute('src') === (address ?? null)) return;
    picture.classList.remove('shown');
    if (!address || !address.startsWith('/art/')) return void old?.remove();
    const image = el('img', { alt: '', decoding: 'async', loading: 'lazy', draggable: 'false' });
    image.addEventListener('load', () => {
      if (image.isConnected) picture.classList.add('shown');
    });
    image.addEventListener('error', () => image.remove());
    image.src = address;
    if (old) old.replaceWith(image);
    else picture.append(image);
  };
  return Object.assign(picture, { show });
}

/** A device's own icon on a badge, or `picture`. */
export function logo(picture, address) {
  const badge = el('span', { class: 'badge' }, icon(picture));
  if (address?.startsWith('/art/')) badge.append(el('img', { alt: '', src: address, onerror: (event) => event.target.remove() }));
  return badge;
}

/** A place for what isn't there. @param {...(Node | null)} more */
export function empty(picture, title, detail, ...more) {
  return el('div', { class: 'empty' }, icon(picture), el('h2', { text: title }), detail ? el('p', { text: detail }) : null, ...more);
}

/** Says something to screen readers, and shows nothing. */
export function announce(words) {
  say(document.getElementById('said'), words);
}

/** A message at the bottom that goes by itself; `name` and `act` are of a button. */
export function toast(words, { kind = '', name = '', act = undefined, seconds = 5 } = {}) {
  const place = document.getElementById('toasts');
  const close = () => node.remove();
  const node = el('div', { class: `toast ${kind}` }, el('span', { text: words }),
    act && name ? el('button', { class: 'plain', text: name, onclick: () => { close(); act(); } }) : null,
    button('close', t('close'), close));
  place.replaceChildren(node);
  let timer = setTimeout(close, seconds * 1000);
  const hold = () => clearTimeout(timer);
  const go = () => { hold(); timer = setTimeout(close, seconds * 1000); };
  node.addEventListener('pointerenter', hold);
  node.addEventListener('focusin', hold);
  node.addEventListener('pointerleave', go);
  node.addEventListener('focusout', go);
}

/**
 * A dialog: a sheet on a phone. It closes by Escape, by its button and by a touch beside it.
 * @param {string | Node} title @param {...(Node | null | false)} content
 */
export function sheet(title, ...content) {
  const back = document.activeElement;
  const id = `d${Math.random().toString(36).slice(2)}`;
  const dialog = el('dialog', { 'aria-labelledby': id },
    el('div', { class: 'head' }, el('h2', { id }, title), button('close', t('close'), () => dialog.close())), ...content);
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  dialog.addEventListener('close', () => {
    dialog.remove();
    if (back instanceof HTMLElement && back.isConnected) back.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** An element that follows sections of the state while it is shown. */
class Part extends HTMLElement {
  constructor() {
    super();
    /** @type {(() => void)[]} */
    this.leaving = [];
  }
  /** What runs when the element goes. @param {() => void} undo */
  onleave(undo) {
    this.leaving.push(undo);
  }
  disconnectedCallback() {
    for (const undo of this.leaving.splice(0)) undo();
  }
}

/** Defines the element `vireo-NAME`; `show` fills it. */
export const define = (name, show) => customElements.define(`vireo-${name}`, class extends Part {
  connectedCallback() {
    show(this);
  }
});
