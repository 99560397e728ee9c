/**
 * Lets commands use version managers and languages outside the system's folders, if they are on the gateway's PATH.
 * Each row mounts only what is needed to run them; a tool's other files (tokens, settings, caches) stay hidden.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { errorCode } from '../../../errors.ts';
import { isSystemFile, searchPath } from '../../../skills/sandbox.ts';

export interface Toolchains {
  /** Arguments for the sandbox. */
  mounts: string[];
  /** Folders with programs, in the order of PATH. */
  programs: string[];
  variables: Record<string, string>;
}

interface Row {
  /** The folder with programs, absolute or relative to the person's home; `*` stands for one name. */
  at: string;
  /** What to mount, in the same form; by default, the folder itself. */
  shows?: readonly string[];
  /** Variables that tell its programs where to find the rest. */
  variables?: Readonly<Record<string, string>>;
}

/** The only place where Homebrew installs on Linux. */
const BREW = path.join('/', 'home', 'linuxbrew', '.linuxbrew');

const ROWS: readonly Row[] = [
  // One version of Node with its global packages. nvm itself is a shell function.
  { at: '.nvm/versions/node/*/bin', shows: ['.nvm/versions/node/*'] },
  { at: '.local/share/fnm/node-versions/*/installation/bin', shows: ['.local/share/fnm/node-versions/*'] },
  // Shims and the versions they choose from. Hooks and settings are in other folders.
  {
    at: '.volta/bin',
    shows: ['.volta/bin', '.volta/tools', '.volta/volta-shim', '.volta/layout.v4'],
    variables: { VOLTA_HOME: '.volta' },
  },
  {
    at: '.asdf/shims',
    shows: ['.asdf/shims', '.asdf/bin', '.asdf/lib', '.asdf/libexec', '.asdf/installs', '.asdf/plugins'],
  },
  { at: '.asdf/bin', shows: ['.asdf/bin', '.asdf/lib'] },
  { at: '.local/share/mise/installs/*/*/bin', shows: ['.local/share/mise/installs/*/*'] },
  { at: '.pyenv/shims', shows: ['.pyenv'], variables: { PYENV_ROOT: '.pyenv' } },
  { at: '.pyenv/bin', shows: ['.pyenv/bin', '.pyenv/libexec'] },
  { at: '.rbenv/shims', shows: ['.rbenv'], variables: { RBENV_ROOT: '.rbenv' } },
  // Not ~/.cargo itself, which contains credentials.toml. Its programs are links to rustup.
  {
    at: '.cargo/bin',
    shows: ['.cargo/bin', '.rustup/toolchains', '.rustup/settings.toml'],
    variables: { RUSTUP_HOME: '.rustup' },
  },
  { at: 'go/bin' },
  { at: 'sdk/*/bin', shows: ['sdk/*'] },
  { at: '.bun/bin' },
  { at: '.deno/bin' },
  { at: '.sdkman/candidates/*/current/bin', shows: ['.sdkman/candidates'] },
  { at: '.local/share/pnpm' },
  // Programs from pipx and uv are links to environments elsewhere.
  {
    at: '.local/bin',
    shows: ['.local/bin', '.local/share/pipx/venvs', '.local/share/uv/tools', '.local/share/uv/python'],
  },
  { at: path.join(BREW, 'bin'), shows: [BREW] },
  { at: '/opt/*/bin', shows: ['/opt/*/bin', '/opt/*/lib'] },
];

/** @param folders the gateway's PATH; `home` is the person's home, `node` is the gateway's own Node */
export function findToolchains(
  folders = [...searchPath(false), path.dirname(process.execPath)],
  // A service's user may have no home.
  home = realOf(os.homedir()) ?? os.homedir(),
  node = process.execPath,
): Toolchains {
  const found: Toolchains = { mounts: [], programs: [], variables: {} };
  const shown = new Set<string>();
  const show = (file: string) => {
    // A link could lead anywhere, so it is never mounted.
    if (shown.has(file) || realOf(file) !== file) return;
    shown.add(file);
    found.mounts.push('--ro-bind-try', file, file);
  };
  for (const folder of folders) {
    const real = realOf(folder);
    if (real === undefined || isSystemFile(`${real}/x`)) {
      found.programs.push(folder);
      continue;
    }
    const row = ROWS.map((each) => ({ ...each, names: matched(real, path.resolve(home, each.at)) })).find(
      ({ names }) => names !== undefined,
    );
    if (row?.names) {
      const { names, shows = [row.at], variables = {} } = row;
      const fill = (pattern: string) => path.resolve(home, withNames(pattern, names));
      for (const each of shows) show(fill(each));
      for (const [name, value] of Object.entries(variables)) found.variables[name] = fill(value);
      found.programs.push(real);
    } else if (realOf(path.join(folder, 'node')) === realOf(node)) {
      // The gateway's own Node, wherever it is, but nothing else in that folder.
      const own = fs.realpathSync(node);
      show(own);
      found.programs.push(path.dirname(own));
    }
  }
  found.programs = [...new Set(found.programs)];
  return found;
}

/** Returns the names that the `*` in a pattern stand for; undefined if the path doesn't match. */
function matched(file: string, pattern: string): string[] | undefined {
  const [names, wanted] = [file.split('/'), pattern.split('/')];
  if (names.length !== wanted.length) return undefined;
  const stars: string[] = [];
  for (const [at, name] of names.entries()) {
    if (wanted[at] === '*') stars.push(name);
    else if (wanted[at] !== name) return undefined;
  }
  return stars;
}

function withNames(pattern: string, names: readonly string[]): string {
  let at = 0;
  return pattern.replaceAll('*', () => names[at++] ?? '*');
}

function realOf(file: string): string | undefined {
  try {
    return fs.realpathSync(file);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
