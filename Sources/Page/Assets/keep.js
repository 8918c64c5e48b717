// @ts-check
// The dialogs that keep tracks in playlists, from wherever they are.
import { define, el, foreign, icon, listOf, patch, sheet, t, toast, wide } from './core.js';
import { ask, fail, follow, state } from './store.js';

/** All playlists. @returns {API.Playlist[]} */
export const all = () => state.playlists?.playlists ?? [];

/** Says what was left out, or `words`. */
export const tell = (value, words) => toast(value?.detail ? `${words} ${value.detail}` : words, { seconds: value?.detail ? 10 : 5 });

/** Says why an edit of a playlist was refused. */
export const refused = (problem) => problem.status === 412 ? toast(t('listChanged'), { kind: 'bad', seconds: 8 }) : fail(problem);

/** What was asked, or undefined when the page has said why not. */
export const ask1 = async (method, path, body = undefined) => {
  try {
    return (await ask(method, path, body)).value;
  } catch (problem) {
    refused(problem);
  }
};

/** A dialog with a field for a name; `act` gives true when it is done. */
export function nameDialog(title, name, act) {
  const id = `n${Math.random().toString(36).slice(2)}`;
  const field = el('input', { id, required: true, maxlength: 100, autocomplete: 'off', value: name });
  const ok = wide('ok', t('save'), () => {}, 'main', { type: 'submit' });
  const form = el('form', { onsubmit: async (event) => {
    event.preventDefault();
    ok.disabled = true;
    if (await act(field.value.trim())) dialog.close();
    ok.disabled = false;
  } }, el('p', { class: 'hint' }, el('label', { for: id, text: t('name') })), el('div', { class: 'row' }, el('span', { class: 'field' }, icon('playlist'), field), ok));
  const dialog = sheet(title, form);
  field.select();
}

/** A new playlist with these tracks: `from`, `items`, or nothing. */
export const create = (what, name = '') => nameDialog(t(what.from && !what.ids ? 'saveAsPlaylist' : 'newPlaylist'), name, async (chosen) => {
  const value = await ask1('POST', 'playlists', { name: chosen, ...what });
  if (value) tell(value, t('saved', { name: chosen }));
  return value;
});

/** Keeps the queue. */
export const saveQueue = () => create({ from: 'queue' });

define('keep', () => {});

/** Adds tracks to a playlist, or to a new one. @param {any} what `items`, or `from` and `ids` */
export function addTo(what, title) {
  const list = listOf(t('playlists'), 'hows');
  const part = el('vireo-keep', { class: 'hows' });
  part.append(wide('add', t('newPlaylist'), () => { dialog.close(); create(what, title); }, 'how'), list);
  part.onleave(follow('playlists', () => patch(list, all(), (one) => one.id, (one) => {
    const row = wide('playlist', '', async () => {
      const value = await ask1('POST', `playlists/${one.id}/tracks`, what);
      if (!value) return;
      dialog.close();
      tell(value, t('addedTo', { n: value.added, name: one.name }));
    }, 'how');
    row.lastChild.append(foreign(one.name));
    return el('li', {}, row);
  })));
  const dialog = sheet(t('addToPlaylist'), part);
}
