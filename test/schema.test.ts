// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the syntax of the configuration
/** The JSON Schemas of the configuration and of agents: what an editor says of a file is what the loader says. */
import { mkdirSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, parseDocument } from 'yaml';
import { keepSchemas, SCHEMA_LINE } from '../src/config/schema-file.ts';
import { loadAgent, loadConfig } from '../src/config.ts';
import { schemas } from './settings.ts';

const root = join(import.meta.dirname, '..');
const home = await mkdtemp(join(tmpdir(), 'viber-schema-'));
afterAll(() => rm(home, { recursive: true, force: true }));

const shipped = await schemas();
const { 'config.schema.json': schema, 'agents.schema.json': agents } = shipped;

/** Returns what finds out what a schema says is wrong, as `/place: what`. */
function complaintsBy(by: typeof schema): (data: unknown) => string[] {
  const validate = new Ajv({ allErrors: true, strict: false }).compile(by);
  return (data) => {
    validate(data);
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
  };
}
const complaints = complaintsBy(schema);
const complaintsOfAgent = complaintsBy(agents);

test.each(Object.entries(shipped))('%s is the file that is shipped: npm run settings', (name, made) => {
  expect(readFileSync(join(root, name), 'utf8')).toBe(`${JSON.stringify(made, null, 2)}\n`);
  expect(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).files).toContain(name);
});

test('takes config.example.yaml, which names it', () => {
  const text = readFileSync(join(root, 'config.example.yaml'), 'utf8');
  expect(text.split('\n')[0]).toBe(SCHEMA_LINE);
  expect(complaints(parse(text))).toEqual([]);
});

describe('takes every example of the docs', () => {
  const pages = ['README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)].filter((name) =>
    name.endsWith('.md'),
  );
  const known = new Set(Object.keys(schema.properties ?? {}));
  const examples = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/^( *)```yaml\n([\s\S]*?)^ *```/gm)].flatMap(
      ([, indent = '', body = '']) => {
        const text = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
        const document = parseDocument(text);
        const data: unknown = document.errors.length > 0 ? undefined : document.toJS();
        const isOurs = typeof data === 'object' && data !== null && Object.keys(data).every((key) => known.has(key));
        return isOurs && Object.keys(data).length > 0 ? [{ page, text, data }] : [];
      },
    ),
  );

  test('which are found', () => {
    expect(examples.length).toBeGreaterThan(15);
  });
  test.each(examples)('$page: $text', ({ data }) => {
    expect(complaints(data)).toEqual([]);
  });
});

describe('agrees with the loader', () => {
  const right = [
    'http:\nmemory:\n',
    'http: { port: "7000" }',
    'http: { port: "${PORT:-7000}" }',
    'memory: { index: on, autoAccept: "true" }',
    'memory: { index: true }',
    'maxSteps: 5',
    'maxSteps: "12"',
    'language: de-AT',
    'language: ES',
    'engine: { roles: "ingress,work,deliver" }',
    'channels: { telegram: { token: "1:a", access: { allow: [1001, "1002"], chats: [-100, "*"] } } }',
    'channels: { discord: { token: a.b.c, guilds: [175928847299117063, "1", { id: 2, groups: all }] } }',
    'channels: { terminal: { enabled: true } }',
    'people: [{ name: Zoë O’Brien-Lee, ids: ["telegram:1001"] }]',
    'prices: { openai/gpt-5.1: { input: 1, output: "2.5" } }',
    'projects: { roots: [~/code, { folder: /srv, network: all }] }',
    'web: { hosts: [example.org, "*.example.org"] }',
    'mcp: { docs: { url: "https://x.example" } }',
    'skills: { env: { github: { TOKEN: x } } }',
  ];
  test.each(right)('right: %s', async (text) => {
    await writeFile(join(home, 'config.yaml'), text);
    await loadConfig({ home, env: {} });
    expect(complaints(parse(text, { intAsBigInt: false }))).toEqual([]);
  });

  // biome-ignore format: a list is filled
  const wrong = [
    'model: gpt', 'language: fr', 'language: english', 'maxSteps: 0', 'http: { port: 70000 }', 'http: []',
    'memory: yes', 'log: { level: loud }', 'channels: { telegram: { token: "1:a", mode: poling } }',
    'channels: { telegram: { token: "1:a", access: { allow: ["@alex"] } } }',
    'people: [{ name: alex, role: boss, ids: [] }]', 'currency: dollars', 'fallback: openai/x', 'timeouts: { run: -1 }',
  ];
  test.each(wrong)('wrong: %s', async (text) => {
    await writeFile(join(home, 'config.yaml'), text);
    await expect(loadConfig({ home, env: {} })).rejects.toThrow();
    expect(complaints(parse(text))).not.toEqual([]);
  });

  test.each(['modle: x/y', 'http: { prot: 1 }', 'channels: { telgram: {} }'])('unknown: %s', async (text) => {
    await writeFile(join(home, 'config.yaml'), text);
    expect((await loadConfig({ home, env: {} })).warnings).toHaveLength(1);
    expect(complaints(parse(text))).not.toEqual([]);
  });

  test('a token of the environment needs no line in the file', () => {
    expect(complaints({ channels: { telegram: {}, slack: { mode: 'socket' }, discord: {} } })).toEqual([]);
  });

  test('sections of packages are theirs, once one is named', () => {
    expect(complaints({ plugins: ['viber-dice'], dice: { sides: 20 } })).toEqual([]);
    expect(complaints({ channels: { pigeon: { module: 'viber-pigeon', lofts: 3 } } })).toEqual([]);
    expect(complaints({ channels: { pigeon: { lofts: 3 } } })).not.toEqual([]);
  });
});

describe('of an agent', () => {
  mkdirSync(join(home, 'agents'));
  let written = 0;
  /** What the gateway makes of a file: its warnings, and whether it can't be used. */
  async function load(text: string) {
    const id = `a${++written}`;
    const file = join(home, 'agents', `${id}.yaml`);
    await writeFile(file, text);
    // A file that was just written may be half of one.
    utimesSync(file, 1, 1);
    const { warnings, isBroken = false } = await loadAgent(home, id);
    return { warnings: warnings.length, isBroken };
  }

  const right = [
    'description: Writes code\nmodel: anthropic/claude-sonnet-5-5\nprompt: One sentence.\nfolder: ~/projects/shop',
    'maxSteps: 5\nfallback: [openai/gpt-5-mini]',
    'maxSteps: "12"',
    'tools: [read_file]\nskills: []\nmode: ask',
    'planApproval: on',
    'planApproval: true',
    'systemPrompt: ""',
    ...[...readFileSync(join(root, 'docs/agents.md'), 'utf8').matchAll(/^```yaml agent\n([\s\S]*?)^```/gm)].map(
      ([, body = '']) => body,
    ),
  ];
  test.each(right)('right: %s', async (text) => {
    expect(await load(text)).toEqual({ warnings: 0, isBroken: false });
    expect(complaintsOfAgent(parse(text))).toEqual([]);
  });

  // biome-ignore format: a list is filled
  const wrong = [
    'model: gpt', 'model: "${MODEL}"', 'maxSteps: 0', 'maxSteps: auto', 'mode: decide-later', 'tools: read_file',
    'folder: projects/shop', 'description: ""', 'prompt: [a]',
  ];
  test.each(wrong)('wrong: %s', async (text) => {
    expect(await load(text)).toMatchObject({ isBroken: true });
    expect(complaintsOfAgent(parse(text))).not.toEqual([]);
  });

  test('unknown: a key of the configuration, or a wrong one', async () => {
    for (const text of ['modle: a/b', 'viber: dev']) {
      expect(await load(text)).toEqual({ warnings: 1, isBroken: false });
      expect(complaintsOfAgent(parse(text))).not.toEqual([]);
    }
  });

  test('describes each key as the docs do', () => {
    const page = readFileSync(join(root, 'docs/configuration.md'), 'utf8').replace(/\[([^\]]+)\]\([^)]*\)/g, '$1');
    const keys = Object.entries(agents.properties ?? {}).map(([key, part]) => ({
      key,
      about: typeof part === 'object' ? part.description : undefined,
    }));
    expect(keys.filter(({ about = '' }) => about === '')).toEqual([]);
    const above = ['model', 'fallback', 'maxSteps', 'planApproval', 'systemPrompt'];
    const own = keys.filter(({ key }) => !above.includes(key));
    expect(own.filter(({ key, about }) => !page.includes(`\n- \`${key}\`: ${about}\n`))).toEqual([]);
  });
});

describe('beside the configuration', () => {
  const file = join(home, 'config.yaml');
  const beside = join(home, 'config.schema.json');

  test('is written where the file names it, and brought up to date', async () => {
    await writeFile(file, `${SCHEMA_LINE}\nmodel: a/b\n`);
    await writeFile(beside, '{"old": true}\n');
    await keepSchemas(file, home);
    expect(JSON.parse(await readFile(beside, 'utf8'))).toEqual(schema);
    expect(JSON.parse(await readFile(join(home, 'agents.schema.json'), 'utf8'))).toEqual(agents);
  });

  test('is named by a key in JSON, which is no setting', async () => {
    const json = join(home, 'config.json');
    await rm(beside, { force: true });
    await writeFile(json, '{\n  "$schema": "./config.schema.json",\n  "model": "a/b"\n}\n');
    await keepSchemas(json, home);
    expect(readdirSync(home)).toContain('config.schema.json');
    expect((await loadConfig({ home, env: {}, file: json })).warnings).toEqual([]);
    expect(complaints(JSON.parse(await readFile(json, 'utf8')))).toEqual([]);
    await rm(json);
    await rm(beside);
  });

  test('is not written where the file names none, or another', async () => {
    for (const name of [beside, join(home, 'agents.schema.json')]) await rm(name, { force: true });
    for (const line of ['', '# yaml-language-server: $schema=https://example.org/config.schema.json\n']) {
      await writeFile(file, `${line}model: a/b\n`);
      await keepSchemas(file, home);
      expect(readdirSync(home).filter((name) => name.endsWith('.schema.json'))).toEqual([]);
    }
  });
});
