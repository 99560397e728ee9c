// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the syntax of the configuration
/** `viber config`: one setting at a time, checked before it is written, and no secret on the terminal. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { withEnvFile } from '../../src/config/env-file.ts';
import { tempFolder } from '../helpers/temp.ts';
import { type Given, viber as ran, viberProcess } from '../helpers/viber.ts';

/** A home with this configuration, and a way to run commands on it. */
function homeWith(text: string | undefined, name = 'config.yaml') {
  const home = tempFolder();
  const file = path.join(home, name);
  if (text !== undefined) fs.writeFileSync(file, text);
  const viber = async (args: string[], given?: Given) => {
    const { code, out, err } = await ran(home, ['config', ...args], given);
    return { code, out: out.trimEnd(), err: err.trimEnd() };
  };
  return { home, file, viber, read: () => fs.readFileSync(file, 'utf8') };
}

const TEXT = `# mine
model: a/b # the good one
http:
  # not 6009
  port: 7000
channels:
  telegram: { token: "\${TELEGRAM_BOT_TOKEN}", access: { allow: [1001] } }
prices:
  openai/gpt-5.1: { input: 1, output: 2 }
`;
const env = { TELEGRAM_BOT_TOKEN: '123456:not-to-be-shown' };

describe('get', () => {
  test('shows what applies: from the file, the environment or the default, and hides secrets', async () => {
    const { viber } = homeWith(TEXT);
    expect(await viber(['get', 'http.port'], { env })).toEqual({ code: 0, out: '7000', err: '' });
    expect((await viber(['get', 'limits.runs'], { env })).out).toBe('32');
    expect((await viber(['get', 'prices.openai/gpt-5.1.input'], { env })).out).toBe('1');
    expect((await viber(['get', 'channels.telegram.token'], { env })).out).toBe('(a secret, hidden)');
    expect(await viber(['get', 'smallModel'], { env })).toEqual({ code: 1, out: '', err: "smallModel isn't set." });
    const section = (await viber(['get', 'channels.telegram'], { env })).out;
    expect(section).toContain('channels.telegram.access.allow: ["1001"]');
    expect(section).toContain('channels.telegram.mode: polling');
    expect(section).not.toContain('not-to-be-shown');
    const all = (await viber(['get'], { env })).out.split('\n');
    expect(all).toContain('model: a/b');
    expect(all.join('\n')).not.toMatch(/limits\.runs|not-to-be-shown/);
    expect(JSON.parse((await viber(['get', 'http.port', '--json'], { env })).out)).toEqual({
      ...{ path: 'http.port', value: '7000', isSet: true },
    });
  });

  test('says what was probably meant', async () => {
    const { viber } = homeWith(TEXT);
    expect(await viber(['get', 'http.prot'], { env })).toMatchObject({
      ...{ code: 1, err: 'There is no setting http.prot. Did you mean http.port?' },
    });
    expect((await viber(['get', 'pollSeconds'], { env })).err).toContain('Did you mean channels.telegram.pollSeconds?');
  });
});

describe('set', () => {
  test('changes one value and keeps everything else, and says when it applies', async () => {
    const { viber, read, file } = homeWith(TEXT);
    const answer = await viber(['set', 'http.port', '7001'], { env });
    expect(answer).toMatchObject({ code: 0, err: '' });
    expect(answer.out).toBe(`http.port is saved in ${file}.\nA running gateway uses it after a restart.`);
    expect(read()).toBe(TEXT.replace('7000', '7001'));
  });

  test('takes lists, switches, words and names with dots', async () => {
    const { viber, read } = homeWith(TEXT);
    for (const [name, value] of [
      ['fallback', 'c/d, e/f'],
      ['channels.telegram.access.chats', '[-100, "*"]'],
      ['memory.autoAccept', 'true'],
      ['maxSteps', 'auto'],
      ['prices.openai/gpt-5.1.output', '2.5'],
      ['conversations.telegram:-5.viber', 'default'],
    ] as const)
      expect(await viber(['set', name, value], { env }), name).toMatchObject({ code: 0 });
    expect(read()).toMatch(/^fallback:\n {2}- c\/d\n {2}- e\/f$/m);
    expect(parse(read())).toHaveProperty('channels.telegram.access', { allow: [1001], chats: [-100, '*'] });
    expect(read()).toMatch(/autoAccept: true\nmaxSteps: auto/);
    expect(read()).toContain('output: 2.5');
    expect((await viber(['check'], { env })).code).toBe(0);
  });

  test('writes nothing that the loader would refuse', async () => {
    const { viber, read } = homeWith(TEXT);
    const refused = await viber(['set', 'http.port', 'lots'], { env });
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain('http.port: expected a whole number from 0 to 65535, found "lots"');
    expect((await viber(['set', 'http.host', '0.0.0.0'], { env })).err).toContain('http.token: is required');
    expect((await viber(['set', 'viber', 'nobody'], { env })).code).toBe(2);
    expect((await viber(['set', 'nothing.here', '1'], { env })).code).toBe(1);
    expect(await viber(['set', 'http.port'], { env })).toMatchObject({ code: 1 });
    expect(read()).toBe(TEXT);
  });

  test('puts a secret from the input into .env, under the variable that is there', async () => {
    const { viber, read, home } = homeWith(TEXT);
    const dotEnv = () => fs.readFileSync(path.join(home, '.env'), 'utf8');
    const telegram = await viber(['set', 'channels.telegram.token'], { input: '654321:new-secret\n' });
    expect(telegram).toMatchObject({ code: 0, err: '' });
    expect(read()).toBe(TEXT);
    expect(dotEnv()).toBe('TELEGRAM_BOT_TOKEN=654321:new-secret\n');
    const search = await viber(['set', 'search.apiKey', '-'], { input: 'search-secret' });
    expect(search.out + telegram.out).not.toMatch(/secret/);
    expect(read()).toContain('apiKey: ${VIBER_SEARCH_APIKEY}');
    expect(dotEnv()).toContain('VIBER_SEARCH_APIKEY=search-secret');
    expect((await viber(['get', 'search.apiKey'])).out).toBe('(a secret, hidden)');
    await viber(['set', 'http.token', '${DOOR}'], { env: { DOOR: 'x'.repeat(16) } });
    expect(read()).toContain('token: ${DOOR}');
  });

  test('keeps the lines of a secret', async () => {
    const { home, viber } = homeWith('model: a/b\n');
    const key = '-----BEGIN KEY-----\nab+c/d==\n-----END KEY-----';
    expect((await viber(['set', 'skills.env.git.KEY'], { input: `${key.replaceAll('\n', '\r\n')}\r\n` })).code).toBe(0);
    expect(Object.values(withEnvFile({}, home))).toEqual([key]);
  });

  test('gives a secret a variable of its own where another setting uses its old one', async () => {
    const { home, viber, read } = homeWith(
      'search: { by: brave, apiKey: "${K}" }\nskills: { env: { git: { T: "${K}" } } }\n',
    );
    fs.writeFileSync(path.join(home, '.env'), 'K=old\n');
    expect((await viber(['set', 'search.apiKey'], { input: 'new' })).code).toBe(0);
    const set = parse(read());
    expect([set.search.apiKey, set.skills.env.git.T]).toEqual(['${VIBER_SEARCH_APIKEY}', '${K}']);
    expect(withEnvFile({}, home)).toEqual({ K: 'old', VIBER_SEARCH_APIKEY: 'new' });
  });

  test("doesn't write a secret that the environment would override", async () => {
    const { viber, home } = homeWith(TEXT);
    const answer = await viber(['set', 'channels.telegram.token'], { env, input: '654321:new\n' });
    expect(answer).toMatchObject({
      code: 1,
      err: expect.stringContaining('TELEGRAM_BOT_TOKEN is set in the environment'),
    });
    expect(fs.readdirSync(home)).not.toContain('.env');
  });

  test('makes a file where there is none, and one for editors beside it', async () => {
    const { viber, read, home } = homeWith(undefined);
    expect((await viber(['set', 'language', 'de'])).code).toBe(0);
    expect(read()).toMatch(/^# yaml-language-server: \$schema=\.\/config\.schema\.json\n[\s\S]*language: de\n$/);
    expect(JSON.parse(fs.readFileSync(path.join(home, 'config.schema.json'), 'utf8'))).toHaveProperty(
      'properties.model',
    );
  });

  test('changes JSON too', async () => {
    const { viber, read } = homeWith('{\n  "model": "a/b"\n}\n', 'config.json');
    expect((await viber(['set', 'http.port', '7001'])).code).toBe(0);
    expect(JSON.parse(read())).toEqual({ model: 'a/b', http: { port: 7001 } });
  });
});

test('unset removes a setting, whose default applies again', async () => {
  const { viber, read } = homeWith(TEXT);
  const answer = await viber(['unset', 'model', '--json'], { env });
  expect(JSON.parse(answer.out)).toMatchObject({ path: 'model', isSet: false });
  expect(read()).not.toContain('model: a/b');
  expect(read()).toContain('# not 6009');
});

describe('unset keeps the comments of everything else', () => {
  const text = `# The file

# of the model
model: a/b # m
# of http
http:
  # of the port
  port: 1234 # p
  # of the host
  host: 127.0.0.1
  # at the end of http
# of the log
log:
  level: info
  # pretty: true

# of people
people:
  - { name: alex, role: owner, ids: ['telegram:1001'] } # first
# end
`;
  test.each([
    ['model', ['# of the model', 'model: a/b # m']],
    ['http', ['# of http', ...text.split('\n').slice(5, 11)]],
    ['http.port', ['  # of the port', '  port: 1234 # p']],
    ['http.host', ['  # of the host', '  host: 127.0.0.1']],
    ['log', ['# of the log', 'log:', '  level: info', '  # pretty: true']],
    ['people', ['# of people', 'people:', "  - { name: alex, role: owner, ids: ['telegram:1001'] } # first"]],
  ])('%s', async (name, gone) => {
    for (const end of ['\n', '\r\n']) {
      const { viber, read } = homeWith(text.replaceAll('\n', end));
      expect(await viber(['unset', name], { env })).toMatchObject({ code: 0, err: '' });
      const filled = (all: string) => all.split(end).filter((line) => line !== '');
      expect(filled(read())).toEqual(filled(text.replaceAll('\n', end)).filter((line) => !gone.includes(line)));
    }
  });
});

test.each([
  ['model: &m a/b\nfallback: [*m] # kept\n', 'fallback: [a/b] # kept\n'],
  [
    '# My settings\n\n# the model\nmodel: a/b\n\n# to try later\n# log: y\n',
    '# My settings\n\n# to try later\n# log: y\n',
  ],
])('unset of the model in %j keeps what others share with it, and what is around it', async (text, left) => {
  const { viber, read } = homeWith(text);
  expect(await viber(['unset', 'model'], { env })).toMatchObject({ code: 0, err: '' });
  expect(read()).toBe(left);
});

test('unset of what is not set says so, and writes nothing', async () => {
  const { viber, home, file, read } = homeWith(TEXT);
  const absent = ['smallModel', 'http.token', 'providers.other', 'people.0.viber', 'prices.openai/gpt-5.1.cachedInput'];
  for (const name of absent)
    expect(await viber(['unset', name], { env })).toEqual({
      code: 0,
      out: `${name} isn't set in ${file}, so nothing was removed.`,
      err: '',
    });
  expect([read(), fs.readdirSync(home)]).toEqual([TEXT, ['config.yaml']]);
  expect(JSON.parse((await viber(['unset', 'log.level', '--json'], { env })).out)).toEqual({
    ...{ path: 'log.level', file, isSet: false, needsRestart: false },
  });
  const empty = homeWith(undefined);
  expect((await empty.viber(['unset', 'channels.telegram.token'])).out).toContain("isn't set");
  expect(fs.readdirSync(empty.home)).toEqual([]);
});

test.each([
  [
    'people:\n  - role: owner\n    name: anna\n    ids: [telegram:1]\n',
    'people:\n  - name: anna\n    ids: [telegram:1]\n',
  ],
  [
    'people:\n- role: owner\n  name: anna\n  ids:\n  - telegram:1\n',
    'people:\n  - name: anna\n    ids:\n      - telegram:1\n',
  ],
  [
    'people:\n    - role: owner # a\n      name: anna\n\n      ids: [telegram:1] # i\n',
    'people:\n    - name: anna\n\n      ids: [telegram:1] # i\n',
  ],
])('unset of the first key of an item of a list keeps the others, and the form of the file: %j', async (text, left) => {
  const { viber, read } = homeWith(text);
  expect(await viber(['unset', 'people.0.role'])).toMatchObject({ code: 0, err: '' });
  expect(read()).toBe(left);
});

test('set of a section says what to set in it', async () => {
  const { viber } = homeWith(undefined);
  expect(await viber(['set', 'people', 'anna'])).toEqual({
    code: 1,
    out: '',
    err: 'people is a section. Set one of its settings, such as people.N.name.',
  });
});

test('unset of a token that only .env has removes it there', async () => {
  const { viber, home } = homeWith('model: a/b\n');
  fs.writeFileSync(path.join(home, '.env'), 'TELEGRAM_BOT_TOKEN=1:a\nLAST=x\n');
  const { out } = await viber(['unset', 'channels.telegram.token']);
  expect(out).toContain(`channels.telegram.token is removed from ${path.join(home, '.env')}`);
  expect(fs.readFileSync(path.join(home, '.env'), 'utf8')).toBe('LAST=x\n');
  expect((await viber(['unset', 'channels.telegram.token'])).out).toContain("isn't set");
});

test('a language without a translation is refused in one sentence that names those there are, and at the start', async () => {
  const { viber, home, file, read } = homeWith('model: a/b\n');
  const refusal = 'language: expected auto, en, de or es, found "fr" (line 2, column 1)';
  const { code, err } = await viber(['set', 'language', 'fr']);
  expect([code, err.split('\n')[0], read()]).toEqual([2, refusal, 'model: a/b\n']);
  fs.writeFileSync(file, 'model: a/b\nlanguage: fr\n');
  expect(await viber(['check'])).toMatchObject({ code: 2, err: `${refusal}\nThe settings are in ${file}.` });
  const started = await viberProcess(home, ['start'], { env: { LANG: 'de_DE.UTF-8' } });
  expect(started.code).toBe(2);
  expect(started.err).toContain('language: erwartet wird auto, en, de oder es, gefunden wurde "fr"');
  for (const tag of ['es-MX', 'DE', 'auto'])
    expect(await viber(['set', 'language', tag])).toMatchObject({ code: 0, err: '' });
});

test('refuses a token of another form, and says how to use it anyway', async () => {
  const { viber, home, read } = homeWith('model: a/b\n');
  const { code, out, err } = await viber(['set', 'channels.telegram.token', 'abc']);
  expect([code, out, read(), fs.existsSync(path.join(home, '.env'))]).toEqual([2, '', 'model: a/b\n', false]);
  expect(err).toContain(`this one isn't. To use it anyway, put TELEGRAM_BOT_TOKEN into ${path.join(home, '.env')}.`);
});

test.each(['model: a/b\n', '# mine\n\nmodel: a/b\n', '{ model: a/b }\n', '{}\n'])(
  'unset of the last setting of %j keeps the comments, and the next ones are written in lines',
  async (text) => {
    const { viber, read } = homeWith(text);
    await viber(['unset', 'model']);
    if (text.startsWith('#')) expect(read().trim()).toBe('# mine');
    const { out } = await viber(['get']);
    expect(out).toMatch(/sets nothing/);
    await viber(['set', 'model', 'a/c']);
    await viber(['set', 'http.port', '7000']);
    expect(read().endsWith('model: a/c\nhttp:\n  port: 7000\n')).toBe(true);
    if (text.startsWith('#')) expect(read()).toContain('# mine');
  },
);

test('unset of a secret removes it from .env, with what is empty then, and a chat is off', async () => {
  const { viber, home, read } = homeWith('model: a/b\n');
  const secrets = () => fs.readFileSync(path.join(home, '.env'), 'utf8');
  const saved = await viber(['set', 'channels.telegram.token'], {
    input: '123456:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  });
  expect(saved.out).toContain(`channels.telegram.token is saved in ${path.join(home, '.env')}`);
  const removed = await viber(['unset', 'channels.telegram.token']);
  expect(removed.code).toBe(0);
  expect(removed.out).toContain(`TELEGRAM_BOT_TOKEN is removed from ${path.join(home, '.env')}`);
  expect([secrets(), parse(read())]).toEqual(['', { model: 'a/b' }]);
  expect(await viber(['get', 'channels.telegram.token'])).toMatchObject({ code: 1 });
});

test('unset removes a whole section, with its secrets, but none that another setting uses', async () => {
  const text = `model: a/b
providers:
  a: { baseURL: 'https://a.example/v1', apiKey: '\${SHARED}' }
  other: { baseURL: 'https://b.example/v1', apiKey: '\${SHARED}' }
channels:
  telegram: { token: '\${TELEGRAM_BOT_TOKEN}', access: { allow: [1001] } }
`;
  const { viber, home, read } = homeWith(text);
  fs.writeFileSync(path.join(home, '.env'), '# mine\nSHARED=s\nTELEGRAM_BOT_TOKEN=1:a\nLAST=x\n');
  for (const section of ['channels.telegram', 'providers.other'])
    expect(await viber(['unset', section])).toMatchObject({ code: 0, err: '' });
  expect(fs.readFileSync(path.join(home, '.env'), 'utf8')).toBe('# mine\nSHARED=s\nLAST=x\n');
  expect(Object.keys(parse(read()))).toEqual(['model', 'providers']);
  expect(await viber(['unset', 'nothing.of.the.kind'])).toMatchObject({ code: 1 });
});

test('names of providers that differ by a sign keep secrets of their own', async () => {
  const { viber, home } = homeWith(undefined);
  for (const name of ['my-llm', 'my_llm', 'plain']) {
    await viber(['set', `providers.${name}.baseURL`, `https://${name.replace('_', '-')}.example/v1`]);
    await viber(['set', `providers.${name}.apiKey`], { input: `key-of-${name}-0123456789` });
  }
  const written = fs.readFileSync(path.join(home, '.env'), 'utf8');
  for (const name of ['my-llm', 'my_llm', 'plain']) expect(written).toContain(`key-of-${name}-0123456789`);
  expect(written).toContain('VIBER_PROVIDERS_PLAIN_APIKEY=');
});

test('in JSON an older spelling is changed and removed in its place', async () => {
  const { viber, read } = homeWith('{"limits":{"cost_per_day":5}}', 'config.json');
  await viber(['set', 'limits.costPerDay', '7']);
  expect(JSON.parse(read())).toEqual({ limits: { cost_per_day: 7 } });
  await viber(['unset', 'limits.costPerDay']);
  expect(JSON.parse(read())).toEqual({});
});

test('several words are the items of a list', async () => {
  const { viber } = homeWith(undefined);
  expect(await viber(['set', 'web.hosts', 'example.org', '*.example.com'])).toMatchObject({ code: 0 });
  expect((await viber(['get', 'web.hosts'])).out).toBe('["example.org","*.example.com"]');
});

describe('check', () => {
  test('says that a file is fine, or everything that is wrong with where it is', async () => {
    const { viber, file } = homeWith(TEXT);
    expect(await viber(['check'], { env })).toEqual({ code: 0, out: `${file} is fine.`, err: '' });
    fs.writeFileSync(file, 'model: gpt\nhttp:\n  port: no\n');
    const wrong = await viber(['check']);
    expect(wrong.code).toBe(2);
    expect(wrong.err.split('\n')).toEqual([
      expect.stringMatching(/^model: expected provider\/model.* \(line 1, column 1\)$/),
      expect.stringMatching(/^http\.port: expected a whole number.* \(line 3, column 3\)$/),
      `The settings are in ${file}.`,
    ]);
    const { problems } = JSON.parse((await viber(['check', '--json'])).out);
    expect(problems[1]).toMatchObject({ path: 'http.port', line: 3, column: 3 });
  });

  test('names what is odd, and asks nobody', async () => {
    const { viber } = homeWith('modle: a/b\nsmall_model: a/c\nchannels: { telegram: { token: xoxb-1 } }\n');
    const { code, out } = await viber(['check']);
    expect(code).toBe(0);
    expect(out).toContain('modle: unknown key, ignored; did you mean model? (line 1, column 1)');
    expect(out).toContain('small_model (smallModel)');
    expect(out).toContain('which belongs in channels.slack.botToken');
    expect(out.split('\n').at(-1)).toMatch(/^\d warnings; the rest of .*config\.yaml is fine\.$/);
  });
});
