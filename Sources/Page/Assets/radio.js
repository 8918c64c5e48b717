// @ts-check
// Radio: the presets, what the present station has played, and any address.
import { ago, artwork, attribute, define, el, empty, foreign, icon, listOf, patch, press, say, t, wide } from './core.js';
import { ask, fail, follow, heard, play, state, tellPlayer, usable } from './store.js';
import { keep, star } from './pins.js';

/** Looks what is at an address before anything is played. */
async function check(uri, result, button) {
  button.disabled = true;
  result.replaceChildren(el('p', { text: t('checking') }));
  try {
    const { value } = await ask('POST', 'radio/check', { uri });
    const title = value.title || uri;
    const items = [{ uri, ...(value.title ? { title: value.title } : {}) }];
    result.replaceChildren(el('p', { class: value.isPlayable ? 'good' : 'bad' }, icon(value.isPlayable ? 'ok' : 'warning'),
      el('span', {}, value.title ? el('b', {}, foreign(value.title), ' ') : null, foreign(value.detail))));
    if (value.isPlayable) {
      result.append(el('p', { class: 'row' }, wide('play', t('playNow'), () => play(items, 'now', title), 'main'),
        wide('end', t('addToQueue'), () => play(items, 'end', title)), wide('star', t('keep'), () => keep(items[0], title))));
    }
  } catch (problem) {
    result.replaceChildren();
    fail(problem);
  }
  button.disabled = false;
}

define('radio', (part) => {
  const head = el('h1', { tabindex: '-1', text: t('radio') });
  const tiles = listOf(t('stations'), 'stations');
  const none = empty('radio', t('noStations'), t('noStationsMore'));
  const songs = listOf(t('songs'), 'songs', 'ol');
  const box = el('section', { class: 'panel' }, el('h2', { text: t('songs') }), songs);
  const input = el('input', { type: 'url', id: 'address', required: true, maxlength: 8192, placeholder: 'http://…', autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off' });
  const look = wide('search', t('check'), () => {}, 'main', { type: 'submit' });
  const result = el('div', { class: 'result', role: 'status' });
  const form = el('form', { class: 'panel ctl', onsubmit: (event) => { event.preventDefault(); check(input.value.trim(), result, look); } },
    el('h2', {}, el('label', { for: 'address', text: t('playAddress') })), el('p', { class: 'hint', text: t('playAddressMore') }),
    el('div', { class: 'row' }, el('span', { class: 'field' }, icon('radio'), input), look), result);
  input.addEventListener('input', () => result.replaceChildren());
  part.replaceChildren(el('div', { class: 'screen-head' }, head), el('vireo-pins'), el('h2', { text: t('stations') }), none, tiles, box, form);

  const show = () => {
    const radio = state.radio;
    none.hidden = !radio || radio.presets.length > 0;
    tiles.hidden = !radio?.presets.length;
    box.hidden = !radio?.songs.length;
    if (!radio) return;
    patch(tiles, radio.presets, (one) => one.id, (one) => {
      const art = artwork(one.title);
      const name = el('b');
      const tile = el('button', { class: 'tile', onclick: () => state.player?.access !== 'view' && tellPlayer('POST', `radio/${one.id}/play`) }, art, name);
      const kept = star(one);
      return Object.assign(el('li', {}, tile, kept), { parts: { art, name, tile, kept } });
    }, (node, one) => {
      const { art, name, tile, kept } = node.parts;
      kept.update();
      const chosen = radio.current === one.id && state.player?.source === 'radio';
      art.show(one.art, one.title);
      name.replaceChildren(foreign(one.title));
      press(tile, chosen);
      node.classList.toggle('plays', chosen && state.player?.state === 'playing');
      tile.disabled = !usable() || !!state.player?.standby;
    });
    const since = (performance.now() - (heard.radio ?? 0)) / 1000;
    patch(songs, radio.songs.map((one, index) => ({ ...one, key: `${radio.songs.length - index} ${one.text}` })), (one) => one.key,
      (one) => Object.assign(el('li', {}, foreign(one.text), el('small')), {}),
      (node, one) => say(node.lastElementChild, ago(one.age + since)));
  };
  part.onleave(follow('radio pins player link', show));
  const tick = setInterval(show, 30000);
  part.onleave(() => clearInterval(tick));
});
