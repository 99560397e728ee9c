/** What stands in the place of each argument when the catalogue is shown or tested. A new one needs no entry: its name stands in. */
const EXAMPLES: Readonly<Record<string, string | number>> = {
  name: 'Alex',
  by: 'Alex',
  who: 'Alex',
  file: 'notes.md',
  title: 'Book the train to Vienna',
  time: '09:00',
  at: '14:02',
  day: 'Mon',
  date: '24 Nov',
  trace: 't-8f3a',
  channel: 'Telegram',
  ...{
    source: 'acme/skills',
    version: 'v1.2',
    ref: 'v1.2',
    names: 'weather and tides',
    host: 'example.org',
    size: '12 kB',
  },
  ...{
    platform: 'Telegram',
    get: '/get notes.md',
    max: '50 MB',
    place: 'Slack #general',
    places: 'Slack #general',
    where: 'Slack',
  },
  ...{
    provider: 'openai',
    model: 'gpt-6.1-terra',
    id: 't-41',
    setting: 'OPENAI_API_KEY',
    zone: 'Europe/Berlin',
    city: 'Berlin',
  },
  ...{
    when: 'tomorrow (Mon) at 09:00',
    due: '24 Nov, 09:00',
    answer: 'the blue one',
    question: 'Which colour?',
    minutes: '10',
    seconds: '5',
  },
  ...{
    step: 'Call Ana',
    steps: '2 and 3',
    next: 'Call Ana',
    done: '1',
    total: '4',
    left: '2',
    limit: 'Your limit for today is used up',
    used: '2.10 $',
  },
  ...{
    share: '2.10 $ of 2 $',
    tokens: '12,000',
    cost: '1 $ for a million tokens in, 5 $ for a million out',
    input: '1 $',
    output: '5 $',
  },
  ...{
    in: '12,000',
    out: '900',
    cached: '8,000',
    money: '0.02 $',
    usage: '12,000 tokens in, 900 out, 0.02 $',
    command: 'viber pair approve K7M3Q9XP',
    code: 'K7M3Q9XP',
  },
  ...{
    identity: 'telegram:1001',
    account: 'discord:2002',
    person: 'Alex',
    whose: 'Sam',
    agent: 'the researcher',
    server: 'files',
    skill: 'weather',
  },
  ...{
    tool: 'weather',
    tools: 'read and write',
    job: 'digest',
    playbook: 'release',
    query: 'trains to Vienna',
    address: 'https://example.org/a',
    link: 'https://example.org/a',
  },
  ...{
    text: 'call mum',
    words: 'the gym',
    given: 'Bärlin',
    near: 'weather',
    level: 'briefly',
    levels: 'off or high',
    mode: 'steer',
    comma: ', ',
  },
  ...{
    why: 'The disk is full.',
    reason: 'the time is missing',
    problem: 'model is not set',
    fixes: 'install git',
    state: 'ok',
    status: 'done',
    hint: '/help shows what works.',
  },
  ...{
    n: '3',
    wait: '5 seconds',
    what: 'the gym opens at six',
    files: 'notes.md',
    scope: 'files:write',
    invite: '/invite @viber',
    rest: '300',
  },
  ...{
    means: 'each message waits for its own turn',
    doing: 'writing notes.md',
    models: 'local/small',
    task: 't-41',
    verb: 'run',
    goal: 'paint the kitchen',
  },
  ...{
    keys: 'OPENAI_API_KEY or GROQ_API_KEY',
    example: 'version=1.2',
    needs: 'version',
    section: 'Preferences',
    label: 'Save',
    note: 'page 2',
    about: 'I am small.',
  },
};

/** A message given one, two, and five of everything that is counted, and each choice of a select. */
export function examplesFor(
  args: ReadonlyMap<string, readonly string[] | 'count' | 'text'>,
): Record<string, string | number>[] {
  const kinds = [...args.values()];
  const rounds = kinds.includes('count') ? [1, 2] : [1];
  const choices = Math.max(1, ...kinds.map((kind) => (typeof kind === 'string' ? 1 : kind.length)));
  return Array.from({ length: Math.max(rounds.length, choices) }, (_, round) =>
    Object.fromEntries(
      [...args].map(([name, kind]) => {
        if (kind === 'count') return [name, rounds[round % rounds.length] ?? 1];
        if (kind === 'text') return [name, EXAMPLES[name] ?? `<${name}>`];
        return [name, kind[round % kind.length] ?? 'other'];
      }),
    ),
  );
}
