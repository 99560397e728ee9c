/**
 * What the gateway itself is made of, and what other programs of its user start or trust. A script that could write there would be run
 * by the gateway, or by the machine, outside its sandbox. So no script works in a folder that holds one of these or lies in one, and
 * no tool writes one.
 */
import { existsSync, realpathSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DEFAULT_VIBER, type Home, isProtected, vibersOf } from './home.ts';

interface Place {
  path: string;
  /** For a sentence: "it is in ..." and "... is in it". */
  what: string;
}

/** By the home's root: what a gateway reads and starts, beside what stands in the home. */
const noted = new Map<string, { config?: readonly Place[]; commands?: readonly Place[] }>();

/** @param file where the configuration stands */
export function noteConfig(root: string, file: string): void {
  noted.set(root, { ...noted.get(root), config: [{ path: file, what: "the gateway's configuration" }] });
}

/** What the gateway starts outside a sandbox: each program with its arguments; and what it finds by its name, as `git` and `bwrap`. */
export function noteCommands(root: string, commands: readonly (readonly string[])[]): void {
  const what = 'what the gateway starts';
  // A runner takes a package out of the folder that it is started in before any other.
  const near = commands.some(isRunner) ? ['node_modules', 'package.json'].map((name) => path.resolve(name)) : [];
  const folders = (process.env.PATH ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const all = [...new Set([...commands.flatMap(filesOf), ...near, ...folders])];
  noted.set(root, { ...noted.get(root), commands: all.map((file) => ({ path: file, what })) });
}

const notedIn = (root: string): Place[] => {
  const { config = [], commands = [] } = noted.get(root) ?? {};
  return [...config, ...commands];
};

const isRunner = ([command = '']: readonly string[]): boolean =>
  /^(npx|npm|pnpm|pnpx|yarn|bunx?|uvx?)(\.\w+)?$/.test(path.basename(command));

/** The words of a command that name a program by a path, each with the project that it is a part of. */
function filesOf(command: readonly string[]): string[] {
  const words = command.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]);
  return words
    .map((word) => path.resolve(word.replace(/^~(?=\/)/, os.homedir())))
    .filter(isProgram)
    .map((file) => projectOf(path.dirname(file)) ?? file);
}

function isProgram(file: string): boolean {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true && ((stat.mode & 0o111) !== 0 || CODE.test(file));
}

const CODE = /\.([cm]?[jt]s|py|sh|bash|rb|pl|php|lua|jar|wasm|exe)$/i;
const PROJECT = ['package.json', 'pyproject.toml', 'setup.py', 'requirements.txt', 'Cargo.toml', 'go.mod', '.git'];

/** What a program loads stands beside it. A person's own folder is no project, whatever is in it. */
function projectOf(folder: string): string | undefined {
  if (folder === os.homedir() || folder === path.dirname(folder)) return undefined;
  return PROJECT.some((name) => existsSync(path.join(folder, name))) ? folder : projectOf(path.dirname(folder));
}

/** Where this program stands; installed beside the packages that it is made of, these too. */
function programFolder(): string {
  let folder = import.meta.dirname;
  while (folder !== path.dirname(folder) && !existsSync(path.join(folder, 'package.json')))
    folder = path.dirname(folder);
  const above = path.dirname(folder);
  return path.basename(above) === 'node_modules' ? above : folder;
}

const USERS: readonly [what: string, names: readonly string[]][] = [
  [
    'what this user signs in with',
    ['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.docker', '.config/gcloud', '.netrc'],
  ],
  [
    "what starts with this user's session",
    [
      ...['.config/systemd', '.config/autostart', '.config/environment.d', '.local/share/systemd'],
      ...[
        'Library/LaunchAgents',
        '.bashrc',
        '.bash_profile',
        '.profile',
        '.zshrc',
        '.zshenv',
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
];

function places(home: Pick<Home, 'root'>): Place[] {
  const user = os.homedir();
  return [
    { path: programFolder(), what: "the gateway's program" },
    { path: process.execPath, what: 'the program that runs the gateway' },
    ...notedIn(home.root),
    ...USERS.flatMap(([what, names]) => names.map((name) => ({ path: path.join(user, name), what }))),
    ...SYSTEM.map((folder) => ({ path: folder, what: 'what belongs to the system' })),
  ];
}

const isInside = (inner: string, outer: string): boolean =>
  inner === outer || inner.startsWith(outer.endsWith('/') ? outer : `${outer}/`);

const spellings = (file: string): string[] => [...new Set([file, existsSync(file) ? realpathSync.native(file) : file])];

/** Why no script may work in a folder; undefined where it may. @param folder its real path */
export function whyNoScripts(home: Home, folder: string): string | undefined {
  if (folder.split('/').some((part) => part.toLowerCase() === '.git')) return 'it is in the inside of a repository';
  if (folder.split('/').includes('.ssh') || existsSync(path.join(folder, '.ssh'))) return 'keys of a person are in it';
  for (const { path: place, what } of places(home))
    for (const file of spellings(place)) {
      if (isInside(file, folder)) return `${what} is in it`;
      if (isInside(folder, file)) return `it is in ${what}`;
    }
  return whyNotInHome(home, folder);
}

/** In the home a script works in what a viber has made for itself, and nowhere else. */
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

/** Whether a file is one that no tool writes. @param file its real path */
export const isOwnFile = (home: Pick<Home, 'root'>, file: string): boolean =>
  notedIn(home.root).some(({ path: place }) => spellings(place).some((one) => isInside(file, one)));
