// @ts-check
// The party. Its host starts and ends it, shows its code and decides; guests request songs, vote, and see what comes next.
import { artwork, button, define, dotted, el, empty, foreign, icon, language, listOf, memory, patch, press, remember, say, sheet, t, toast, wide } from './core.js';
import { ask, fail, follow, isGuest, setAccess, state, usable } from './store.js';

/** A time of day, so many seconds from now. */
const hour = (seconds) => new Date(Date.now() + seconds * 1000).toLocaleTimeString(language, { timeStyle: 'short' });

const asGuest = () => ({ 'Vireo-Guest': memory.guest?.token ?? '' });

/** Does something; says why when that fails. @param {Record<string, string>} [headers] */
async function act(method, path, body = undefined, headers = undefined) {
  try {
    return (await ask(method, `party${path}`, body, headers)).value ?? true;
  } catch (problem) {
    if (problem.type === 'unknown-guest') leave();
    fail(problem);
    return undefined;
  }
}

/** This browser is no guest any more. */
function leave() {
  remember({ guest: undefined });
  setAccess();
}

/** A guest wants to hear that. @param {{ server: string, object: string }} item */
export async function request(item, title, next = false) {
  if (await act('POST', '/requests', { ...item, ...(next ? { next } : {}) }, asGuest())) toast(t('requested', { title }));
}

/** Asks a guest how he wants to hear it. */
export function choose(item, title) {
  const want = (next) => () => {
    dialog.close();
    request(item, title, next);
  };
  const dialog = sheet(foreign(title), el('div', { class: 'hows' }, wide('add', t('request'), want(false), 'how'), wide('after', t('requestNext'), want(true), 'how')));
}

/** Where guests go: to the address that this browser knows, unless that means something else to others. */
function address() {
  const isLocal = /^(localhost$|127\.|\[::1\])/.test(location.hostname);
  return `${(isLocal && state.party?.address) || `${location.origin}/`}#/party/${state.party?.code}`;
}

/** A request. `more` are its buttons. @param {API.PartyRequest} one @param {any[]} more */
function row(one, ...more) {
  const art = artwork();
  const words = el('span');
  return Object.assign(el('li', {}, art, el('span', { class: 'words' }, el('b', {}, foreign(one.title)), words), ...more), {
    /** @param {API.PartyRequest} now */
    update: (now) => {
      art.show(now.art, now.title + (now.album ?? ''));
      words.replaceChildren(foreign(dotted(t(`request_${now.state}`), now.artist, now.name, now.votes && t('votes', { n: now.votes }))));
    },
  });
}

/** The requests as their host sees them. */
function hostRow(one) {
  const decide = (decision) => () => act('PATCH', `/requests/${one.id}`, { decision });
  const accept = button('ok', t('accept', { title: one.title }), decide('accept'), 'ctl');
  const refuse = button('close', t('refuse', { title: one.title }), decide('refuse'), 'minor ctl');
  const node = row(one, accept, refuse);
  return Object.assign(node, {
    show: (now) => {
      node.update(now);
      accept.hidden = now.state !== 'asked';
      refuse.hidden = now.state !== 'asked' && now.state !== 'queued';
      accept.disabled = refuse.disabled = !usable();
    },
  });
}

/** And as guests do. */
function guestRow(one) {
  const at = `/requests/${one.id}`;
  const vote = button('up', t('vote', { title: one.title }), async () => {
    await act(vote.getAttribute('aria-pressed') === 'true' ? 'DELETE' : 'POST', `${at}/vote`, undefined, asGuest());
  }, 'minor');
  const withdraw = button('close', t('withdraw', { title: one.title }), () => act('DELETE', at, undefined, asGuest()), 'minor');
  const node = row(one, vote, withdraw);
  return Object.assign(node, {
    /** @param {API.PartyRequest} now @param {API.PartyGuest | undefined} me */
    show: (now, me) => {
      node.update(now);
      const waits = now.state === 'asked' || now.state === 'queued';
      vote.hidden = !waits || !state.party?.votes || now.guest === me?.id;
      withdraw.hidden = !waits || now.guest !== me?.id;
      vote.disabled = withdraw.disabled = !usable();
      press(vote, me?.voted.includes(now.id));
    },
  });
}

define('party', (part) => {
  /** The code in the address; empty on the host's screen. */
  let code = '';
  /** What this guest may still do. @type {API.PartyGuest | undefined} */
  let me;
  let [shown, asked, timer] = ['', 0, 0];

  const head = el('h1', { tabindex: '-1', text: t('party') });
  const sum = el('p', { class: 'sum', role: 'status' });
  const place = el('div');
  const list = listOf(t('requests'), 'rows');
  const nobody = el('p', { class: 'hint', text: t('noRequests') });
  part.replaceChildren(el('div', { class: 'screen-head' }, el('div', {}, head, sum)), place, nobody, list);

  // MARK: The host
  const begin = (mode) => () => act('POST', '', { mode });
  const elsewhere = el('p');
  const off = () => [empty('party', t('noParty'), t('noPartyMore'), wide('ok', t('startAsk'), begin('ask'), 'main ctl'), wide('add', t('startAdd'), begin('add'), 'ctl'),
    elsewhere, el('p', { class: 'hint', text: t('partyHonest') }))];
  /** @type {any[]} */
  let modes = [];
  const on = () => {
    const where = address();
    const code = el('div');
    import('./qr.js').then((qr) => code.append(qr.picture(where, t('qrOf', { address: where })) ?? ''));
    modes = ['ask', 'add'].map((mode) => el('button', { class: 'chip ctl', 'data-mode': mode, text: t(mode === 'ask' ? 'modeAsk' : 'modeAdd'), onclick: () => act('PATCH', '', { mode }) }));
    return [el('div', { class: 'panel party' }, code, el('div', { class: 'words' }, el('p', {}, t('code'), ' ', el('b', { class: 'code', text: state.party?.code })),
      el('p', {}, el('a', { class: 'plain', href: where, text: where })), el('div', { class: 'row', role: 'group', 'aria-label': t('howRequests') }, ...modes),
      el('p', { class: 'row' }, wide('close', t('stopParty'), () => act('DELETE', ''), 'ctl'))))];
  };

  // MARK: A guest
  const enter = () => {
    const name = el('input', { id: 'guest', maxlength: 40, autocomplete: 'nickname', enterkeyhint: 'go' });
    const come = async (event) => {
      event.preventDefault();
      const guest = await act('POST', '/guests', { code, name: name.value });
      if (!guest) return;
      remember({ guest: { code: state.party?.code ?? code, token: guest.token } });
      me = guest;
      setAccess();
      show();
      head.focus();
    };
    return [el('form', { class: 'panel choices', onsubmit: come }, el('div', {}, el('label', { for: 'guest', text: t('yourName') }), el('span', { class: 'field' }, name)),
      el('button', { type: 'submit', class: 'wide main' }, icon('party'), t('enter')))];
  };
  const now = el('p', { class: 'sum' });
  const inside = () => [now, el('p', { class: 'row' }, el('a', { class: 'wide main', href: '#/library' }, icon('search'), t('chooseSong')),
    wide('close', t('leaveParty'), () => { leave(); location.hash = '#/party'; }, 'minor'))];

  /** What this guest may still do, as of now and of when that changes. */
  const askMe = async () => {
    clearTimeout(timer);
    const mine = ++asked;
    const answer = await ask('GET', 'party/guest', undefined, asGuest()).catch((problem) => void (problem.status === 403 && mine === asked && leave()));
    if (mine !== asked || !part.isConnected) return;
    me = answer?.value;
    if (me && !me.left) timer = setTimeout(askMe, me.wait * 1000 + 500);
    show();
  };

  const show = () => {
    const party = state.party;
    if (!party) return;
    const isMine = !!code && isGuest() && party.isRunning;
    const kind = !code ? (party.isRunning ? `on ${address()}` : 'off') : isMine ? 'inside' : party.code === code ? 'enter' : 'over';
    if (kind !== shown) {
      shown = kind;
      const make = { off, inside, enter, over: () => [empty('party', t('partyOver'), t('partyOverMore'))] }[kind] ?? on;
      place.replaceChildren(...make());
    }
    for (const chip of modes) {
      press(chip, chip.dataset.mode === party.mode);
      chip.disabled = !usable();
    }
    const other = state.rooms?.party;
    elsewhere.replaceChildren(other ? el('a', { class: 'wide', rel: 'noreferrer', href: other.address }, icon('party'), t('partyOf', { name: other.name })) : '');
    const left = me && isMine ? (me.left ? t('nLeft', { n: me.left }) : t('nextAt', { time: hour(me.wait) })) : '';
    say(sum, code ? left : party.isRunning ? dotted(t('nGuests', { n: party.guests }), t('partyUntil', { time: hour(party.seconds ?? 0) })) : '');
    const track = state.player?.track;
    now.replaceChildren(...(track ? [`${t('now')}: `, foreign(dotted(track.title, track.artist))] : []));
    const isOver = (one) => ['played', 'refused', 'removed'].includes(one.state);
    const requests = !party.isRunning || (code && !isMine) ? [] : party.requests.filter((one) => !code || !isOver(one) || one.guest === me?.id);
    nobody.hidden = !!requests.length || !party.isRunning || (!!code && !isMine);
    patch(list, requests, (one) => `${one.id} ${!!code}`, code ? guestRow : hostRow, (node, one) => node.show(one, me));
  };

  part.visit = ([given = '']) => {
    code = given.replace(/[ -]/g, '').toUpperCase();
    if (!code && isGuest()) return location.replace(`#/party/${memory.guest.code}`);
    shown = '';
    look();
  };
  const look = () => {
    show();
    if (code && isGuest()) askMe();
  };
  part.onleave(follow('party', look));
  part.onleave(follow('player link rooms', show));
  part.onleave(() => clearTimeout(timer));
});
