import { type Messages, messagesIn, say, type Wording } from '../../src/messages/messages.ts';
import type { Kind } from './read.ts';

/** Words of a person or a name, the same in every language; a message, or what a language makes of it. */
type Example = string | number | Wording | ((messages: Messages) => string);

const NINE = new Date('2026-11-23T08:00:00Z');
const SUNDAY = new Date('2026-11-22T08:00:00Z');
const list =
  (kind: 'and' | 'or', ...items: string[]): Example =>
  ({ list }) =>
    list(items, kind);
const share = say('costs.ofMoney', { used: '2.10 USD', limit: '2.00 USD' });
const writing = say('doing.writingThis', { what: 'notes.md' });
const near = say('jobs.near', { near: 'weather' });

/** What stands in the place of each argument when the catalogue is shown or tested. A new one needs no entry: its name stands in. */
// biome-ignore format: a row is a line
const EXAMPLES: Readonly<Record<string, Example>> = {
  name: 'Alex',
  by: 'Alex',
  who: 'Alex',
  file: 'notes.md',
  title: 'Book the train to Vienna',
  time: '09:00',
  at: '14:02',
  day: ({ language }) => ({ de: 'Mo', es: 'lun' })[language] ?? 'Mon',
  date: ({ language }) => ({ de: '24. Nov.', es: '24 nov' })[language] ?? '24 Nov',
  trace: 't-8f3a',
  channel: 'Telegram',
  ...{ source: 'acme/skills', version: 'v1.2', ref: 'v1.2', names: list('and', 'weather', 'tides'), host: 'example.org', size: '12 kB' },
  ...{ platform: 'Telegram', get: '/get notes.md', max: '50 MB', place: 'Slack #general', places: 'Slack #general', where: 'Slack' },
  ...{ provider: 'openai', model: 'gpt-6.1-terra', id: 't-41', setting: 'OPENAI_API_KEY', zone: 'Europe/Berlin', city: 'Berlin' },
  ...{
    when: (messages) => messages.when(NINE, 'Europe/Berlin', SUNDAY),
    due: (messages) => messages.when(SUNDAY, 'Europe/Berlin', NINE),
    answer: 'the blue one',
    question: 'Which colour?',
    minutes: '10',
    seconds: '5',
  },
  ...{
    step: 'Call Ana',
    steps: list('and', '2', '3'),
    next: 'Call Ana',
    done: '1',
    total: '4',
    left: '2',
    limit: say('costs.yourLimit', { share, setting: 'limits.costPerPersonPerDay' }),
    used: 1_200,
  },
  ...{ share, tokens: say('costs.tokens', { in: 12_000, out: 900 }), cost: say('models.costs', { input: '1 USD', output: '5 USD' }), input: '1 USD', output: '5 USD' },
  ...{
    in: 12_000,
    out: 900,
    cached: 8_000,
    money: '0.02 USD',
    usage: say('costs.priced', { tokens: say('costs.tokens', { in: 12_000, out: 900 }), money: '0.02 USD' }),
    command: 'viber pair approve K7M3Q9XP',
    code: 'K7M3Q9XP',
  },
  ...{ identity: 'telegram:1001', account: 'discord:2002', person: 'Alex', whose: 'Sam', agent: 'the researcher', server: 'files', skill: 'weather' },
  ...{
    tool: 'weather',
    tools: list('and', 'read', 'write'),
    job: 'digest',
    playbook: 'release',
    query: 'trains to Vienna',
    address: 'https://example.org/a',
    right: 'https://example.org/a/v1',
    link: 'https://example.org/a',
  },
  ...{ text: 'call mum', words: 'the gym', given: 'Bärlin', near: 'weather', level: say('models.levelLow'), levels: list('or', 'off', 'high'), mode: 'steer', comma: ', ' },
  ...{ why: 'The disk is full.', reason: 'the time is missing', problem: 'model is not set', fixes: 'install git', state: say('tasks.unfinished'), hint: say('commands.hint') },
  ...{ n: 3, wait: '5 seconds', what: 'the gym opens at six', files: 'notes.md', scope: 'files:write', invite: '/invite @viber', rest: 300 },
  ...{ means: say('commands.followup'), doing: writing, models: 'local/small', task: 't-41', verb: 'run', goal: 'paint the kitchen' },
  ...{ keys: list('or', 'OPENAI_API_KEY', 'GROQ_API_KEY'), example: 'version=1.2', needs: 'version', section: 'Preferences', label: 'Save', note: 'page 2', about: 'I am small.' },
  ...{
    reads: say('models.reads', { tokens: '200,000' }),
    option: 'blue',
    chat: '-1001',
    part: 'plan',
    role: 'owner',
    days: say('times.everyWeekday'),
    times: list('and', '09:00', '17:00'),
    rhythm: say('times.hours', { n: 2 }),
    from: '09:00',
    to: '17:00',
    key: 'prompt',
    line: 4,
    value: '7',
    found: say('jobFiles.found', { value: '7' }),
    other: 'Asia/Tokyo',
    twin: 'digest.yaml',
    folder: 'skills/weather',
    made: 'chat',
    network: 'no',
    changes: 'done 2',
    before: 'call mum',
    after: 'water the plants',
  },
};

/** Where another example than the usual one makes the sentence as people read it. */
// biome-ignore format: a row is a line
const OF_KEY: Readonly<Record<string, Readonly<Record<string, Example>>>> = {
  'channels.notAttached': { why: say('channels.policy', { platform: 'Slack', n: 1, get: '/get notes.md' }) },
  'commands.peopleOnly': { name: 'stop' },
  'commands.unknown': { name: 'foo' },
  'commands.notAllowed': { name: 'jobs' },
  'commands.unkept': { what: say('commands.lastOne') },
  'offline.hello': { about: say('offline.about') },
  'offline.stepIs': { rest: say('offline.left', { left: 2, total: 4 }) },
  'offline.realModel': { command: 'viber init' },
  'failures.buttonGone': { hint: say('commands.hint') },
  'failures.notSetUp': { name: 'Alex' },
  'failures.withTrace': { what: say('failures.key', { provider: 'openai', setting: 'OPENAI_API_KEY' }) },
  'failures.ownerNeeded': { what: say('failures.key', { provider: 'openai', setting: 'OPENAI_API_KEY' }) },
  'failures.fallback': { what: say('failures.overloaded', { provider: 'openai' }) },
  'failures.interruptedWhile': { doing: say('doing.writing') },
  'failures.toolFailed': { doing: say('doing.writing') },
  'failures.noCreditAt': { where: 'https://example.org/billing' },
  'failures.slowStart': { wait: say('failures.seconds', { n: 30 }) },
  'failures.slow': { wait: say('failures.seconds', { n: 30 }) },
  'failures.limitedFor': { wait: say('failures.seconds', { n: 5 }) },
  'jobs.*': { name: 'digest', near, what: say('jobs.noSkill', { name: 'wether', near }) },
  'jobFiles.*': { keys: 'name, schedule, prompt', file: 'digest.yaml', what: say('jobFiles.prompt'), max: 20, size: '64 KB', near: 'schedule' },
  'yaml.*': { file: 'config.yaml', line: 3, what: say('yaml.openQuote'), name: '"$NAME"', brackets: '[ ]', character: '*' },
  'jobFiles.copy': { file: 'digest.sync-conflict-20261123-101010-ABCDEFG.yaml', original: 'digest.yaml' },
  'jobFiles.otherEnding': { file: 'digest.json' },
  'jobFiles.twin': { file: 'digest.yml' },
  'times.everyOn': { days: list('and', 'Monday', 'Thursday') },
  'times.both': { before: say('times.everyDay'), after: say('times.everyWeekday') },
  'details.*': { when: say('times.everyWeekday'), who: 'Brave', where: say('details.taskFolder') },
  'details.given': { names: 'OPENAI_API_KEY' },
  'jobs.near': { near: 'weather' },
  'jobs.noViber': { near, name: 'reserch' },
  'models.reads': { tokens: '200,000' },
  'models.noLevel': { level: 'deeply' },
  'models.cannotThink': { level: 'deeply' },
  'costs.ofMoney': { used: '2.10', limit: '2.00 USD' },
  'costs.ofTokens': { used: 1_200, limit: 5_000 },
  'costs.yourLimit': { setting: 'limits.costPerPersonPerDay' },
  'costs.everybodysLimit': { setting: 'limits.costPerDay' },
  'tasks.working': { time: '2:05' },
  'tasks.workingOn': { time: '2:05' },
  'live.line': { time: '0:12' },
  'live.lineSteps': { time: '0:12' },
  'live.lineStep': { time: '0:12' },
  'skills.*': { name: 'weather', what: 'tells the weather', state: say('skills.read') },
  'jobs.badModel': { name: 'openai/gpt-9', why: 'OPENAI_API_KEY is not set' },
  'jobs.notUnderstood': { text: 'every full moon', reason: 'the moon is not known here', example: 'every monday at 9' },
  'jobs.failed': { name: 'digest', why: ' The disk is full.' },
  'jobs.failedForGood': { name: 'digest', why: ' The disk is full.' },
  'jobs.lastRun': { state: say('tasks.completed') },
  'commands.liveNow': { mode: 'text', means: say('commands.liveText') },
  'commands.liveSet': { mode: 'off', means: say('commands.liveOff') },
  'commands.nearly': { name: 'stpo', near: 'stop' },
};

/** A message given one, two, and five of everything that is counted, and each choice of a select. */
export function examplesFor(
  key: string,
  args: ReadonlyMap<string, Kind>,
  language: string,
): Record<string, string | number>[] {
  const messages = messagesIn(language);
  const own = OF_KEY[key] ?? OF_KEY[`${key.split('.')[0]}.*`];
  const exampleOf = (name: string): string | number => {
    const example = own?.[name] ?? EXAMPLES[name] ?? `<${name}>`;
    if (typeof example === 'function') return example(messages);
    return typeof example === 'object' ? messages.said(example) : example;
  };
  const numberOf = (name: string, usual: number): number => {
    const example = exampleOf(name);
    return typeof example === 'number' && name !== 'n' ? example : usual;
  };
  const kinds = [...args.values()];
  const rounds = kinds.includes('count') ? [1, 2] : [1];
  const choices = Math.max(1, ...kinds.map((kind) => (typeof kind === 'string' ? 1 : kind.length)));
  return Array.from({ length: Math.max(rounds.length, choices) }, (_, round) =>
    Object.fromEntries(
      [...args].map(([name, kind]) => {
        if (kind === 'count') return [name, numberOf(name, rounds[round % rounds.length] ?? 1)];
        if (kind === 'text') return [name, exampleOf(name)];
        return [name, kind[round % kind.length] ?? 'other'];
      }),
    ),
  );
}
