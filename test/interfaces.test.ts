/** The interfaces that programs, plugins and engines build on: each function says what it does, and examples compile. */
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const root = path.join(import.meta.dirname, '..');
const shared = ['download', 'read', 'refused-files', 'send-parts', 'webhook'].map((name) => `channels/shared/${name}`);

interface Interface {
  /** The module that people import, below `src/`. */
  entry: string;
  /** Other files whose functions it exports. */
  more?: string[];
  /** The names that the examples import, and what they stand on. */
  imports: string;
  given: string;
}

// biome-ignore format: a row is a line
const INTERFACES: Interface[] = [
  {
    entry: 'engine/engine',
    imports: 'type Engine, type Outbox, spoolKey',
    given: `declare const engine: Engine<string>; declare const answer: Parameters<Outbox['add']>[0];
      const { queue, outbox, state } = engine;`,
  },
  {
    entry: 'channels/channel',
    imports: `API, conversationKey, emptyMessage, filesAround, formatAddress, isProgramTask, parseAddress, type Channel,
      type ChannelCallbacks, type InboundMessage, type OutboundMessage, type PartLedger`,
    given: `declare const channel: Channel; declare const callbacks: ChannelCallbacks; declare const ledger: PartLedger;
      declare const message: InboundMessage; declare const answer: OutboundMessage;`,
  },
  {
    entry: 'plugin/plugin',
    more: ['plugin/feature', 'channels/kind',...['parse', 'rich', 'split'].map((name) => `channels/markdown/${name}`)].concat(shared),
    imports: `type Channel, type ChatChannelConfig, createBodyReader, createDownload, declaredBytes, defineChannel,
      defineCommand, defineFeature, defineTool, edit, fields, integer, isFields, list, messagesFor, oneLine,
      type Outgoing, parseMarkdown, type PartLedger, type PluginGateway, refusalNotice, refuse, sendParts, settingsOf,
      splitRich, string, words, z`,
    given: `import type { IncomingMessage, ServerResponse } from 'node:http'; declare const request: IncomingMessage;
      declare const response: ServerResponse; declare const body: unknown; declare const gw: PluginGateway;
      declare const channel: Channel; declare const ledger: PartLedger; declare const outgoing: Outgoing<object>;`,
  },
  { entry: 'client/client', imports: 'ViberClient', given: "const client = new ViberClient({ url: '' });" },
];

const read = (name: string) => fs.readFileSync(path.join(root, 'src', `${name}.ts`), 'utf8');
const examplesIn = (source: string) =>
  [...source.matchAll(/^ *\* @example\n((?: *\*(?!\/).*\n)+)/gm)].map(([, text = '']) => text.replace(/^ *\* ?/gm, ''));
/** The functions and classes that a file exports, and the methods in it, that no comment stands above. */
const undescribed = (source: string) =>
  [
    /(?<!\*\/\n)^export (?:async function|function|class) (\w+)/gm,
    /(?<!\*\/\n)^export const (\w+)(?:: [^=]+)? = (?:async )?(?:<[^\n]*>)?\(/gm,
    /(?<!\*\/\n)^ {2}(?:async |get )?(?!constructor\b|if\b|for\b|return\b)([a-z]\w*)\??(?:<\w+>)?\(.*(?<!=>)\)(?:: [^=\n]*)?(?:;| \{)$/gm,
  ].flatMap((pattern) => [...source.matchAll(pattern)].map(([, name]) => name));

test.each([...INTERFACES.map(({ entry }) => entry), 'plugin/feature'])('%s says what each function does', (entry) => {
  expect(undescribed(read(entry))).toEqual([]);
});

test('a function without a description is found', () => {
  const source =
    'export function a() {}\nexport interface I {\n  b?(n: number): void;\n  /** Returns it. */\n  c(): void;\n}\n';
  expect(undescribed(source)).toEqual(['a', 'b']);
});

test('the examples compile', { timeout: 300_000 }, async () => {
  const cache = path.join(root, 'node_modules/.cache');
  fs.mkdirSync(cache, { recursive: true });
  const at = fs.mkdtempSync(path.join(cache, 'examples-'));
  onTestFinished(() => fs.rmSync(at, { recursive: true, force: true }));
  for (const [index, { entry, more = [], imports, given }] of INTERFACES.entries()) {
    const examples = [entry, ...more].flatMap((name) => examplesIn(read(name)));
    expect(examples.length).toBeGreaterThan(3);
    const bodies = examples.map((text, n) => `export async function example${n}() {\n${text}}\n`);
    const from = JSON.stringify(path.join(root, 'src', `${entry}.ts`));
    fs.writeFileSync(path.join(at, `${index}.ts`), `import { ${imports} } from ${from};\n${given}\n${bodies.join('')}`);
  }
  const compilerOptions = { noUnusedLocals: false, incremental: false, tsBuildInfoFile: null };
  const files = INTERFACES.map((_, index) => `${index}.ts`);
  const config = { extends: path.join(root, 'tsconfig.json'), compilerOptions, include: [], files };
  fs.writeFileSync(path.join(at, 'tsconfig.json'), JSON.stringify(config));
  const tsc = path.join(root, 'node_modules/.bin/tsc');
  const { stdout } = await promisify(execFile)(tsc, ['-p', at], { cwd: root }).catch((error) => error);
  expect(stdout).toBe('');
});
