/**
 * `viber backup FILE`: writes the home into one file, also while the gateway runs, and reads it back before it counts.
 * Changes nothing in the home.
 */

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { ConfigError, errorCode, UserError } from '../../errors.ts';
import { type Messages, say } from '../../messages/messages.ts';
import { type CliContext, EXIT } from '../../runtime/contract/cli.ts';
import { serverOf, workOn } from '../on-server.ts';
import { versionOf } from '../version.ts';
import { type Archive, archive, createArchive, refuseOther } from './archive.ts';
import { type Choice, type ChosenFile, chooseFiles, isEarly } from './choose.ts';
import { FORMAT, type Head, listNames } from './format.ts';
import { withoutSecrets } from './without-secrets.ts';

/** Configuration files, and the copies that people keep beside them. */
const SETTINGS = /^(?![.#]).*(config|openai).*\.(ya?ml|json)/i;

export async function run(context: CliContext): Promise<number> {
  const { home, json, print, switches, messages } = context;
  const target = path.resolve(context.args[0] ?? '');
  refuseTarget(target, home);
  const hasSecrets = switches.has('with-secrets');
  const settings = hasSecrets ? { clean: new Map(), variables: [], unread: [] } : await cleanSettings(home);
  const chosen: ChosenFile[] = [];
  /** Lists the early files or all others, at the time of the call. */
  const choose = (early: boolean): ChosenFile[] => {
    const found = chooseFiles(home, new Set(settings.unread)).filter((file) => isEarly(file) === early);
    chosen.push(...found);
    return found.filter(({ choice }) => choice === 'take' || (hasSecrets && choice === 'secret'));
  };
  const { version, createdAt } = { version: versionOf(), createdAt: new Date().toISOString() };
  const server = await serverOf(context);
  const head: Head = { format: FORMAT, version, createdAt, hasSecrets, ...(server && { onServer: true }) };
  const made = createArchive(home, settings.clean);
  await writeWhole(target, archive(made, choose, head), (file) => refuseOther(file, made));
  const onServer = await workOn(server);
  const named = (choice: Choice) => chosen.filter((file) => file.choice === choice).map(({ name }) => name);
  const { files, bytes, changed } = made;
  const said = {
    files,
    bytes,
    size: fs.statSync(target).size,
    hasSecrets,
    changed,
    variables: settings.variables,
    secrets: hasSecrets ? [] : withoutInner(named('secret')),
    foreign: named('foreign'),
    unfit: named('unfit'),
    unread: [...named('unread'), ...made.unread],
  };
  if (json) print(JSON.stringify({ file: target, ...said, onServer }));
  else {
    for (const line of reportLines(target, said, messages)) print(line);
    if (onServer) for (const line of notInIt(onServer, messages)) print(line);
  }
  return EXIT.ok;
}

const withoutInner = (names: readonly string[]): string[] =>
  names.filter((name) => !names.some((other) => other.endsWith('/') && other !== name && name.startsWith(other)));

interface BackupReport extends Pick<Archive, 'files' | 'bytes' | 'changed' | 'unread'> {
  size: number;
  hasSecrets: boolean;
  secrets: string[];
  foreign: string[];
  unfit: string[];
  variables: string[];
}

function reportLines(target: string, made: BackupReport, messages: Messages): string[] {
  const { files, size, hasSecrets, secrets, foreign, unfit, unread, changed, variables } = made;
  const told = (key: ListKey, names: readonly string[]) =>
    names.length > 0 ? [messages.text(key, { names: messages.said(listNames(names)) })] : [];
  return [
    messages.text('backup.holds', { files, target, size: Math.ceil(size / 1e6) }),
    messages.text('backup.keepSafe', { secrets: hasSecrets ? 'yes' : 'no' }),
    ...told('backup.leftSecret', secrets),
    ...told('backup.variables', variables),
    ...told('backup.leftLinks', foreign),
    ...told('backup.leftNames', unfit),
    ...told('backup.leftUnread', unread),
    ...told('backup.shrunk', changed),
  ];
}

type ListKey = `backup.${'leftSecret' | 'variables' | 'leftLinks' | 'leftNames' | 'leftUnread' | 'shrunk'}`;

function notInIt(
  { address, messages: count = 0, answers = 0, problem }: NonNullable<Awaited<ReturnType<typeof workOn>>>,
  messages: Messages,
): string[] {
  const now = problem ?? say('backup.onServerNow', { messages: count, answers });
  return [messages.text('backup.onServer', { address, now }), messages.text('backup.copyServer')];
}

function refuseTarget(target: string, home: string): void {
  if (!fs.existsSync(home)) throw new UserError(say('backup.noHome', { home }));
  if (fs.lstatSync(target, { throwIfNoEntry: false })) throw new UserError(say('backup.exists', { target }));
  const folder = path.dirname(target);
  if (!fs.existsSync(folder)) throw new UserError(say('backup.noFolder', { folder }));
  const inside = path.relative(fs.realpathSync(home), fs.realpathSync(folder));
  if (inside === '' || !(inside.startsWith('..') || path.isAbsolute(inside)))
    throw new UserError(say('backup.inside', { target }));
}

interface CleanSettings {
  clean: Map<string, Buffer>;
  variables: string[];
  /** Files that could not be read, and so may contain secrets. */
  unread: string[];
}

/** Replaces each secret in the configuration with the name of a variable. */
async function cleanSettings(home: string): Promise<CleanSettings> {
  const found: CleanSettings = { clean: new Map(), variables: [], unread: [] };
  const names = fs
    .readdirSync(home, { withFileTypes: true })
    .filter((entry) => entry.isFile() && SETTINGS.test(entry.name));
  for (const { name } of names) {
    try {
      const { text, variables } = await withoutSecrets(fs.readFileSync(path.join(home, name), 'utf8'), name);
      found.clean.set(name, Buffer.from(text));
      found.variables.push(...variables);
    } catch (error) {
      if (!(error instanceof ConfigError) && errorCode(error) === undefined) throw error;
      found.unread.push(name);
    }
  }
  return { ...found, variables: [...new Set(found.variables)].sort() };
}

/** Writes the checked file as a whole or not at all; only its owner can read it. */
async function writeWhole(
  target: string,
  content: AsyncIterable<Buffer>,
  check: (file: string) => Promise<void>,
): Promise<void> {
  const temp = path.join(path.dirname(target), `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    const output = fs.createWriteStream(temp, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(Readable.from(content), createGzip(), output);
    await check(temp);
    // Unlike a rename, a link never replaces a file that somebody else created in between.
    fs.linkSync(temp, target);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw new UserError(say('backup.exists', { target }));
    throw error;
  } finally {
    fs.rmSync(temp, { force: true });
  }
}
