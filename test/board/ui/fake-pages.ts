/** The paths of the stand-in gateway that pages read and write. */
import * as data from './data.ts';
import type { FakeState } from './fake-gateway.ts';

export interface Reply {
  status?: number;
  body?: unknown;
  type?: string;
  bytes?: Buffer;
  /** Of the file, for whoever saves it. */
  name?: string;
}

export interface Asked {
  method: string;
  url: URL;
  bytes: Buffer;
  state: FakeState;
  emit: (event: { type: string; [field: string]: unknown }) => void;
}

const NOT_FOUND: Reply = { status: 404, body: { error: { code: 'not_found', message: 'There is no such thing.' } } };
/** A grey point. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGOor6//DwAFhAKAjM1mJgAAAABJRU5ErkJggg==',
  'base64',
);
const PAGE = 100;
const ok = (body: unknown): Reply => ({ body });
/** What is written was changed by somebody else. */
const conflict = (text: string): Reply => ({
  status: 409,
  body: { error: { code: 'conflict', message: 'changed' }, current: { text, hash: data.hash(text) } },
});
const SONNET = 'anthropic/claude-sonnet';
const OPUS = 'anthropic/claude-opus';

/** Answers that are always the same. */
const COMPOSER = {
  commands: [
    { name: 'new', description: 'Begin another task', argument: 'goal' },
    { name: 'status', description: 'What I am doing' },
    { name: 'stop', description: 'Stop what is running' },
    { name: 'model', description: 'Which model answers here', argument: 'model' },
  ],
  models: [
    { id: SONNET, name: 'Claude Sonnet' },
    { id: OPUS, name: 'Claude Opus' },
  ],
  ...{ model: { id: SONNET, name: 'Claude Sonnet' }, isUsual: true, levels: ['off', 'low', 'high'] },
};
const AGENTS = {
  vibers: [
    { id: 'default', model: SONNET, description: 'The usual one' },
    { id: 'coder', model: OPUS, description: 'Writes and tests code' },
  ],
  playbooks: [{ name: 'release', goal: 'Prepare a feature branch for release.', steps: 4, variables: ['version'] }],
};
const CONFIG = { config: { model: SONNET, channels: { telegram: { token: '***' } }, http: { port: 6009 } } };
const RECEIPT = { text: 'Since Monday: Nothing you wrote was lost: 41 messages, 41 answered, one restart.' };
const SLACK_DETAIL =
  'The token was refused: put the one from the page "OAuth & Permissions" into channels.slack.botToken.';
const CHANNELS = {
  ...{ telegram: { state: 'connected' }, discord: { state: 'reconnecting' } },
  ...{ slack: { state: 'failed', detail: SLACK_DETAIL }, terminal: { state: 'off' } },
};
const CONTEXT = {
  sections: [
    { title: 'Instructions', text: 'You are Viber. Warm, short, honest.', tokens: 812 },
    { title: 'Memory', text: data.FILES['MEMORY.md'], tokens: 96 },
    { title: 'Plan', text: data.PLAN, tokens: 140 },
    { title: 'Question', text: `${data.XSS} token=***`, tokens: 30 },
  ],
};
const bundled = { ready: true, missing: [] as string[], place: 'bundled' };
const NO_KEY = 'A key for a search service: search.key in config.yaml';
const SKILLS = [
  { name: 'chart', description: 'Draws charts from tables', ...bundled },
  { name: 'git', description: 'Works with repositories', ...bundled },
  { name: 'web-search', description: 'Searches the web', ...bundled, ready: false, missing: [NO_KEY] },
  { name: 'invoices', description: `Reads invoices and files them. ${data.XSS}`, ...bundled, place: 'home' },
];

export async function answer(asked: Asked): Promise<Reply> {
  const { method, url, state } = asked;
  const [, , room = '', id = '', more = ''] = url.pathname.split('/').map(decodeURIComponent);
  if (method !== 'GET') state.done.push(`${method} ${url.pathname}`);
  const read: Record<string, () => Reply> = {
    push: () => pushPaths(asked, id),
    me: () =>
      ok({
        ...{ name: 'Alex', role: state.role, person: 'alex', principal: 'person:alex', viber: 'default' },
        ...{ vibers: ['default'], filesPerMessage: 20, version: '0.1.0' },
        ...(state.language !== undefined && { language: state.language }),
        ...(state.nowTask !== undefined && { taskId: state.nowTask }),
      }),
    composer: () => ok(COMPOSER),
    tasks: () => tasks(asked, id, more),
    approvals: () => approvals(asked, id),
    files: () => files(asked, id),
    jobs: () => jobs(asked, id, more),
    memory: () => memory(asked, id, more),
    letters: () => letters(asked, id),
    receipt: () => ok(RECEIPT),
    health: () => {
      const count = (wanted: string) => state.letters.filter(({ kind }) => kind === wanted).length;
      const lately = { waiting: 3, dead: count('dead'), unsure: count('unsure'), oldestUndeliveredSeconds: 12 };
      return ok({ ready: true, channels: CHANNELS, workspace: { writable: true }, ...lately });
    },
    usage: () => {
      const [from, to] = ['from', 'to'].map((name) => Date.parse(url.searchParams.get(name) ?? ''));
      const days = Math.round(((to ?? 0) - (from ?? 0)) / 86_400_000) + 1;
      return ok(data.usageOf(Number.isFinite(days) ? days : 30, state.at));
    },
    logs: () => logs(asked),
    people: () =>
      ok({
        people: [
          { name: 'alex', role: 'owner', ids: ['telegram:1001', 'discord:2002'] },
          { name: 'sam', role: 'member', ids: ['slack:T01:U03'] },
        ],
        links: [{ person: 'alex', ids: ['telegram:1001', 'terminal:alex'] }],
        ...{ pairing: state.pairing, sessions: state.sessions },
      }),
    pairing: () => {
      state.pairing = state.pairing.filter(({ code }) => code !== id);
      return ok({});
    },
    skills: () => skills(id),
    agents: () => ok(AGENTS),
    config: () => ok(CONFIG),
    uploads: () => {
      const file = { name: url.searchParams.get('name'), type: 'text/plain', size: asked.bytes.length };
      return { status: 201, body: { ref: `uploads/${state.done.length}`, ...file } };
    },
    find: () => find(asked, id),
    artifacts: () => {
      const ref = `artifacts/${id}/${more}`;
      const given = state.artifacts.get(ref);
      if (given !== undefined) return given;
      return url.pathname.endsWith('.png')
        ? { type: 'image/png', bytes: PNG, name: 'prices.png' }
        : { type: 'text/markdown', bytes: Buffer.from(`# Comparison\n\n${data.XSS}\n`), name: 'comparison.md' };
    },
  };
  return read[room]?.() ?? NOT_FOUND;
}

const json = ({ bytes }: Asked): Record<string, string> => (bytes.length === 0 ? {} : JSON.parse(String(bytes)));

function find({ url, state }: Asked, what: string): Reply {
  const sought = (url.searchParams.get('q') ?? '').toLowerCase();
  const has = (text: string) => text.toLowerCase().includes(sought);
  if (what === 'messages') {
    const messages = [...state.messages].flatMap(([taskId, list]) =>
      list
        .filter(({ text }) => has(text))
        .map(({ id, text: marked, at, role }) => {
          const text = marked.replaceAll('**', '');
          const marks = [[text.toLowerCase().indexOf(sought), sought.length]];
          return { taskId, title: 'A task', id, at, text, marks, ...(role === 'user' && { who: 'Alex' }) };
        }),
    );
    return ok({ messages });
  }
  const files = [...state.artifacts]
    .filter(([, { name }]) => has(name))
    .map(([ref, { name, type }]) => ({ taskId: ref.split('/')[1], title: name, type, ref }));
  return ok({ tasks: state.tasks.filter(({ title }) => has(title)).slice(0, 8), files });
}

function tasks(asked: Asked, id: string, more: string): Reply {
  const { url, state } = asked;
  if (id === '') {
    const [wanted, channel] = [url.searchParams.get('state'), url.searchParams.get('channel')];
    const fits = state.tasks.filter(
      (task) =>
        (task.archived === true) === (url.searchParams.get('archived') === 'true') &&
        (!wanted || task.state === wanted) &&
        (!channel || task.channel === channel),
    );
    const after = url.searchParams.get('after');
    const from = after === null ? 0 : fits.findIndex(({ taskId }) => taskId === after) + 1;
    const page = fits.slice(from, from + PAGE);
    return ok({ tasks: page, ...(from + PAGE < fits.length && { next: page.at(-1)?.taskId }) });
  }
  const task = state.tasks.find(({ taskId }) => taskId === id);
  if (task === undefined) return NOT_FOUND;
  const plan = state.plans.get(id);
  const all = state.messages.get(id) ?? [{ id: `${id}-1`, role: 'user' as const, text: task.goal, at: task.updatedAt }];
  const ago = (minutes: number) => new Date(state.at - minutes * data.MINUTE).toISOString();
  switch (more) {
    case 'messages': {
      const after = url.searchParams.get('after');
      const end = after === null ? all.length : all.findIndex((one) => one.id === after);
      const page = all.slice(Math.max(0, end - PAGE), end);
      return ok({ messages: page, ...(end > PAGE && { next: page[0]?.id }) });
    }
    case 'plan': {
      const { text = '', baseHash } = json(asked);
      if (plan !== undefined && baseHash !== data.hash(plan)) return conflict(plan);
      state.plans.set(id, text);
      asked.emit({ type: 'plan:changed', taskId: id });
      return ok({ hash: data.hash(text) });
    }
    case 'context':
      return ok(CONTEXT);
    case 'why': {
      const given = [
        { text: 'Alex wrote on Telegram today at 9:00: "Which one should I take?"' },
        { text: 'From memory I got one entry.', to: 'memory' },
        { text: 'Alex *drinks* oolong', isPart: true },
      ];
      const did = [{ text: 'I answered without any tool.' }];
      const cost = [{ text: `Run ${url.searchParams.get('run')}: 12 tokens.` }];
      const sections = Object.entries({ 'What I was given': given, 'What I did': did, 'What it cost': cost });
      return ok({ sections: sections.map(([title, lines]) => ({ title, lines })) });
    }
    case 'trace': {
      const events = [
        { id: '4', at: ago(29), what: 'completed', detail: 'The offer is ready.' },
        { id: '3', at: ago(31), what: 'decided', detail: 'approve Mara' },
        { id: '2', at: ago(32), what: 'used', detail: 'read_file' },
        { id: '1', at: ago(33), what: 'Mara on telegram', detail: 'Compare the offers.' },
      ];
      return ok({ events });
    }
    case 'cost': {
      const [total, by] = [
        { inputTokens: 48_200, outputTokens: 2_930 },
        { model: SONNET, currency: 'USD' },
      ];
      const calls = [
        { id: '2', at: ago(29), ...by, inputTokens: 27_200, outputTokens: 1_530, cost: 0.0431, ms: 6100 },
        { id: '1', at: ago(32), ...by, inputTokens: 21_000, outputTokens: 1_400, cost: 0.041, ms: 4200 },
      ];
      return ok({ total: { cost: 0.0841, currency: 'USD', ...total }, calls });
    }
    default: {
      const artifacts = id === '20261122-00000' ? data.messagesOf(state.at)[1]?.artifactRefs : [];
      const planned = plan !== undefined && { plan: { text: plan, hash: data.hash(plan) } };
      return ok({ ...task, id, runs: 2, artifacts, ...planned });
    }
  }
}

function approvals(asked: Asked, id: string): Reply {
  const { state, method } = asked;
  if (method === 'GET') return ok({ approvals: state.approvals });
  const found = state.approvals.find((one) => one.id === id);
  if (found === undefined || found.digest !== json(asked).digest) return { ...NOT_FOUND, status: 409 };
  state.approvals = state.approvals.filter((one) => one !== found);
  state.done.push(`${String(found.id)} ${json(asked).verdict} ${json(asked).answer ?? ''}`.trim());
  asked.emit({ type: 'approval:decided', taskId: found.taskId, approval: found.id });
  return ok({});
}

function files(asked: Asked, name: string): Reply {
  const { state, method } = asked;
  if (name === '') {
    const view = (one: string) => ({ name: one, exists: state.files[one] !== undefined, place: 'workspace' });
    return ok({ files: ['IDENTITY.md', ...Object.keys(state.files)].sort().map(view) });
  }
  const text = state.files[name] ?? '';
  if (method === 'GET') return ok({ name, text, hash: data.hash(text), place: 'workspace' });
  const { text: written = '', baseHash } = json(asked);
  if (baseHash !== data.hash(text)) return conflict(text);
  state.files[name] = written;
  return ok({ hash: data.hash(written) });
}

function jobs(asked: Asked, id: string, more: string): Reply {
  const { state, method } = asked;
  const body = json(asked);
  if (id === '' && method === 'GET') return ok({ jobs: state.jobs });
  if (id === '') {
    const { name = '', schedule = '' } = body;
    const where = { timezone: 'Europe/Vienna', state: 'on', next: [], deliver: [] };
    const job = { id: 'made', name, schedule, words: schedule, ...where };
    state.jobs = [...state.jobs, job];
    return { status: 201, body: job };
  }
  if (id === 'check') {
    const text = body.text ?? '';
    if (/dys|schedule: *$/m.test(text))
      return ok({ ok: false, problems: ['schedule: this is not understood; perhaps "every 3 days"'] });
    return ok({ ok: true, words: 'every weekday at 07:30', next: (state.jobs[0]?.next as string[]) ?? [] });
  }
  const job = state.jobs.find((one) => one.id === id);
  if (job === undefined) return NOT_FOUND;
  const text = state.jobTexts.get(id) ?? '';
  if (method === 'DELETE') state.jobs = state.jobs.filter((one) => one !== job);
  else if (more === 'pause') job.state = 'paused';
  else if (more === 'resume') job.state = 'on';
  else if (method === 'PUT') {
    if (body.baseHash !== data.hash(text)) return conflict(text);
    state.jobTexts.set(id, body.text ?? '');
    return ok({ hash: data.hash(body.text ?? ''), view: job });
  } else if (method === 'GET') return ok({ view: job, text, hash: data.hash(text) });
  asked.emit({ type: 'job:changed', job: id });
  return ok(job);
}

function memory(asked: Asked, id: string, more: string): Reply {
  const { state, url } = asked;
  if (id === 'search') {
    const query = (url.searchParams.get('q') ?? '').toLowerCase();
    const lines = (state.files['MEMORY.md'] ?? '').split('\n').filter((line) => line.toLowerCase().includes(query));
    return ok({ results: lines.map((content) => ({ content, source_file: 'MEMORY.md', section: 'Project Context' })) });
  }
  if (id === 'suggestions') {
    state.suggestions = state.suggestions.filter((one) => one.id !== more);
    asked.emit({ type: 'memory:suggested' });
    return ok({});
  }
  const text = state.files['MEMORY.md'];
  const daily = ['2026-11-22', '2026-11-21', '2026-11-20'].map((day) => ({
    name: `memory/${day}.md`,
    text: `# ${day}\n\n- 09:12 Compared the offers for the heating\n- 14:40 Wrote the release notes\n`,
  }));
  const files = [{ name: 'MEMORY.md', text, hash: data.hash(text ?? '') }, ...daily];
  return ok({ suggestions: state.suggestions, files });
}

function letters(asked: Asked, id: string): Reply {
  const { state, url, method } = asked;
  if (method === 'GET') {
    const kind = url.searchParams.get('kind');
    return ok({ letters: state.letters.filter((one) => kind === null || one.kind === kind) });
  }
  const before = state.letters.length;
  state.letters =
    id === 'retry' ? state.letters.filter(({ kind }) => kind !== 'dead') : state.letters.filter((one) => one.id !== id);
  return ok({ retried: before - state.letters.length });
}

function logs({ url, state }: Asked): Reply {
  const order = ['debug', 'info', 'warn', 'error'];
  const least = order.indexOf(url.searchParams.get('level') ?? 'debug');
  const trace = url.searchParams.get('trace');
  const all = data
    .logsOf(420, state.at)
    .filter((line) => order.indexOf(String(line.level)) >= least && (!trace || line.trace === trace));
  const from = Number(url.searchParams.get('after') ?? 0);
  const next = from + PAGE < all.length && { next: String(from + PAGE) };
  return ok({ lines: all.slice(from, from + PAGE), ...next });
}

function skills(name: string): Reply {
  if (name === '') return ok({ skills: SKILLS });
  const found = SKILLS.find((one) => one.name === name);
  if (found === undefined) return NOT_FOUND;
  return ok({ ...found, text: `# ${name}\n\nUse it when numbers are to be seen.\n\n- one\n- two\n` });
}

/** Notifications; `data.FakeState` need not know who has turned them on. */
const subscribed = new WeakSet<FakeState>();
function pushPaths({ method, state }: Asked, id: string): Reply {
  if (id === 'news') {
    state.done.push('GET /api/push/news');
    return ok({ title: 'Notifications work.', body: '', url: '/board/settings?part=push' });
  }
  if (id === 'test') return ok({ ok: true });
  if (method === 'PUT') subscribed.add(state);
  if (method === 'DELETE') subscribed.delete(state);
  return ok({ key: 'the-key', isOn: subscribed.has(state) });
}
