/**
 * `viber uninstall`: says what of this program is on the machine, and removes what it is told to. Invariants: nothing is
 * removed that wasn't named, and of a home nothing that a person put at its top; a home is removed only while nobody
 * uses it, and vanishes from its place at once.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline/promises';
import { chatSections } from '../channels/index.ts';
import { loadConfig } from '../config.ts';
import { crashPoint } from '../crash-points.ts';
import { acquireLock } from '../engine/local/lock.ts';
import { ConfigError, errorCode, LockedError, UserError } from '../errors.ts';
import { namesIn } from '../lib/damage.ts';
import { viberCommand } from '../lib/invocation.ts';
import { bareAnswer } from '../messages/bare-answers.ts';
import { say, type Wording } from '../messages/messages.ts';
import { type CliContext, EXIT } from '../runtime/contract/cli.ts';
import { isOwnName } from '../workspace/home.ts';
import { listNames } from './backup/format.ts';
import { homesAside, realHome } from './backup/restoring.ts';
import { runHere } from './run-here.ts';
import { runningGateways } from './running.ts';
import { removeService } from './service/service.ts';
import { isServiceOf, type Supervisor, supervisorFor } from './service/supervisor.ts';
import { PACKAGE, packageFolder } from './version.ts';

interface Inventory {
  service: Supervisor | undefined;
  /** The real folder; undefined if there is none. */
  home: string | undefined;
  /** The same, where nothing in it is the gateway's: a home may have been deleted around that. */
  left: string | undefined;
  /** Names at the top of either that aren't the gateway's. */
  foreign: string[];
  /** Homes whose removal was cut off, by name, beside this one. */
  remains: string[];
  /** Homes that a restore has moved aside. */
  earlier: string[];
  worktrees: string[];
  program: { folder: string; command?: string[] };
  /** Pages on which tokens are revoked. */
  pages: string[];
}

interface Removal {
  service: boolean;
  home: boolean;
  program: boolean;
}

export async function run(context: CliContext): Promise<number> {
  const { json, print, switches, messages } = context;
  const told: Removal = {
    service: switches.has('service'),
    home: switches.has('delete-home'),
    program: switches.has('program'),
  };
  const found = await findAll(context);
  if (!Object.values(told).includes(true)) {
    printInventory(found, context);
    return EXIT.ok;
  }
  await refuse(found, told, context);
  const place = realHome(context.home);
  const printAll = (lines: readonly (Wording | string)[]) => {
    for (const line of lines) if (!json) print(messages.said(line));
  };
  if (!switches.has('yes') || !hasWork(found, told)) printAll(removalLines(found, told, place));
  if (!hasWork(found, told)) return EXIT.ok;
  if (!(await isAgreed(context))) return EXIT.failed;
  // Before the removal, since the lines name what is there.
  const done = removalLines(found, { ...told, program: false }, place, 'yes');
  if (told.service && found.service)
    await removeService(found.service, { ...context, print: json ? () => undefined : print });
  if (told.home) removeHome(found, context);
  const code = told.program && found.program.command ? await runHere(found.program.command, { isDeaf: true }) : EXIT.ok;
  printAll(done);
  if (code === EXIT.ok)
    printAll(removalLines(found, { service: false, home: false, program: told.program }, place, 'yes'));
  const left = await findAll(context);
  printInventory(left, context);
  return code;
}

async function findAll({ home: root, config: file, env }: CliContext): Promise<Inventory> {
  const home = realHome(root);
  const isThere = fs.existsSync(home);
  const foreign = foreignIn(home);
  const isLeft = foreign.length > 0 && foreign.length === namesIn(home).length;
  const folder = packageFolder();
  const prefix = /^(.*)\/lib\/node_modules\/[^/]+$/.exec(folder)?.[1];
  return {
    service: serviceForHome(env, path.resolve(root)),
    home: isThere && !isLeft ? home : undefined,
    left: isLeft ? home : undefined,
    foreign,
    remains: namesIn(path.dirname(home)).filter((name) => isRestOf(home, name)),
    earlier: homesAside(home),
    worktrees: isThere ? worktreesLeft(home) : [],
    program: {
      folder,
      ...(prefix !== undefined && { command: ['npm', 'uninstall', '--global', '--prefix', prefix, PACKAGE] }),
    },
    pages: await tokenPages({ home, file, env }),
  };
}

/** The service of another home on this machine isn't ours to remove. */
function serviceForHome(env: NodeJS.ProcessEnv, home: string): Supervisor | undefined {
  if (process.platform !== 'linux' && process.platform !== 'darwin') return undefined;
  const supervisor = supervisorFor(process.platform, env);
  return isServiceOf(supervisor.file, home) ? supervisor : undefined;
}

const foreignIn = (home: string): string[] => namesIn(home).filter((name) => !isOwnName(name));

const REMAINS = '.deleting-';
const isRestOf = (home: string, name: string): boolean => {
  const before = `${path.basename(home)}${REMAINS}`;
  return name.startsWith(before) && /^[0-9a-f]{8}$/.test(name.slice(before.length));
};

/** Each holds work that may be nowhere else. */
function worktreesLeft(home: string): string[] {
  const folder = path.join(home, 'worktrees');
  return fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => path.join(folder, name)) : [];
}

/** Returns the pages of the platforms that are set up; none if the configuration can't be read. */
async function tokenPages(at: Parameters<typeof loadConfig>[0]): Promise<string[]> {
  try {
    const { config } = await loadConfig(at);
    return chatSections(config).flatMap(({ kind }) => (kind.setup ? [`${kind.label}: ${kind.setup.page}`] : []));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [];
  }
}

function printInventory(found: Inventory, { json, print, messages }: CliContext): void {
  const { service, home, left, foreign, remains, earlier, worktrees, program, pages } = found;
  if (json) {
    const shown = {
      service: service?.file,
      home,
      foreign,
      remains,
      earlier,
      worktrees,
      program: program.folder,
      pages,
    };
    print(JSON.stringify(shown));
    return;
  }
  const { text } = messages;
  const command = viberCommand('uninstall --delete-home');
  const names = messages.said(listNames(foreign));
  const lines = [
    service && text('cli.uninstallService', { file: service.file, command: viberCommand('uninstall --service') }),
    home && foreign.length === 0 && text('cli.uninstallHome', { home, command }),
    home && foreign.length > 0 && text('cli.uninstallHomeBut', { home, command, names }),
    left && text('cli.uninstallLeft', { folder: left, names }),
    home && text('cli.uninstallBackup', { command: viberCommand('backup FILE') }),
    ...worktrees.map((folder) => text('cli.uninstallWorktree', { folder })),
    ...remains.map((name) => text('cli.uninstallRemains', { name, command })),
    ...earlier.map((folder) => text('cli.uninstallEarlier', { folder, command: `rm -r "${folder}"` })),
    program.command
      ? text('cli.uninstallPackage', { folder: program.folder, command: viberCommand('uninstall --program') })
      : text('cli.uninstallFolder', { folder: program.folder }),
    ...pages.map((page) => text('cli.uninstallTokens', { page })),
  ].filter((line) => line !== undefined && line !== false && line !== '');
  if (!service && !home) print(text('cli.uninstallNothing'));
  for (const line of lines) print(String(line));
}

/** @throws {UserError} before anything is changed */
async function refuse(
  found: Inventory,
  told: Removal,
  { home: root, config, env, messages }: CliContext,
): Promise<void> {
  const { home, left, remains, worktrees, service, program } = found;
  if (told.program && !program.command) throw new UserError(say('cli.uninstallOwnFolder', { folder: program.folder }));
  if (!told.home) return;
  if (left !== undefined && remains.length === 0) throw new UserError(say('cli.uninstallNoHome', { folder: left }));
  if (home === undefined) return;
  // `home` has no links, but the others may be reached through one.
  const isInside = (folder: string) => [path.resolve(folder), realHome(folder)].some((at) => isAtOrBelow(at, home));
  if ([env.HOME || os.homedir(), os.homedir(), program.folder].some(isInside) || !looksLikeHome(home))
    throw new UserError(say('cli.uninstallNoHome', { folder: home }));
  if (worktrees.length > 0) throw new UserError(say('cli.uninstallWorktrees', { folders: worktrees.join(', ') }));
  const at = { home: root, config, env };
  const running = await runningGateways(at);
  if (running.length === 0 || (told.service && service)) return;
  throw new LockedError(messages.text('cli.uninstallRunning'));
}

const isAtOrBelow = (folder: string, outer: string): boolean =>
  folder === outer || folder.startsWith(outer.endsWith(path.sep) ? outer : `${outer}${path.sep}`);

/** A folder that somebody has named by mistake has none of these. */
const looksLikeHome = (folder: string): boolean =>
  ['home.json', 'spool', 'access'].some((name) => fs.existsSync(path.join(folder, name))) &&
  ['workspace', 'vibers'].some((name) => fs.existsSync(path.join(folder, name)));

const hasWork = ({ service, home, remains, program }: Inventory, told: Removal): boolean =>
  (told.service && service !== undefined) ||
  (told.home && (home !== undefined || remains.length > 0)) ||
  (told.program && program.command !== undefined);

/** Says what would be removed, or what was. */
function removalLines(
  found: Inventory,
  told: Removal,
  place: string,
  isDone: 'yes' | 'no' = 'no',
): (Wording | string)[] {
  const { service, home, remains, program } = found;
  const deletes = (shown: string, folder: string) => {
    const foreign = foreignIn(folder);
    if (foreign.length === 0) return say('cli.removesHome', { home: shown, isDone });
    return say('cli.removesHomeBut', { home: shown, names: listNames(foreign), isDone });
  };
  return [
    ...(told.service
      ? [service ? say('cli.removesService', { file: service.file, isDone }) : say('service.noService')]
      : []),
    ...(told.home && home !== undefined ? [deletes(home, home)] : []),
    ...(told.home ? remains.map((name) => deletes(name, path.join(path.dirname(place), name))) : []),
    ...(told.program && program.command ? [say('cli.removesProgram', { folder: program.folder, isDone })] : []),
  ];
}

async function isAgreed({ switches, json, print, messages }: CliContext): Promise<boolean> {
  if (switches.has('yes')) return true;
  if (!json && process.stdin.isTTY && process.stdout.isTTY) {
    const asking = readline.createInterface({ input: process.stdin, output: process.stdout });
    try {
      return bareAnswer(await asking.question(`${messages.text('cli.removeIt')} `)) === 'yes';
    } finally {
      asking.close();
    }
  }
  if (!json) print(messages.text('cli.addYes'));
  return false;
}

/** Moves the home away first: cut off in the middle, it leaves no home of which a part is missing. */
function removeHome({ home, remains }: Inventory, context: CliContext): void {
  const place = realHome(context.home);
  for (const name of remains) removeAside(path.join(path.dirname(place), name), place);
  if (home === undefined) return;
  const run = path.join(home, 'run');
  const lock = fs.existsSync(run) ? acquireLock(run) : undefined;
  const aside = `${home}${REMAINS}${randomBytes(4).toString('hex')}`;
  try {
    fs.renameSync(home, aside);
  } catch (error) {
    // A mount point can't be moved; its contents can be removed.
    if (!['EBUSY', 'EXDEV', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) throw error;
    lock?.release();
    for (const name of fs.readdirSync(home).filter(isOwnName))
      fs.rmSync(path.join(home, name), { recursive: true, force: true });
    return;
  }
  lock?.release();
  crashPoint('uninstall:moved');
  removeAside(aside, place);
  const link = path.resolve(context.home);
  if (!fs.existsSync(place) && fs.lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink()) fs.unlinkSync(link);
}

/** Puts what isn't the gateway's back where it was, and only then removes the rest: cut off between, both are there. */
function removeAside(aside: string, place: string): void {
  for (const name of foreignIn(aside)) {
    fs.mkdirSync(place, { recursive: true, mode: 0o700 });
    fs.renameSync(path.join(aside, name), freeIn(place, name));
    crashPoint('uninstall:put-back');
  }
  fs.rmSync(aside, { recursive: true, force: true });
}

/** Another home may be there by now, with a file of the same name. */
function freeIn(folder: string, name: string): string {
  const isTaken = (each: string) => fs.lstatSync(path.join(folder, each), { throwIfNoEntry: false }) !== undefined;
  let free = name;
  for (let n = 2; isTaken(free); n++) free = `${name}.${n}`;
  return path.join(folder, free);
}
