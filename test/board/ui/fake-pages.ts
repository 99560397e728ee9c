/** The paths of the stand-in gateway that pages read and write. */
import * as data from './data.ts';
import type { FakeState } from './fake-gateway.ts';

export interface Reply {
  status?: number;
  body?: unknown;
  type?: string;
  bytes?: Buffer;
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

export async function answer(asked: Asked): Promise<Reply> {
  const { method, url, state } = asked;
  const [, , room = '', id = '', more = ''] = url.pathname.split('/').map(decodeURIComponent);
  if (method !== 'GET') state.done.push(`${method} ${url.pathname}`);
  const read: Record<string, () => Reply> = {
    me: () => ({
      body: {
        ...{
          name: 'Alex',
          role: state.role,
          person: 'alex',
          principal: 'person:alex',
          viber: 'default',
          vibers: [{ id: 'default' }],
          version: '0.1.0',
          ...(state.language !== undefined && { language: state.language }),
        },
        ...(state.nowTask === undefined ? {} : { taskId: state.nowTask }),
      },
    }),
    tasks: () => tasks(asked, id, more),
    approvals: () => approvals(asked, id),
    files: () => files(asked, id),
    jobs: () => jobs(asked, id, more),
    memory: () => memory(asked, id, more),
    letters: () => letters(asked, id),
    health: () => ({
      body: {
        ready: true,
        channels: {
          telegram: { state: 'connected' },
          discord: { state: 'reconnecting' },
          slack: {
            state: 'failed',
            detail:
              'The token was refused: put the one from the page "OAuth & Permissions" into channels.slack.botToken.',
          },
          terminal: { state: 'off' },
        },
        workspace: { writable: true },
        ...{
          waiting: 3,
          dead: state.letters.filter(({ kind }) => kind === 'dead').length,
          unsure: state.letters.filter(({ kind }) => kind === 'unsure').length,
          oldestUndeliveredSeconds: 12,
        },
      },
    }),
    usage: () => {
      const days =
        Math.round(
          (Date.parse(url.searchParams.get('to') ?? '') - Date.parse(url.searchParams.get('from') ?? '')) / 86_400_000,
        ) + 1;
      return { body: data.usageOf(Number.isFinite(days) ? days : 30, state.at) };
    },
    logs: () => logs(asked),
    people: () => ({
      body: {
        people: [
          { name: 'alex', role: 'owner', ids: ['telegram:1001', 'discord:2002'] },
          { name: 'sam', role: 'member', ids: ['slack:T01:U03'] },
        ],
        ...{
          pairing: state.pairing,
          links: [{ person: 'alex', ids: ['telegram:1001', 'terminal:alex'] }],
          sessions: state.sessions,
        },
      },
    }),
    pairing: () => {
      state.pairing = state.pairing.filter(({ code }) => code !== id);
      return { body: {} };
    },
    skills: () => skills(id),
    agents: () => ({
      body: {
        vibers: [
          { id: 'default', name: 'Viber', model: 'anthropic/claude-sonnet', description: 'The usual one' },
          { id: 'coder', name: 'Coder', model: 'anthropic/claude-opus', description: 'Writes and tests code' },
        ],
        playbooks: [
          { name: 'release', goal: 'Prepare a feature branch for release.', steps: 4, variables: ['version'] },
        ],
      },
    }),
    config: () => ({
      body: {
        config: { model: 'anthropic/claude-sonnet', channels: { telegram: { token: '***' } }, http: { port: 6009 } },
      },
    }),
    uploads: () => ({
      status: 201,
      body: {
        ref: `uploads/${state.done.length}`,
        name: url.searchParams.get('name'),
        type: 'text/plain',
        size: asked.bytes.length,
      },
    }),
    artifacts: () =>
      url.pathname.endsWith('.png')
        ? { type: 'image/png', bytes: PNG }
        : { type: 'text/plain', bytes: Buffer.from(`# Comparison\n\n${data.XSS}\n`) },
  };
  return read[room]?.() ?? NOT_FOUND;
}

const json = ({ bytes }: Asked): Record<string, string> => (bytes.length === 0 ? {} : JSON.parse(String(bytes)));

function tasks(asked: Asked, id: string, more: string): Reply {
  const { url, state } = asked;
  if (id === '') {
    const [wanted, channel] = [url.searchParams.get('state'), url.searchParams.get('channel')];
    const fits = state.tasks.filter(
      (task) => (!wanted || task.state === wanted) && (!channel || task.channel === channel),
    );
    const after = url.searchParams.get('after');
    const from = after === null ? 0 : fits.findIndex(({ taskId }) => taskId === after) + 1;
    const page = fits.slice(from, from + PAGE);
    return { body: { tasks: page, ...(from + PAGE < fits.length ? { next: page.at(-1)?.taskId } : {}) } };
  }
  const task = state.tasks.find(({ taskId }) => taskId === id);
  if (task === undefined) return NOT_FOUND;
  const plan = state.plans.get(id);
  const all = state.messages.get(id) ?? [{ id: `${id}-1`, role: 'user' as const, text: task.goal, at: task.updatedAt }];
  switch (more) {
    case 'messages': {
      const after = url.searchParams.get('after');
      const end = after === null ? all.length : all.findIndex((one) => one.id === after);
      const page = all.slice(Math.max(0, end - PAGE), end);
      return { body: { messages: page, ...(end > PAGE ? { next: page[0]?.id } : {}) } };
    }
    case 'plan': {
      const { text = '', baseHash } = json(asked);
      if (plan !== undefined && baseHash !== data.hash(plan))
        return {
          status: 409,
          body: { error: { code: 'conflict', message: 'changed' }, current: { text: plan, hash: data.hash(plan) } },
        };
      state.plans.set(id, text);
      asked.emit({ type: 'plan:changed', taskId: id });
      return { body: { hash: data.hash(text) } };
    }
    case 'context':
      return {
        body: {
          sections: [
            { title: 'Instructions', text: 'You are Viber. Warm, short, honest.', tokens: 812 },
            { title: 'Memory', text: data.FILES['MEMORY.md'], tokens: 96 },
            { title: 'Plan', text: data.PLAN, tokens: 140 },
            { title: 'Question', text: `${data.XSS} token=***`, tokens: 30 },
          ],
        },
      };
    case 'trace':
      return {
        body: {
          events: [
            {
              id: '4',
              at: new Date(state.at - 29 * data.MINUTE).toISOString(),
              what: 'completed',
              detail: 'The offer is ready.',
            },
            {
              id: '3',
              at: new Date(state.at - 31 * data.MINUTE).toISOString(),
              what: 'decided',
              detail: 'approve Mara',
            },
            { id: '2', at: new Date(state.at - 32 * data.MINUTE).toISOString(), what: 'used', detail: 'read_file' },
            {
              id: '1',
              at: new Date(state.at - 33 * data.MINUTE).toISOString(),
              what: 'Mara on telegram',
              detail: 'Compare the offers.',
            },
          ],
        },
      };
    case 'cost':
      return {
        body: {
          total: { cost: 0.0841, currency: 'USD', inputTokens: 48_200, outputTokens: 2_930 },
          calls: [
            {
              id: '2',
              at: new Date(state.at - 29 * data.MINUTE).toISOString(),
              model: 'anthropic/claude-sonnet',
              inputTokens: 27_200,
              outputTokens: 1_530,
              cost: 0.0431,
              currency: 'USD',
              ms: 6100,
            },
            {
              id: '1',
              at: new Date(state.at - 32 * data.MINUTE).toISOString(),
              model: 'anthropic/claude-sonnet',
              inputTokens: 21_000,
              outputTokens: 1_400,
              cost: 0.041,
              currency: 'USD',
              ms: 4200,
            },
          ],
        },
      };
    default: {
      const artifacts = id === '20261122-00000' ? data.messagesOf(state.at)[1]?.artifactRefs : [];
      return {
        body: {
          ...task,
          id,
          runs: 2,
          artifacts,
          ...(plan === undefined ? {} : { plan: { text: plan, hash: data.hash(plan) } }),
        },
      };
    }
  }
}

function approvals(asked: Asked, id: string): Reply {
  const { state, method } = asked;
  if (method === 'GET') return { body: { approvals: state.approvals } };
  const found = state.approvals.find((one) => one.id === id);
  if (found === undefined || found.digest !== json(asked).digest) return { ...NOT_FOUND, status: 409 };
  state.approvals = state.approvals.filter((one) => one !== found);
  state.done.push(`${String(found.id)} ${json(asked).verdict} ${json(asked).answer ?? ''}`.trim());
  asked.emit({ type: 'approval:decided', taskId: found.taskId, approval: found.id });
  return { body: {} };
}

function files(asked: Asked, name: string): Reply {
  const { state, method } = asked;
  if (name === '')
    return {
      body: {
        files: ['IDENTITY.md', ...Object.keys(state.files)]
          .sort()
          .map((one) => ({ name: one, exists: state.files[one] !== undefined, place: 'workspace' })),
      },
    };
  const text = state.files[name] ?? '';
  if (method === 'GET') return { body: { name, text, hash: data.hash(text), place: 'workspace' } };
  const { text: written = '', baseHash } = json(asked);
  if (baseHash !== data.hash(text))
    return {
      status: 409,
      body: { error: { code: 'conflict', message: 'changed' }, current: { text, hash: data.hash(text) } },
    };
  state.files[name] = written;
  return { body: { hash: data.hash(written) } };
}

function jobs(asked: Asked, id: string, more: string): Reply {
  const { state, method } = asked;
  const body = json(asked);
  if (id === '' && method === 'GET') return { body: { jobs: state.jobs } };
  if (id === '') {
    const job = {
      id: 'made',
      name: body.name ?? '',
      schedule: body.schedule ?? '',
      words: body.schedule ?? '',
      timezone: 'Europe/Vienna',
      state: 'on',
      next: [],
      deliver: [],
    };
    state.jobs = [...state.jobs, job];
    return { status: 201, body: job };
  }
  if (id === 'check') {
    const text = body.text ?? '';
    if (/dys|schedule: *$/m.test(text))
      return { body: { ok: false, problems: ['schedule: this is not understood; perhaps "every 3 days"'] } };
    return { body: { ok: true, words: 'every weekday at 07:30', next: (state.jobs[0]?.next as string[]) ?? [] } };
  }
  const job = state.jobs.find((one) => one.id === id);
  if (job === undefined) return NOT_FOUND;
  const text = state.jobTexts.get(id) ?? '';
  if (method === 'DELETE') state.jobs = state.jobs.filter((one) => one !== job);
  else if (more === 'pause') job.state = 'paused';
  else if (more === 'resume') job.state = 'on';
  else if (method === 'PUT') {
    if (body.baseHash !== data.hash(text))
      return {
        status: 409,
        body: { error: { code: 'conflict', message: 'changed' }, current: { text, hash: data.hash(text) } },
      };
    state.jobTexts.set(id, body.text ?? '');
    return { body: { hash: data.hash(body.text ?? ''), view: job } };
  } else if (method === 'GET') return { body: { view: job, text, hash: data.hash(text) } };
  asked.emit({ type: 'job:changed', job: id });
  return { body: job };
}

function memory(asked: Asked, id: string, more: string): Reply {
  const { state, url } = asked;
  if (id === 'search') {
    const query = (url.searchParams.get('q') ?? '').toLowerCase();
    const lines = (state.files['MEMORY.md'] ?? '').split('\n').filter((line) => line.toLowerCase().includes(query));
    return {
      body: { results: lines.map((content) => ({ content, source_file: 'MEMORY.md', section: 'Project Context' })) },
    };
  }
  if (id === 'suggestions') {
    state.suggestions = state.suggestions.filter((one) => one.id !== more);
    asked.emit({ type: 'memory:suggested' });
    return { body: {} };
  }
  const days = ['2026-11-22', '2026-11-21', '2026-11-20'];
  return {
    body: {
      suggestions: state.suggestions,
      files: [
        { name: 'MEMORY.md', text: state.files['MEMORY.md'], hash: data.hash(state.files['MEMORY.md'] ?? '') },
        ...days.map((day) => ({
          name: `memory/${day}.md`,
          text: `# ${day}\n\n- 09:12 Compared the offers for the heating\n- 14:40 Wrote the release notes\n`,
        })),
      ],
    },
  };
}

function letters(asked: Asked, id: string): Reply {
  const { state, url, method } = asked;
  if (method === 'GET') {
    const kind = url.searchParams.get('kind');
    return { body: { letters: state.letters.filter((one) => kind === null || one.kind === kind) } };
  }
  const before = state.letters.length;
  state.letters =
    id === 'retry' ? state.letters.filter(({ kind }) => kind !== 'dead') : state.letters.filter((one) => one.id !== id);
  return { body: { retried: before - state.letters.length } };
}

function logs({ url, state }: Asked): Reply {
  const order = ['debug', 'info', 'warn', 'error'];
  const least = order.indexOf(url.searchParams.get('level') ?? 'debug');
  const trace = url.searchParams.get('trace');
  const all = data
    .logsOf(420, state.at)
    .filter((line) => order.indexOf(String(line.level)) >= least && (!trace || line.trace === trace));
  const from = Number(url.searchParams.get('after') ?? 0);
  return {
    body: { lines: all.slice(from, from + PAGE), ...(from + PAGE < all.length ? { next: String(from + PAGE) } : {}) },
  };
}

function skills(name: string): Reply {
  const list = [
    { name: 'chart', description: 'Draws charts from tables', ready: true, place: 'bundled' },
    { name: 'git', description: 'Works with repositories: status, history, commits', ready: true, place: 'bundled' },
    {
      name: 'web-search',
      description: 'Searches the web',
      ready: false,
      missing: ['A key for a search service: search.key in config.yaml'],
      place: 'bundled',
    },
    { name: 'invoices', description: `Reads invoices and files them. ${data.XSS}`, ready: true, place: 'home' },
  ];
  if (name === '') return { body: { skills: list } };
  const found = list.find((one) => one.name === name);
  return found === undefined
    ? NOT_FOUND
    : { body: { ...found, text: `# ${name}\n\nUse it when numbers are to be seen.\n\n- one\n- two\n` } };
}
