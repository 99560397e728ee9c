/** What the documents say is so: paths, scripts, commands, settings and defaults they name exist. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { PermissionFlagsBits } from 'discord-api-types/v10';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { discordDefaults } from '../src/channels/discord/settings.ts';
import { slackDefaults } from '../src/channels/slack/settings.ts';
import { telegramDefaults, webhookPath } from '../src/channels/telegram/settings.ts';
import { configSchema } from '../src/config/schema.ts';
import { chatDefaults } from '../src/config/schema-parts.ts';
import { loadConfig } from '../src/config.ts';
import { defaults } from './helpers/defaults.ts';
import { settingsPage } from './settings.ts';

const root = join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const home = mkdtempSync(join(tmpdir(), 'viber-docs-'));
// Those that the examples name.
for (const viber of ['dev', 'research']) mkdirSync(join(home, 'vibers', viber), { recursive: true });
afterAll(() => rmSync(home, { recursive: true, force: true }));

const pages = [
  ...['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...['docs', 'docs/dev'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
].filter((name) => existsSync(join(root, name)));

/** Folders of the source that a page has to tell about. */
const roomsIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [`${folder}/${entry.name}/`] : [],
  );

/** Everything in single backticks, and the lines of fenced blocks that are commands. */
function codeIn(page: string): string[] {
  const text = read(page);
  const fences = [...text.matchAll(/^ *```\w*\n([\s\S]*?)^ *```/gm)].flatMap(([, body = '']) => body.split('\n'));
  const spans = [...text.replace(/^ *```[\s\S]*?^ *```/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, body = '']) => body);
  return [...spans, ...fences.map((line) => line.trim())];
}

/** Anchors of the headings of a page, as GitHub makes them. */
const headingsOf = (page: string): string[] =>
  [...read(page).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** Paths of this repository, as opposed to those of the home: they begin with one of its folders, or stand at its top. */
function repositoryPaths(code: string): string[] {
  return code
    .split(/[\s,;()"']+/)
    .map((word) => word.replace(/[.:]+$/, ''))
    .filter((word) =>
      /^(\.\/)?((src|test|bench|docs|examples|\.ci)\/[\w./-]*|(README|CONTRIBUTING|SECURITY)\.md|Dockerfile|compose\.yaml|config\.example\.yaml|package\.json)$/.test(
        word,
      ),
    );
}

describe.each(pages)('%s', (page) => {
  test('names paths that exist', () => {
    const paths = codeIn(page).flatMap(repositoryPaths);
    const isPlaceholder = (path: string) => path.includes('/NAME');
    expect(paths.filter((path) => !isPlaceholder(path) && !existsSync(join(root, path)))).toEqual([]);
  });

  test('links to pages that exist', () => {
    const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target.replace(/#.*$/, ''));
    const own = links.filter((target) => target !== '' && !/^[a-z]+:/.test(target));
    expect(own.filter((target) => !existsSync(resolve(root, dirname(page), target)))).toEqual([]);
  });

  test('links to headings that exist', () => {
    const lost = [...read(page).matchAll(/\]\(([^)\s:]*)#([^)\s]+)\)/g)].filter(([, target = '', anchor = '']) => {
      const file = target === '' ? page : relative(root, resolve(root, dirname(page), target));
      return !existsSync(join(root, file)) || !headingsOf(file).includes(anchor);
    });
    expect(lost.map(([link]) => link)).toEqual([]);
  });

  test('names npm scripts that exist', () => {
    const { scripts = {} }: { scripts?: Record<string, string> } = JSON.parse(read('package.json'));
    const named = codeIn(page).flatMap((code) => [
      ...[...code.matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)].map(([, name = '']) => name),
      ...[...code.matchAll(/\bnpm (start|test)\b/g)].map(([, name = '']) => name),
    ]);
    expect([...new Set(named)].filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });

  test('names commands of viber that exist', async () => {
    const index = join(root, 'src', 'cli', 'index.ts');
    if (!existsSync(index)) return;
    const { CLI_COMMANDS } = await import('../src/cli/index.ts');
    const named = codeIn(page).flatMap((code) => [
      ...[...code.matchAll(/(?:^|&& )(?:npx )?viber ([a-z]+)/g)].map(([, name = '']) => name),
      ...[...code.matchAll(/\bmain\.[jt]s ([a-z]+)/g)].map(([, name = '']) => name),
    ]);
    expect([...new Set(named)].filter((name) => !Object.hasOwn(CLI_COMMANDS, name))).toEqual([]);
  });
});

test('a backup in the docs never lands in the folder somebody is in, which may be a checkout', () => {
  const files = pages.flatMap((page) =>
    codeIn(page).flatMap((code) =>
      [...code.matchAll(/viber backup (?:--\S+ )*([\w~/.-]+)/g)].map(([, file = '']) => file),
    ),
  );
  expect(files.length).toBeGreaterThan(1);
  expect(files.filter((file) => !/^(~?\/|FILE$)/.test(file))).toEqual([]);
});

describe('the words of the docs', () => {
  const wordsIn = (page: string) => read(page).split(/\s+/).filter(Boolean).length;
  /** Pages that people look things up in; all others are read. */
  const REFERENCE = ['docs/commands.md', 'docs/configuration.md', 'docs/protocol.md'];
  const counted = ['CHANGELOG.md', ...pages];

  test('are at most 1,000 on each page that people read', () => {
    const read = pages.filter((page) => !page.startsWith('docs/dev/') && !REFERENCE.includes(page));
    expect(read.length).toBeGreaterThan(20);
    expect(read.filter((page) => wordsIn(page) > 1_000)).toEqual([]);
  });

  test('are at most 27,000 in all', () => {
    expect(counted.reduce((sum, page) => sum + wordsIn(page), 0)).toBeLessThanOrEqual(27_000);
  });
});

/** Phrases that nobody says at the next desk. */
const OLD = new RegExp(
  [
    ...[
      'mend(?:s|ed|ing)?',
      'I know no',
      'there is no \\w+ of yours',
      'comes? to (?:an|no) end',
      'sends? us elsewhere',
    ],
    ...['too much to do', 'told', 'tells of', 'taken (?:in|up)', 'carried out', 'put away', 'what (?:is open|waits)'],
    ...['whoever', "of one's own", 'as (?:it|they) stands?', 'meanwhile', 'the (?:door|house)', 'exactly like this'],
    // biome-ignore format: a list is filled
    ...[
      'counts as no', 'I do it now', 'added no words', "can't tell whether it", 'made me theirs', 'your viber listens',
    ],
    ...['could not be loaded', 'no such (?:key|file)', 'am at the job', 'takes this over', 'can mean one thing'],
  ]
    .map((phrase) => `\\b${phrase}\\b`)
    .join('|'),
  'gi',
);

describe('plain English', () => {
  test.each(['CHANGELOG.md', ...pages])('is in %s', (page) => {
    expect(read(page).match(OLD)).toEqual(null);
  });

  test('is in every sentence of the chats and of the Board', async () => {
    const { en } = await import('../src/messages/en.ts');
    const { english } = await import('../src/board/ui/words/en.ts');
    const { englishPages } = await import('../src/board/ui/words/en-pages.ts');
    // A function's source has its text in it.
    const leaves = (each: unknown): string[] =>
      typeof each === 'object' && each !== null ? Object.values(each).flatMap(leaves) : [String(each)];
    const sentences = [en, english, englishPages].flatMap(leaves);
    expect(sentences.length).toBeGreaterThan(600);
    expect(sentences.filter((sentence) => String(sentence).match(OLD))).toEqual([]);
  });
});

test('docs/commands.md says what the program says of itself', async () => {
  const { page } = await import('./commands.ts');
  expect(read('docs/commands.md'), 'written by: npm run commands').toBe(page());
});

describe('docs/dev/promises.md', () => {
  const page = read('docs/dev/promises.md');
  const numbersIn = (text: string) =>
    [...text.matchAll(/^- \*\*([\d/]+)\*\* .+\.$/gm)].map(([, numbers = '']) => numbers.split('/').map(Number));
  const promised = numbersIn(page).flat();
  /** By number: test files with words of their titles, and commands. */
  const shown: Record<string, Record<string, string[]>> = parse(read('test/promises.yaml'));
  const proofs = Object.values(shown).flatMap((each) => Object.entries(each));

  test('numbers each promise once, in order within its section', () => {
    expect(promised.length).toBeGreaterThan(200);
    expect(new Set(promised).size).toBe(promised.length);
    expect(numbersIn(page)).toHaveLength(page.split('## Proofs')[0]?.match(/^- /gm)?.length ?? 0);
    for (const section of page.split(/^## /m)) {
      for (const numbers of [...numbersIn(section), numbersIn(section).map(([first = 0]) => first)])
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    }
  });

  test('has a test or a command for each promise, and none without a promise', () => {
    expect(Object.keys(shown).map(Number)).toEqual(promised.toSorted((a, b) => a - b));
    expect(Object.entries(shown).filter(([, each]) => Object.keys(each).length === 0)).toEqual([]);
  });

  test('is shown by tests whose titles have these words, and by scripts that exist', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'));
    const missing = proofs.flatMap(([by, titles]) => {
      const script = /^npm run ([\w:]+)/.exec(by)?.[1];
      if (script !== undefined) return Object.hasOwn(scripts, script) && titles.length === 0 ? [] : [by];
      if (titles.length === 0 || !existsSync(join(root, by))) return [by];
      // Words of a title stand in a literal, not in a comment.
      const literals = read(by).replace(/^\s*(\/\/|\/?\*).*$/gm, '');
      return titles.filter((title) => !literals.includes(title.replaceAll("'", "\\'")) && !literals.includes(title));
    });
    expect(missing).toEqual([]);
  });

  test('says of each proof its command, its promises and its figures with their day', () => {
    const [, list = ''] = page.split('## Proofs');
    const proofs = [...list.matchAll(/^- `(npm run [\w:]+[^`]*)` \(([\d, ]+)\): (.+)$/gm)];
    expect(proofs.length).toBe(list.match(/^- /gm)?.length);
    for (const [, command, cited = '', measured] of proofs) {
      expect(measured, command).toMatch(/\d.*\(20\d\d-\d\d-\d\d\)$/);
      expect(cited.split(', ').filter((number) => !promised.includes(Number(number)))).toEqual([]);
    }
  });

  test('is cited by numbers that it has', () => {
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const cited = sources.flatMap((name) =>
      [...read(join('src', name)).matchAll(/\bpromises? (\d+)\b/g)].map(([, number]) => ({
        name,
        number: Number(number),
      })),
    );
    expect(cited.filter(({ number }) => !promised.includes(number))).toEqual([]);
  });
});

describe('AGENTS.md', () => {
  const text = read('AGENTS.md');
  const isFile = (span: string) => /^src\/.*\.ts$/.test(span);

  test('is short enough to be read', () => {
    const lines = text.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(80);
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  });

  test('has every folder of src in its picture, one and two levels deep, and no other', () => {
    const picture = /^src\/\n([\s\S]*?)^```/m.exec(text)?.[1] ?? '';
    const drawn: string[] = [];
    let room = '';
    for (const line of picture.split('\n').filter((each) => each.trim() !== '')) {
      const [names = ''] = line.trim().split(/ {2,}/);
      const folders = names.split(' ').map((name) => name.replace(/\/$/, ''));
      if (/^ {2}\S/.test(line)) [room = ''] = folders;
      drawn.push(...(/^ {2}\S/.test(line) ? [room] : folders.map((name) => `${room}/${name}`)));
    }
    const there = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => relative(join(root, 'src'), join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      .filter((name) => name.split('/').length <= 2);
    expect(drawn.toSorted()).toEqual(there.toSorted());
  });

  test('tells the way of a message as it is: eight files that are there, and what each hands on by', () => {
    const rows = [...text.matchAll(/^(\d)\. (.+)\n {3}Next: (.+)$/gm)];
    expect(rows.map(([, number]) => Number(number))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const lost: string[] = [];
    const codeOf = (name: string) => read(name).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    for (const [, , file = '', means = ''] of rows) {
      let [source = ''] = [...file.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
      expect(isFile(source) && existsSync(join(root, source)), `${source} is there`).toBe(true);
      // A word stands in the file of the row, or in the file that is named before it.
      for (const [, span = ''] of means.matchAll(/`([^`]+)`/g)) {
        if (isFile(span)) source = span;
        else if (!new RegExp(`\\b${span.replace('.', '\\.')}\\b`).test(codeOf(source)))
          lost.push(`${span} in ${source}`);
      }
    }
    expect(lost).toEqual([]);
  });
});

test('README.md begins with two sentences, a picture, and a block that clones, runs, connects and tests', () => {
  const [title = '', about = '', picture = '', block = ''] = read('README.md').split('\n\n');
  expect(title).toMatch(/^# /);
  expect(about.replaceAll('\n', ' ').match(/[^.]+\.(?= |$)/g)).toHaveLength(2);
  expect(picture).toMatch(/^!\[[^\]]+\]\(docs\/[\w/.-]+\)$/);
  for (const command of ['git clone', 'npm start', './viber init', 'npm test']) expect(block).toContain(`\n${command}`);
});

test('every page and every picture is reached from another page', () => {
  const reached = new Set(
    pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)#\s]+)/g)].map(([, target = '']) =>
        relative(root, resolve(root, dirname(page), target)),
      ),
    ),
  );
  const pictures = readdirSync(join(root, 'docs/pictures')).map((name) => `docs/pictures/${name}`);
  const entered = ['README.md', 'AGENTS.md'];
  expect([...pages, ...pictures].filter((name) => !entered.includes(name) && !reached.has(name))).toEqual([]);
});

describe('docs/configuration.md', () => {
  test('has its lists from the schema', () => {
    expect(settingsPage(read('docs/configuration.md')), 'written by: npm run settings').toBe(
      read('docs/configuration.md'),
    );
  });

  test('lists every setting but those of channels, which are described on the page itself', () => {
    const listed = [...read('docs/configuration.md').matchAll(/^<!-- settings: (.*) -->$/gm)].flatMap(
      ([, names = '']) => names.split(' '),
    );
    const all = Object.keys(configSchema.shape).filter((name) => name !== 'channels');
    expect(listed.toSorted()).toEqual(all.toSorted());
  });

  const rows = new Map(
    [...read('docs/configuration.md').matchAll(/^- `([\w.]+)`\*?(?: \(`([^`]+)`\))?: .*$/gm)].map(
      ([, key = '', value]) => [key, value],
    ),
  );

  /** Leaves of the defaults as `a.b.c` and the text a table shows for them. */
  function leaves(value: unknown, path: string): [string, string][] {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return [[path, typeof value === 'string' ? value : JSON.stringify(value)]];
    }
    return Object.entries(value).flatMap(([key, item]) => leaves(item, path === '' ? key : `${path}.${key}`));
  }

  /** The keys that every chat channel has stand in Telegram's list only. */
  function ownKeys(section: object): object {
    return Object.fromEntries(
      Object.entries(section).filter(([key]) => !Object.hasOwn(chatDefaults, key) && key !== 'viber'),
    );
  }

  test('shows every setting with its true default', () => {
    const telegram = { ...telegramDefaults, webhook: { path: webhookPath } };
    const channels = { telegram, discord: ownKeys(discordDefaults), slack: ownKeys(slackDefaults) };
    const { people: _people, providers: _providers, skills, http, ...rest } = defaults;
    const { env: _env, ...plainSkills } = skills;
    const { clients: _clients, ...plainHttp } = http;
    const expected = leaves(
      { ...rest, http: plainHttp, skills: plainSkills, channels: { ...rest.channels, ...channels } },
      '',
    );
    expect(expected.length).toBeGreaterThan(30);
    for (const [key, value] of expected) expect(rows.get(key), key).toBe(value);
  });

  test('has a row for each key of the schema', () => {
    const file = parse(read('config.example.yaml'));
    expect(Object.keys(configSchema.shape).sort()).toEqual(Object.keys(file).sort());
    const { discord, slack } = file.channels;
    const channels = { ...file.channels, discord: ownKeys(discord), slack: ownKeys(slack) };
    const { local } = file.providers;
    const http = { ...file.http, clients: { NAME: file.http.clients.calendar } };
    const [price] = Object.values(file.prices);
    const server = { ...file.mcp.docs, env: '', url: '', headers: '', transport: '', oauth: '' };
    const known = leaves(
      {
        ...{ ...file, channels, people: { N: file.people[0] }, http, conversations: { PLACE: { viber: '' } } },
        ...{ providers: { NAME: { ...local, headers: '' } }, prices: { MODEL: price } },
        ...{ skills: { ...file.skills, env: { NAME: { KEY: '' } } }, mcp: { NAME: server } },
        telemetry: { ...file.telemetry, headers: '' },
      },
      '',
    );
    expect(known.map(([key]) => key).filter((key) => !rows.has(key))).toEqual([]);
    expect(
      [...rows.keys()].filter((key) => !known.some(([name]) => name === key)).filter((key) => key.includes('.')),
    ).toEqual([]);
  });
});

const tokens = {
  VALKEY_PASSWORD: 'a-password',
  OPENVIBER_TOKEN: 'a-token-that-is-long-enough-to-be-one',
  TELEGRAM_BOT_TOKEN: '1:a',
  TELEGRAM_WEBHOOK_SECRET: 'abcdefghijklmnop',
  DISCORD_BOT_TOKEN: 'a.b.c',
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_APP_TOKEN: 'xapp-1',
  SLACK_SIGNING_SECRET: 'abcdefghijklmnop',
};

test('config.example.yaml loads without a warning', async () => {
  const { warnings } = await loadConfig({ file: join(root, 'config.example.yaml'), home, env: tokens });
  expect(warnings).toEqual([]);
});

/** Every block of YAML in people's pages and reference pages, without its indentation; those of guides are tested as they are followed. */
const blocks = pages
  .filter((page) => !page.startsWith('docs/dev/'))
  .flatMap((page) =>
    [...read(page).matchAll(/^( *)```yaml\n([\s\S]*?)^ *```/gm)].map(([, indent = '', body = '']) => {
      const lines = body.split('\n').map((line) => line.slice(indent.length));
      return { page, text: lines.join('\n') };
    }),
  );
/** Slack's manifest, and the part of it that differs over HTTP, are YAML too. */
const isManifest = ({ text }: { text: string }) => /^(display_information|features):/.test(text);

/** A job's file says when and what. */
const isJob = ({ text }: { text: string }) => /^schedule:/m.test(text) && /^prompt:/m.test(text);

describe('every example of a job in the documents', () => {
  const examples = blocks.filter(isJob);
  test('there are some', () => expect(examples.length).toBeGreaterThan(2));
  test.each(examples)('$page: $text', async ({ text }) => {
    const { parseJob } = await import('../src/features/jobs/job.ts');
    const job = await parseJob(text, { file: 'example.yaml', now: new Date(), timezone: 'UTC' });
    expect(job.words).not.toBe('');
  });
});

describe('every example of configuration in the documents', () => {
  test.each(blocks.filter((block) => !isManifest(block) && !isJob(block)))('$page: $text', async ({ text }) => {
    const file = join(home, 'example.yaml');
    writeFileSync(file, text);
    expect((await loadConfig({ file, home, env: tokens })).warnings).toEqual([]);
  });
});

describe('docs/slack.md', () => {
  const link = /\]\((https:\/\/api\.slack\.com\/apps\?[^)]+)\)/.exec(read('docs/slack.md'))?.[1] ?? '';
  const manifest = JSON.parse(new URL(link).searchParams.get('manifest_json') ?? '');
  const [overHttp, ...others] = blocks
    .filter((block) => block.page === 'docs/slack.md' && isManifest(block))
    .map(({ text }) => parse(text));

  test('the manifest is whole: what each part of it needs of another is there', () => {
    expect(others).toEqual([]);
    const { features, oauth_config: oauth, settings } = manifest;
    expect(settings).toMatchObject({ socket_mode_enabled: true, token_rotation_enabled: false });
    expect(settings.interactivity).toEqual({ is_enabled: true });
    expect(features.app_home).toMatchObject({ messages_tab_enabled: true, messages_tab_read_only_enabled: false });
    expect(features.slash_commands.map(({ command }: { command: string }) => command)).toEqual([slackDefaults.command]);
    // Slack takes `assistant_view` for new apps no more, and refuses the scope or the event without the view.
    const { bot }: { bot: string[] } = oauth.scopes;
    const events: string[] = settings.event_subscriptions.bot_events;
    expect(features).toHaveProperty('agent_view.agent_description');
    expect(features).not.toHaveProperty('assistant_view');
    expect(bot).toContain('assistant:write');
    expect(events.filter((event) => event.startsWith('assistant_'))).toEqual([]);
    expect([...bot].sort()).toEqual(bot);
    expect(features.slash_commands[0].usage_hint.length).toBeLessThan(1000);
    expect(manifest.display_information.name.length).toBeLessThanOrEqual(35);
  });

  test('the manifest has the scopes and events of the adapter', async () => {
    const { SLACK_EVENTS, SLACK_SCOPES, slackManifest } = await import('../src/channels/slack/adapter.ts');
    expect(parse(slackManifest)).toEqual(manifest);
    expect(manifest.oauth_config.scopes.bot).toEqual(SLACK_SCOPES);
    expect(manifest.settings.event_subscriptions.bot_events).toEqual(SLACK_EVENTS);
  });

  test('the link creates the app with it', async () => {
    const { slackManifestLink } = await import('../src/channels/slack/adapter.ts');
    expect(link).toBe(slackManifestLink);
    // Every browser and proxy takes this much.
    expect(link.length).toBeLessThan(2_000);
  });

  test('over HTTP every address is that of the default path', () => {
    const addresses = [
      ...overHttp.features.slash_commands.map(({ url }: { url: string }) => url),
      overHttp.settings.event_subscriptions.request_url,
      overHttp.settings.interactivity.request_url,
    ];
    expect(addresses).toHaveLength(3);
    for (const address of addresses) expect(new URL(address).pathname).toBe(slackDefaults.path);
    expect(overHttp.settings.socket_mode_enabled).toBe(false);
  });

  test('explains each scope once', () => {
    const explained = [...read('docs/slack.md').matchAll(/^- ((?:`[\w.:]+`(?:, )?)+): /gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([\w.]+:[\w]+|commands)`/g)].map(([, scope]) => scope),
    );
    expect(explained.sort()).toEqual(manifest.oauth_config.scopes.bot);
  });
});

test('docs/discord.md: the permission number is that of its table and of the invitation', async () => {
  const page = read('docs/discord.md');
  const rows = [...page.matchAll(/^\| ([A-Z][\w ]+) \| (\d+) \|/gm)].map(([, name = '', bit = '']) => ({
    name,
    bit: BigInt(bit),
  }));
  expect(rows.length).toBeGreaterThan(5);
  const names: Record<string, string> = { 'View Channels': 'ViewChannel' };
  for (const { name, bit } of rows) {
    const flag =
      names[name] ??
      name
        .split(' ')
        .map((word) => word[0]?.toUpperCase() + word.slice(1))
        .join('');
    expect(Object.entries(PermissionFlagsBits).find(([key]) => key === flag)?.[1], name).toBe(bit);
  }
  const sum = String(rows.reduce((all, { bit }) => all | bit, 0n));
  expect(page).toContain(`| together | ${sum} |`);
  expect([...page.matchAll(/permissions=(\d+)/g)].map(([, number]) => number)).toEqual([sum]);
  const { inviteLink } = await import('../src/channels/discord/connect/check.ts');
  expect(page).toContain(inviteLink('APPLICATION_ID'));
});

describe('Dockerfile', () => {
  const lines = read('Dockerfile')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const of = (instruction: string) => lines.filter((line) => line.startsWith(`${instruction} `));
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));

  test('builds on one image, which is known by its content', () => {
    const [first, ...more] = of('FROM');
    expect(first).toMatch(/^FROM node:24\.\d+\.\d+-\w+-slim@sha256:[0-9a-f]{64} AS base$/);
    expect(more.length).toBeGreaterThan(0);
    for (const line of more) expect(line).toMatch(/^FROM base( AS \w+)?$/);
    for (const line of of('RUN').filter((each) => each.includes('npm ')))
      expect(line).toMatch(/^RUN npm (ci\b|run build$)/);
  });

  test('the final image runs as a user without rights and has no development packages', () => {
    const users = last.filter((line) => line.startsWith('USER '));
    expect(users.at(-1)).toMatch(/^USER (?!root|0\b)\w+/);
    expect(last.indexOf(users.at(-1) ?? '')).toBeGreaterThan(last.findLastIndex((line) => line.startsWith('RUN ')));
    expect(last.filter((line) => /\bnpm\b/.test(line))).toEqual([]);
    expect(of('RUN').some((line) => line.includes('npm ci --omit=dev'))).toBe(true);
    expect(last).toContain('VOLUME /data');
  });

  test('has a health check, and starts without a shell', () => {
    for (const instruction of ['ENTRYPOINT', 'CMD']) {
      const [line = ''] = last.filter((candidate) => candidate.startsWith(`${instruction} `));
      expect(JSON.parse(line.slice(instruction.length)), line).toEqual(expect.any(Array));
    }
    const [check = ''] = last.filter((line) => line.startsWith('HEALTHCHECK '));
    const command: string[] = JSON.parse(check.slice(check.indexOf('CMD') + 3));
    expect(command[0]).toBe('node');
    expect(command.join(' ')).toContain(`http://127.0.0.1:${defaults.http.port}/healthz`);
  });

  test('copies nothing that is secret or heavy', () => {
    const ignored = read('.dockerignore').split('\n');
    for (const name of ['.git', '.env', 'node_modules', 'dist', 'test']) expect(ignored).toContain(name);
    expect(read('Dockerfile')).not.toMatch(/^(ENV|ARG) .*(TOKEN|KEY|SECRET)/m);
    expect(lines.filter((line) => line.startsWith('ADD '))).toEqual([]);
  });
});

describe('compose.yaml', () => {
  test('runs the image as narrowly as the documents say', () => {
    const { services, volumes } = parse(read('compose.yaml'));
    expect(services.viber).toMatchObject({
      ...{ build: '.', init: true, restart: 'unless-stopped', stop_grace_period: '30s', read_only: true },
      ...{ cap_drop: ['ALL'], tmpfs: ['/tmp'], volumes: ['viber-home:/data'] },
      // What the sandbox of scripts needs, and no more.
      security_opt: [
        'no-new-privileges:true',
        'seccomp=deploy/seccomp.json',
        'apparmor=unconfined',
        'systempaths=unconfined',
      ],
      environment: { OPENVIBER_COMMAND: 'docker compose exec viber viber' },
      ports: [`127.0.0.1:${defaults.http.port}:${defaults.http.port}`],
    });
    expect(Object.keys(volumes)).toEqual(['viber-home']);
  });

  const compose = (...args: string[]) => spawnSync('docker', ['compose', ...args], { cwd: root, encoding: 'utf8' });
  test.skipIf(compose('version').status !== 0)('is taken by docker compose, where there is one', () => {
    const { status, stderr } = compose('-f', 'compose.yaml', 'config', '--quiet');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });
});

test('no file of the repository names a path of one machine', () => {
  // What git tracks or would track; a copy without git is searched whole.
  const listed = existsSync(join(root, '.git'))
    ? execFileSync('git', ['-c', 'safe.directory=*', 'ls-files', '--cached', '--others', '--exclude-standard'], {
        cwd: root,
        encoding: 'utf8',
      }).split('\n')
    : readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
        (name) => !/(^|\/)(node_modules|dist|coverage)(\/|$)/.test(name),
      );
  const texts = listed.filter((name) =>
    /\.(ts|js|mjs|json|md|ya?ml|sh|toml|html|css|txt)$|(^|\/)(Dockerfile|\.\w+ignore|run)$/.test(name),
  );
  const machine = new RegExp(
    `(^|[^\\w.~/-])/(${['work', 'root', 'tmp/brief', 'home/\\w+'].join('|')})(/|\\b)(?!-)`,
    'm',
  );
  const guilty = texts.filter((name) => existsSync(join(root, name)) && machine.test(read(name)));
  expect(guilty).toEqual([]);
  expect(machine.test(`see ${['', 'work', 'main'].join('/')}`)).toBe(true);
});

test('the page about the architecture names every room of the source', () => {
  const page = read('docs/dev/architecture.md');
  expect([...roomsIn('src'), ...roomsIn('src/runtime')].filter((room) => !page.includes(room))).toEqual([]);
});
