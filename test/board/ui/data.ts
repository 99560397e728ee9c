/** What the stand-in for a gateway holds when it starts: a house with some life in it, and hostile texts among the rest. */
import { createHash } from 'node:crypto';

export const MINUTE = 60_000;
export const XSS = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
export const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

export interface FakeTask {
  taskId: string;
  title: string;
  goal: string;
  state: string;
  channel: string;
  person: string;
  viberId: string;
  updatedAt: string;
  archived?: boolean;
}

export interface FakeMessage {
  id: string;
  role: 'user' | 'assistant';
  text: string;
  at: string;
  runId?: string;
  again?: string;
  artifactRefs?: object[];
  files?: object[];
}

// biome-ignore format: a row is a line
const SUBJECTS: readonly (readonly [string, string, string])[] = [
  ['Compare the three offers for the new heating', 'Read the offers in the attachments and put prices, terms and warranty side by side', 'telegram'],
  ['Weekly digest of the support inbox', 'Sum up what customers asked this week and what is still open', 'slack'],
  ['Draft release notes for 1.4', 'Write the notes for customers from the merged changes', 'discord'],
  ['Plan the garden party in June', 'Guests, food, what to do if it rains', 'telegram'],
  ['Find a train to Vienna on Friday', 'After four in the afternoon, one change at most', 'telegram'],
  ['Translate the rental contract', 'From German into plain English, with a list of what is unusual', 'terminal'],
  ['Why did the nightly backup fail?', 'Look at the log and say what to do', 'slack'],
  ['Chart of the monthly energy use', 'From the spreadsheet, last twelve months', 'discord'],
  ['Rename the photos by date', 'Folder Pictures/2026, keep the originals', 'terminal'],
  ['Book list on the history of Lisbon', 'Five books, two of them novels', 'telegram'],
];
/** The states by index that aren't `completed`. */
const STATES: Record<number, string> = { 4: 'stopped', 6: 'error' };

export function tasksOf(count: number, at: number): FakeTask[] {
  return Array.from({ length: count }, (_, index) => {
    const [title, goal, channel] = SUBJECTS[index % SUBJECTS.length] ?? ['', '', ''];
    const state = index === 0 ? 'running' : index === 3 ? 'pending' : (STATES[index % 10] ?? 'completed');
    const gone = index < 3 ? index * 4 : index < 12 ? index * 47 : index * 190;
    return {
      // Ids grow with time, but for the first ones, which tests name.
      taskId: index < 10 ? `20261122-0000${index}` : `20261121-${99_999 - index}`,
      title: index < SUBJECTS.length ? title : `${title} (${index})`,
      goal,
      state,
      channel,
      person: index % 4 === 2 ? 'person:sam' : 'person:alex',
      viberId: 'default',
      updatedAt: new Date(at - gone * MINUTE).toISOString(),
    };
  });
}

export const PLAN = `# Current Task

## Goal
Compare the three offers for the new heating

## Plan
- [x] Read the three offers
- [x] Note prices and terms in one table
- [ ] Check what the warranty covers (in progress)
- [ ] Ask the installer about the date
- [ ] Write a recommendation of one page

## Blockers
None currently
`;

const ANSWER = `I have read all three. In short: **Bergmann** costs the most and covers the most; **Lindner** is the cheapest, but installs only in October.

| | Bergmann | Lindner | Wolf |
|---|--:|--:|--:|
| Price | €14,200 | €11,900 | €12,650 |
| Warranty | 10 years | 5 years | 7 years |
| Earliest date | 3 Aug | 12 Oct | 24 Aug |

Two things are unusual:

1. Wolf asks for *60% in advance*.
2. Lindner's warranty leaves out the pump, see \`§ 7.2\` of the [terms](https://example.org/terms).

> The warranty begins with the first start of operation.
`;

const PDF = 'application/pdf';
export function messagesOf(at: number): FakeMessage[] {
  const when = (minutes: number) => new Date(at - minutes * MINUTE).toISOString();
  return [
    {
      ...{ id: 'm1', role: 'user', at: when(32) },
      text: 'Here are the three offers for the heating. Which one should I take?',
      files: [
        { id: 'f1', title: 'offer-bergmann.pdf', type: PDF, ref: 'artifacts/20261122-00000/f1.pdf', size: 184_000 },
        { id: 'f2', title: 'offer-lindner.pdf', type: PDF, ref: 'artifacts/20261122-00000/f2.pdf', size: 96_500 },
      ],
    },
    {
      ...{ id: 'm2', role: 'assistant', at: when(29), runId: 'run1', text: ANSWER },
      artifactRefs: [
        { id: 'a1', title: 'comparison.md', type: 'text/markdown', ref: 'artifacts/20261122-00000/a1.md', size: 2_140 },
        { id: 'a2', title: 'prices.png', type: 'image/png', ref: 'artifacts/20261122-00000/a2.png', size: 12_400 },
      ],
    },
    { id: 'm3', role: 'user', at: when(3), text: 'Good. Does the warranty of Bergmann cover the labour as well?' },
  ];
}

/** A message, a title and a name that would run as a program in a careless page. */
export const hostileMessages = (at: number): FakeMessage[] => [
  {
    id: 'x1',
    role: 'user',
    at: new Date(at - MINUTE).toISOString(),
    text: `${XSS} [click](javascript:alert(1)) ![p](data:text/html,x)`,
  },
  {
    ...{ id: 'x2', role: 'assistant', runId: 'runx', at: new Date(at).toISOString() },
    text: `# ${XSS}\n\n- ${XSS}\n\n\`\`\`html\n${XSS}\n\`\`\`\n\n| ${XSS} |\n|---|\n| ${XSS} |\n\n&lt;b&gt; &amp; <b onmouseover=alert(1)>x</b>`,
    artifactRefs: [{ id: 'ax', title: `${XSS}.html`, type: 'text/html', ref: 'artifacts/x/ax.html', size: 9 }],
  },
];

export const approvalsOf = (at: number): Record<string, unknown>[] => [
  {
    id: '9b1d5f3a7c2e4f60a1b2c3d4',
    taskId: '20261122-00000',
    title: 'Compare the three offers for the new heating',
    kind: 'tool',
    tool: 'notify',
    sentence: 'Send **“Could you install the heating in the first week of August?”** to *Bergmann Heating*?',
    details:
      'To `telegram:2044`\n\n```text\nCould you install the heating in the first week of August?\nWith kind regards\n```',
    digest: '6d2c',
    askedAt: new Date(at - MINUTE).toISOString(),
    expiresAt: new Date(at + 9 * MINUTE).toISOString(),
  },
  {
    id: 'ffeeddccbbaa998877665544',
    taskId: '20261122-00003',
    title: 'Plan the garden party in June',
    kind: 'question',
    sentence: 'How many guests do you expect?',
    options: ['Up to 10', '10 to 20', 'More'],
    digest: '77aa',
    askedAt: new Date(at - 20 * MINUTE).toISOString(),
  },
];

export const FILES: Record<string, string> = {
  'AGENTS.md': '# How you work with others\n\nAsk before you write to anybody outside the house.\n',
  'SOUL.md':
    '# Manner\n\nWarm, short, honest. Say when you do not know.\nOne question at a time.\n\n# Values\n\nCare before speed.\n',
  'USER.md': '# Alex\n\nLives in Graz. Prefers short sentences.\n',
  'MEMORY.md':
    '## User Preferences\n- Short sentences\n- Offers are compared without tax\n\n## Project Context\n- The heating is replaced in August\n',
};

export const UNSENT = "Nothing can be sent to slack:C024BE91L: slack isn't on.";

export const jobsOf = (at: number): Record<string, unknown>[] => {
  const next = (hours: number) => new Date(at + hours * 60 * MINUTE).toISOString();
  const base = { timezone: 'Europe/Vienna', deliver: ['telegram:1001'] };
  const job = (id: string, name: string, schedule: string, words: string, state: string, more: object = {}) => ({
    ...base,
    id,
    name,
    schedule,
    words,
    state,
    next: [],
    ...more,
  });
  const lastRun = { task: '20261122-00004', slot: next(-22), state: 'completed' };
  const morning = { next: [next(2), next(26), next(50)], lastRun };
  const digest = { next: [next(30), next(198), next(366)], deliver: ['slack:C024BE91L'], lacks: [UNSENT] };
  const problem = 'schedule: "every 3 dys" is not understood; perhaps "every 3 days"';
  return [
    job('morning', 'Morning briefing', 'every weekday at 7:30', 'every weekday at 07:30', 'on', morning),
    job('digest', 'Support digest', 'every friday at 16:00', 'every Friday at 16:00', 'on', digest),
    job('backup', 'Look at the backup', '0 6 * * *', 'every day at 06:00', 'paused'),
    job('water', 'Water the plants', 'every 3 dys', '', 'broken', { problem }),
  ];
};

export const jobText = (name: string, schedule: string): string =>
  `name: ${name}\nschedule: ${schedule}\ntimezone: Europe/Vienna\nprompt: |\n  Say in five lines what is due today and what is late.\ndeliver:\n  - telegram:1001\n`;

export const usageOf = (days: number, at: number): Record<string, unknown> => {
  const list = Array.from({ length: days }, (_, index) => {
    const back = days - 1 - index;
    const wave = 0.5 + Math.abs(Math.sin(index * 1.7)) + ((index * 7) % 5) * 0.18;
    return {
      day: new Date(at - back * 24 * 60 * MINUTE).toISOString().slice(0, 10),
      ...{ cost: Number((wave * 0.42).toFixed(4)), currency: 'USD' },
      ...{
        inputTokens: Math.round(wave * 210_000),
        outputTokens: Math.round(wave * 9_000),
        calls: Math.round(wave * 31),
      },
    };
  });
  const total = list.reduce((sum, { cost }) => sum + cost, 0);
  const share = (part: number) => ({
    cost: total * part,
    currency: 'USD',
    inputTokens: Math.round(5_200_000 * part),
    outputTokens: Math.round(210_000 * part),
    calls: Math.round(900 * part),
  });
  return {
    days: list,
    models: [
      { model: 'anthropic/claude-sonnet', ...share(0.71) },
      { model: 'openai/gpt-mini', ...share(0.21) },
      { model: 'google/gemini-flash', ...share(0.08) },
    ],
    people: [
      { person: 'person:alex', ...share(0.78) },
      { person: 'person:sam', ...share(0.22) },
    ],
    total: { ...share(1), inputTokens: list.reduce((sum, { inputTokens }) => sum + inputTokens, 0) },
    tasks: tasksOf(6, at).map((task, index) => ({ task: task.taskId, title: task.title, ...share(0.3 / (index + 1)) })),
  };
};

const LOGS: readonly (readonly [string, string, object])[] = [
  ['info', 'message accepted', { channel: 'telegram', trace: '3f2a9c51d0e4' }],
  ['info', 'run begun', { trace: '3f2a9c51d0e4', model: 'anthropic/claude-sonnet' }],
  ['warn', 'the provider said 429, waiting', { trace: '3f2a9c51d0e4', seconds: 4 }],
  ['info', 'delivered', { channel: 'telegram', parts: 1, trace: '3f2a9c51d0e4' }],
  ['debug', 'lane handed out', { lane: 'task:20261122-00001' }],
  ['error', 'slack: the token was refused', { setting: 'channels.slack.botToken' }],
  ['info', `name ${XSS}`, { trace: 'aa11' }],
];
export const logsOf = (count: number, at: number): Record<string, unknown>[] =>
  Array.from({ length: count }, (_, index) => {
    const [level, msg, rest] = LOGS[index % LOGS.length] ?? ['info', '', {}];
    return { id: String(index), at: new Date(at - index * 7_000).toISOString(), level, msg, ...rest };
  });
