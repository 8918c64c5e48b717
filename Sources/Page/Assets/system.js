// @ts-check
// System: the diagnosis, what the page itself can be told, and everything that holds. Settings are shown, never written.
import { ago, colour, define, dotted, el, foreign, icon, language, languages, listOf, memory, remember, spoken, t, wide } from './core.js';
import { ask, fail, follow, state } from './store.js';
import { showKeys } from './app.js';

/** @param {...(Node | null)} content */
const panel = (title, ...content) => el('section', { class: 'panel' }, el('h2', { text: title }), ...content);

/** @param {[string, any][]} rows */
const facts = (rows) => el('dl', { class: 'facts' }, ...rows.filter(([, value]) => value !== undefined && value !== '')
  .map(([name, value]) => el('div', {}, el('dt', { text: name }), el('dd', {}, value instanceof Node ? value : foreign(String(value))))));

/** @param {Node} content */
const fold = (title, count, content) => el('details', {}, el('summary', {}, el('span', { text: title }), el('small', { text: ` ${count}` })), content);

/** Language, colours, keys. */
function choices() {
  const lang = el('select', { id: 'lang', onchange: () => { remember({ language: lang.value }); location.reload(); } },
    ...Object.entries(languages).map(([tag, name]) => el('option', { value: tag, lang: tag, text: name, selected: tag === language })));
  const theme = el('select', { id: 'theme', onchange: () => {
    remember({ theme: theme.value || undefined });
    colour();
  } }, ...['', 'light', 'dark'].map((name) => el('option', { value: name, text: t(`theme_${name || 'auto'}`), selected: (memory.theme ?? '') === name })));
  const keys = el('input', { type: 'checkbox', id: 'keys', checked: memory.keys !== false, onchange: () => remember({ keys: keys.checked }) });
  return el('section', { class: 'panel choices' }, el('h2', { text: t('thisPage') }),
    el('div', {}, el('label', { for: 'lang', text: t('language') }), lang), el('div', {}, el('label', { for: 'theme', text: t('colours') }), theme),
    el('div', {}, el('label', { for: 'keys', text: t('singleKeys') }), keys, wide('', t('showKeys'), showKeys)));
}

/** A time of day, so many seconds from now. */
const hour = (seconds) => new Date(Date.now() + seconds * 1000).toLocaleTimeString(language, { timeStyle: 'short' });

/** What is reported of what was heard, and its pause; nothing where that is off. */
function reports() {
  const place = el('div');
  let last = '';
  const read = async (path = '', body = undefined) => {
    const value = (await ask(path ? 'POST' : 'GET', `reports${path}`, body).catch((problem) => void (path && fail(problem))))?.value;
    const key = JSON.stringify(value, (name, one) => (/^(age|seconds|next)$/.test(name) ? 0 : one));
    if (!value?.enabled || key === last) return;
    last = key;
    const { clock, pause, servers, sent } = value;
    const isOpen = place.querySelector('details')?.open;
    const words = pause ? (pause.album ? t('pausedAlbum', { album: pause.album }) : t('pausedUntil', { time: hour(pause.seconds ?? 0) })) : clock ? '' : t('noClock');
    place.replaceChildren(panel(t('reports'), words ? el('p', { text: words }) : null,
      facts(servers.map((one) => [one.name, dotted(t(`report_${one.state}`), one.waiting && t('nWaiting', { n: one.waiting }), one.detail)])),
      el('div', { class: 'row ctl' }, ...(pause ? [wide('', t('resume'), () => read('/resume'))]
        : ['hour', 'today', 'album'].map((name) => wide('', t(`pause_${name}`), () => read('/pause', { for: name }))))),
      fold(t('lastSent'), sent.length, listOf(t('lastSent'), 'log', 'ol', ...sent.map((one) => el('li', {}, el('div', {}, foreign(dotted(one.artist, one.title) || one.event),
        el('small', { text: ` ${one.server}, ${one.event}, ${hour(-one.age)}` }))))))));
    place.querySelector('details').open = !!isOpen;
  };
  read();
  return { place, read };
}

define('system', (part) => {
  const head = el('h1', { tabindex: '-1', text: t('system') });
  const sum = el('p', { class: 'sum' });
  const health = el('div', { class: 'health' });
  const body = el('div', { class: 'panels' });
  const log = el('div');
  const told = reports();
  const open = new Set();
  part.replaceChildren(el('div', { class: 'screen-head' }, el('div', {}, head, sum)), health, choices(), body, told.place,
    panel(t('log'), log), el('p', { class: 'note' }, el('a', { href: '/status', text: t('plainPage') })));
  let last = '';
  part.onleave(follow('system', () => {
    const system = state.system;
    if (!system) return;
    sum.textContent = `Vireo ${system.vireo} · ${t('uptime', { time: system.uptime < 86400 ? spoken(system.uptime - (system.uptime > 60 ? system.uptime % 60 : 0)) : t('days', { n: Math.floor(system.uptime / 86400) }) })}`;
    const key = JSON.stringify({ ...system, uptime: 0, version: 0 });
    if (key === last) return;
    last = key;
    for (const one of part.querySelectorAll('details')) {
      const name = one.querySelector('summary')?.textContent;
      if (one.open) open.add(name);
      else open.delete(name);
    }
    const bad = system.checks.filter((one) => one.state !== 'ok');
    health.replaceChildren(el('div', { class: `verdict ${bad.some((one) => one.state === 'fault') ? 'fault' : bad.length ? 'warning' : 'ok'}` },
      icon(bad.length ? 'warning' : 'ok'), el('h2', { text: bad.length ? t('nProblems', { n: bad.length }) : t('allWell') })),
    listOf(t('diagnosis'), 'checks', 'ul', ...[...bad, ...system.checks.filter((one) => one.state === 'ok')].map((one) => el('li', { class: one.state },
      icon(one.state), el('div', {}, el('b', {}, foreign(one.name), el('span', { class: 'unseen', text: ` ${t(`check_${one.state}`)}` })), el('p', {}, foreign(one.detail)),
        one.cure ? el('p', { class: 'cure' }, foreign(one.cure)) : null)))));
    const lines = (values) => listOf(undefined, '', 'ul', ...values.map((value) => el('li', {}, foreign(value))));
    body.replaceChildren(
      panel(t('addresses'), lines(system.addresses)),
      panel(t('sound'), facts([[t('device'), system.sound.name], [t('state'), t(system.sound.isOpen ? 'isOpen' : 'isClosed')], [t('mixer'), system.sound.mixer], [t('problem'), system.sound.problem]])),
      panel(t('network'), facts(system.interfaces.map((one) => [one.name, el('span', {}, foreign(one.addresses.join(', ')), one.isUsed ? null : el('small', { text: ` ${one.detail ?? t('unused')}` }))]))),
      panel(t('listeners'), system.subscribers.length ? facts(system.subscribers.map((one) => [one.address, dotted(one.agent, one.services.join(', '))])) : el('p', { text: t('nobody') }),
        el('p', { class: 'hint', text: t('pages', { n: system.pages }) })),
      el('section', { class: 'panel folds' },
        fold(t('settings'), system.settings.length, el('div', {}, el('p', { class: 'hint', text: t('settingsMore', { file: system.configuration ?? '—' }) }),
          facts(system.settings.map((one) => [one.key, el('span', {}, foreign(one.value), el('small', {}, ' ', foreign(one.where)))])))),
        fold(t('decoders'), system.decoders.length, lines(system.decoders)),
        fold('UDN', system.udns.length, lines(system.udns))));
    for (const one of part.querySelectorAll('details')) one.open = open.has(one.querySelector('summary')?.textContent);
  }));
  const readLog = async () => {
    const value = (await ask('GET', 'system/log').catch(() => undefined))?.value;
    if (!value) return;
    log.replaceChildren(value.lines.length ? listOf(t('log'), 'log', 'ol', ...value.lines.map((line) => el('li', { class: line.level },
      icon(line.level === 'error' ? 'fault' : 'warning'), el('div', {}, foreign(line.text), el('small', { text: ` ${ago(line.age)}` }))))) : el('p', { text: t('logEmpty') }));
  };
  readLog();
  const tick = setInterval(() => {
    if (document.hidden) return;
    readLog();
    told.read();
  }, 15000);
  part.onleave(() => clearInterval(tick));
});
