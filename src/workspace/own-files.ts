/**
 * The files that make up the gateway, and those that other programs of its user start or trust: a script that writes
 * one has its code run outside its sandbox. So no script works in a folder that contains or is inside one, and no tool
 * writes one.
 */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { statOf } from '../lib/files/cache.ts';
import { DEFAULT_VIBER, type Home, isProtected, vibersOf } from './home.ts';

interface Place {
  path: string;
  /** Part of a sentence: "it is in ..." and "... is in it". */
  what: string;
}

const noted = new Map<string, { config?: readonly Place[]; commands?: readonly Place[] }>();

export function noteConfig(root: string, file: string): void {
  noted.set(root, { ...noted.get(root), config: [{ path: file, what: "the gateway's configuration" }] });
}

/**
 * Notes the programs that the gateway starts outside a sandbox, and the folders of PATH, where it finds `git` and
 * `bwrap`.
 */
export function noteCommands(root: string, commands: readonly (readonly string[])[]): void {
  const what = 'a program that the gateway starts';
  // A runner prefers a package in its working folder over any other.
  const near = commands.some(isRunner) ? ['node_modules', 'package.json'].map((name) => path.resolve(name)) : [];
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const all = [...new Set([...commands.flatMap(programPaths), ...near, ...folders])];
  noted.set(root, { ...noted.get(root), commands: all.map((file) => ({ path: file, what })) });
}

const notedIn = (root: string): Place[] => {
  const { config = [], commands = [] } = noted.get(root) ?? {};
  return [...config, ...commands];
};

const isRunner = ([command = '']: readonly string[]): boolean =>
  /^(npx|npm|pnpm|pnpx|yarn|bunx?|uvx?)(\.\w+)?$/.test(path.basename(command));

function programPaths(command: readonly string[]): string[] {
  const words = command.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]);
  return words
    .map((word) => path.resolve(word.replace(/^~(?=\/)/, os.homedir())))
    .filter(isProgram)
    .map((file) => projectOf(path.dirname(file)) ?? file);
}

function isProgram(file: string): boolean {
  const stat = statOf(file);
  return stat?.isFile() === true && ((stat.mode & 0o111) !== 0 || CODE.test(file));
}

const CODE = /\.([cm]?[jt]s|py|sh|bash|rb|pl|php|lua|jar|wasm|exe)$/i;
const PROJECT = ['package.json', 'pyproject.toml', 'setup.py', 'requirements.txt', 'Cargo.toml', 'go.mod', '.git'];

/** A person's home folder is never a project. */
function projectOf(folder: string): string | undefined {
  if (folder === os.homedir() || folder === path.dirname(folder)) return undefined;
  return PROJECT.some((name) => existsSync(path.join(folder, name))) ? folder : projectOf(path.dirname(folder));
}

/** Returns this program's folder, or the `node_modules` around it with the packages it needs. */
function programFolder(): string {
  let folder = import.meta.dirname;
  while (folder !== path.dirname(folder) && !existsSync(path.join(folder, 'package.json')))
    folder = path.dirname(folder);
  const above = path.dirname(folder);
  return path.basename(above) === 'node_modules' ? above : folder;
}

const USERS: readonly [what: string, names: readonly string[]][] = [
  [
    'a place with credentials of this user',
    [
      ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.config/gcloud', '.config/gh', '.netrc'],
      ...['.password-store', '.local/share/keyrings', 'Library/Keychains'],
    ],
  ],
  [
    "a file that runs when this user's session starts",
    [
      ...['.config/systemd', '.config/autostart', '.config/environment.d', '.local/share/systemd'],
      ...[
        'Library/LaunchAgents',
        '.bashrc',
        '.bash_profile',
        '.profile',
        '.zshrc',
        '.zshenv',
        '.config/fish',
        '.gitconfig',
        '.config/git',
      ],
    ],
  ],
];
const SYSTEM = [
  '/etc',
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib64',
  '/boot',
  '/dev',
  '/proc',
  '/sys',
  '/Library',
  '/System',
  // Timers, units made since the start, and the sockets of programs that start others.
  '/var/spool/cron',
  '/var/lib/systemd',
  '/run/systemd',
  '/run/docker.sock',
];

function places(home: { root: string }): Place[] {
  const user = os.homedir();
  return [
    { path: programFolder(), what: "the gateway's program" },
    { path: process.execPath, what: 'the program that runs the gateway' },
    ...notedIn(home.root),
    ...USERS.flatMap(([what, names]) => names.map((name) => ({ path: path.join(user, name), what }))),
    ...SYSTEM.map((folder) => ({ path: folder, what: 'a folder of the system' })),
  ];
}

const isInside = (inner: string, outer: string): boolean =>
  inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);

const spellings = (file: string, known = new Map<string, string>()): string[] => [
  ...new Set([file, realOf(file, known)]),
];

/**
 * Also works for a file that isn't there yet, such as `.ssh` in a home that is a link.
 * @param known real paths that were looked up in this turn
 */
function realOf(file: string, known: Map<string, string>): string {
  const before = known.get(file);
  if (before !== undefined) return before;
  const above = path.dirname(file);
  const real =
    file === above || existsSync(file)
      ? realpathSync.native(file)
      : path.join(realOf(above, known), path.basename(file));
  known.set(file, real);
  return real;
}

/** Keys are directly below a folder of people's homes. */
const holdsKeys = (folder: string): boolean =>
  readdirSync(folder, { withFileTypes: true }).some(
    (entry) => entry.isDirectory() && existsSync(path.join(folder, entry.name, '.ssh')),
  );

/** Returns undefined where a script may work. | @param folder its real path */
export function whyNoScripts(home: Home, folder: string): string | undefined {
  if (folder.split('/').some((part) => part.toLowerCase() === '.git'))
    return 'it is inside the .git folder of a repository';
  const keys = "a person's keys are in it";
  if (folder.split('/').includes('.ssh') || existsSync(path.join(folder, '.ssh'))) return keys;
  const known = new Map<string, string>();
  for (const { path: place, what } of places(home))
    for (const file of spellings(place, known)) {
      if (isInside(file, folder)) return `${what} is in it`;
      if (isInside(folder, file)) return `it is in ${what}`;
    }
  return holdsKeys(folder) ? keys : whyNotInHome(home, folder);
}

/** A script may work only in what a viber made for itself. */
function whyNotInHome(home: Home, folder: string): string | undefined {
  const root = realpathSync.native(home.root);
  if (isInside(root, folder)) return 'the files of the gateway are in it';
  if (!isInside(folder, root)) return undefined;
  const own = [DEFAULT_VIBER, ...vibersOf(home)].map((viber) => home.viberDir(viber)).filter(existsSync);
  const below = own
    .map((dir) => path.relative(realpathSync.native(dir), folder))
    .find((rest) => !/^(\.\.(\/|$)|$)/.test(rest));
  const isFree = below !== undefined && !/^(memory|artifacts)(\/|$)/i.test(below) && !isProtected(home, folder);
  return isFree ? undefined : 'it is one of the folders of the gateway';
}

/** @param file its real path */
export const isOwnFile = (home: { root: string }, file: string): boolean =>
  notedIn(home.root).some(({ path: place }) => spellings(place).some((one) => isInside(file, one)));
