/** `viber backup FILE`: the home in one file, also while the gateway runs. Changes nothing in the home. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { isSecretPath } from '../../config/environment.ts';
import { ConfigError, errorCode, UserError } from '../../errors.ts';
import { scrub } from '../../log.ts';
import { type CliContext, EXIT } from '../command.ts';
import { serverOf, workOn } from '../on-server.ts';
import { versionOf } from '../version.ts';
import { type ChosenFile, chooseFiles, isEarly } from './choose.ts';
import { FORMAT, HEAD, type Head } from './format.ts';

const SETTINGS = ['config.yaml', 'config.json', 'openai.yaml'];
const BLOCK = 512;
const PIECE = 1024 * 1024;

interface Counts {
  files: number;
  bytes: number;
}

export async function run(context: CliContext): Promise<number> {
  const { home, json, print, switches } = context;
  const target = path.resolve(context.args[0] ?? '');
  refuseTarget(target, home);
  const hasSecrets = switches.has('with-secrets');
  const withSecret = await settingsWithSecrets(home);
  const chosen: ChosenFile[] = [];
  /** Those that are copied early, or all others, as they stand when they are asked for. */
  const choose = (early: boolean): ChosenFile[] => {
    const found = chooseFiles(home, withSecret).filter((file) => isEarly(file) === early);
    chosen.push(...found);
    return found.filter(({ choice }) => choice === 'take' || (hasSecrets && choice === 'secret'));
  };
  const { version, createdAt } = { version: versionOf(), createdAt: new Date().toISOString() };
  const counts: Counts = { files: 0, bytes: 0 };
  const server = await serverOf(context);
  const head: Head = { format: FORMAT, version, createdAt, hasSecrets, ...(server && { onServer: true }) };
  await writeWhole(target, archive(home, choose, head, counts));
  const onServer = await workOn(server);
  const named = (choice: string) => chosen.filter((file) => file.choice === choice).map(({ name }) => name);
  const secrets = hasSecrets ? [] : named('secret');
  const [foreign, size] = [named('foreign'), fs.statSync(target).size];
  if (json) print(JSON.stringify({ file: target, ...counts, size, hasSecrets, secrets, foreign, onServer }));
  else {
    print(`${counts.files} files are in ${target} (${Math.ceil(size / 1e6)} MB), readable by you alone.`);
    print(`It holds conversations and memory in plain words${hasSecrets ? ', and secrets' : ''}: keep it safe.`);
    if (secrets.length > 0) print(`Left out as secret (--with-secrets takes them along): ${list(secrets)}.`);
    if (foreign.length > 0) print(`Left out, as links and sockets are: ${list(foreign)}.`);
    if (onServer) for (const line of notInIt(onServer)) print(line);
  }
  return EXIT.ok;
}

function notInIt({ address, messages = 0, answers = 0, problem }: NonNullable<Awaited<ReturnType<typeof workOn>>>) {
  const counted = `${messages} messages and ${answers} answers now`;
  return [
    `Not in it: what is under way, and what was received in the last days, stand on the server at ${address} (${problem ?? counted}).`,
    'Copy the append-only folder of that server as well, or a snapshot of its disk: docs/scale.md, "Backup and restore".',
  ];
}

const list = (names: readonly string[]) =>
  `${names.slice(0, 10).join(', ')}${names.length > 10 ? ` and ${names.length - 10} more` : ''}`;

function refuseTarget(target: string, home: string): void {
  if (!fs.existsSync(home)) throw new UserError(`There is no home at ${home}.`);
  if (fs.lstatSync(target, { throwIfNoEntry: false })) throw new UserError(`${target} is there already; name another.`);
  const folder = path.dirname(target);
  if (!fs.existsSync(folder)) throw new UserError(`There is no folder ${folder}.`);
  const inside = path.relative(fs.realpathSync(home), fs.realpathSync(folder));
  if (inside === '' || !(inside.startsWith('..') || path.isAbsolute(inside)))
    throw new UserError(`${target} is inside the home; name a file outside of it.`);
}

/** Files of settings that have a secret written into them, in place of the name of a variable. */
async function settingsWithSecrets(home: string): Promise<Set<string>> {
  const { parseYaml } = await import('../../config/parse.ts');
  const found = new Set<string>();
  for (const name of SETTINGS) {
    const file = path.join(home, name);
    if (!fs.statSync(file, { throwIfNoEntry: false })?.isFile()) continue;
    try {
      const text = fs.readFileSync(file, 'utf8');
      if (scrub(text) !== text || holdsSecret(await parseYaml(text, file), [])) found.add(name);
    } catch (error) {
      // What cannot be read cannot be judged either.
      if (!(error instanceof ConfigError)) throw error;
      found.add(name);
    }
  }
  return found;
}

function holdsSecret(value: unknown, at: readonly string[]): boolean {
  if (typeof value === 'string')
    return !/^\s*$|\$\{/.test(value) && (isSecretPath(at) || /\/\/[^/\s@]+:[^/\s@]+@/.test(value));
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) => holdsSecret(item, [...at, key]));
}

/** The file is there whole, or not at all; for its owner alone. */
async function writeWhole(target: string, content: AsyncIterable<Buffer>): Promise<void> {
  const temp = path.join(path.dirname(target), `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    const output = fs.createWriteStream(temp, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(Readable.from(content), createGzip(), output);
    // Unlike a rename, a link never takes the place of a file that came meanwhile.
    fs.linkSync(temp, target);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw new UserError(`${target} is there already; name another.`);
    throw error;
  } finally {
    fs.rmSync(temp, { force: true });
  }
}

type Choose = (early: boolean) => ChosenFile[];

async function* archive(home: string, choose: Choose, head: Head, counts: Counts): AsyncGenerator<Buffer> {
  const { Header, Pax } = await import('tar');
  function* entry(name: string, size: number, mode: number, mtime: Date): Generator<Buffer> {
    const type = name.endsWith('/') ? 'Directory' : 'File';
    const header = new Header({ path: name, size, mode, mtime, type });
    const block = Buffer.alloc(BLOCK);
    if (header.encode(block, 0)) yield new Pax({ path: name, size, mode, mtime }).encode();
    yield block;
  }
  function* copied({ name, upTo }: ChosenFile): Generator<Buffer> {
    const file = path.join(home, name);
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    if (!stat) return;
    if (name.endsWith('/')) {
      yield* entry(name, 0, 0o700, stat.mtime);
      return;
    }
    const fd = open(file);
    if (fd === undefined) return;
    try {
      const size = wholeSize(fd, name, upTo);
      yield* entry(name, size, 0o600 | (stat.mode & 0o100), stat.mtime);
      yield* content(fd, size);
      counts.files++;
      counts.bytes += size;
    } finally {
      fs.closeSync(fd);
    }
  }
  const about = Buffer.from(`${JSON.stringify(head)}\n`);
  yield* entry(HEAD, about.length, 0o600, new Date());
  yield* padded(about);
  for (const file of choose(true)) yield* copied(file);
  for (const file of choose(false)) yield* copied(file);
  yield Buffer.alloc(2 * BLOCK);
}

/** What was removed since is not there; a link that took its place is not followed. */
function open(file: string): number | undefined {
  try {
    return fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW);
  } catch (error) {
    if (['ENOENT', 'ELOOP'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** Of a file that grows by lines, as far as it is whole lines: half a line would be found damaged after the restore. */
function wholeSize(fd: number, name: string, upTo = Number.MAX_SAFE_INTEGER): number {
  const size = Math.min(upTo, fs.fstatSync(fd).size);
  if (!name.endsWith('.jsonl')) return size;
  const piece = Buffer.alloc(64 * 1024);
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - piece.length);
    const read = fs.readSync(fd, piece, 0, end - from, from);
    const last = piece.subarray(0, read).lastIndexOf(0x0a);
    if (last >= 0) return from + last + 1;
    end = from;
  }
  return 0;
}

function* content(fd: number, size: number): Generator<Buffer> {
  for (let at = 0; at < size; ) {
    const piece = Buffer.alloc(Math.min(PIECE, size - at));
    const read = fs.readSync(fd, piece, 0, piece.length, at);
    // A file that became shorter is filled up: what the archive was told has to come.
    yield read === 0 ? piece : piece.subarray(0, read);
    at += read === 0 ? piece.length : read;
  }
  if (size % BLOCK > 0) yield Buffer.alloc(BLOCK - (size % BLOCK));
}

function* padded(bytes: Buffer): Generator<Buffer> {
  yield bytes;
  if (bytes.length % BLOCK > 0) yield Buffer.alloc(BLOCK - (bytes.length % BLOCK));
}
