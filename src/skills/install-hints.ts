/** Describes how a bundle's requirements are installed, in words for a person. Never run. */
import { isRecord } from '../lib/json.ts';
import { stringList, systems } from './requirements.ts';

export interface InstallHint {
  /** Programs it installs; empty if unknown. */
  bins: string[];
  /** Systems it applies to; empty for any. */
  os: string[];
  /** An instruction, such as `brew install gh`. */
  how: string;
}

const MAX_HINTS = 12;
const MAX_LENGTH = 200;

/** Commands by kind of package, to put before its name. */
const COMMANDS: Readonly<Record<string, string>> = {
  brew: 'brew install',
  node: 'npm install -g',
  npm: 'npm install -g',
  pip: 'pip install',
  python: 'pip install',
  uv: 'uv tool install',
  go: 'go install',
  apt: 'apt install',
  dnf: 'dnf install',
  gem: 'gem install',
  cargo: 'cargo install',
  pipx: 'pipx install',
  choco: 'choco install',
  scoop: 'scoop install',
};

/** @param sources places where a bundle may say it, see `sourcesOf` */
export function readInstallHints(sources: readonly Record<string, unknown>[]): InstallHint[] {
  const given = sources.flatMap(({ install }) => (Array.isArray(install) ? install : [install]));
  const hints = given.slice(0, 50).flatMap((each) => hintOf(each) ?? []);
  return [...new Map(hints.map((hint) => [hint.how, hint])).values()].slice(0, MAX_HINTS);
}

function hintOf(given: unknown): InstallHint | undefined {
  const how = typeof given === 'string' ? given : isRecord(given) ? howOf(given) : undefined;
  const said = how && cleanHint(how);
  if (!said) return undefined;
  return {
    ...(isRecord(given) ? { bins: stringList(given.bins), os: systems(given.os) } : { bins: [], os: [] }),
    how: said,
  };
}

function howOf(given: Record<string, unknown>): string | undefined {
  const kind = filledText(given.kind) ?? filledText(given.type) ?? '';
  const names = [given.formula, given.cask, given.package, given.packages, given.module, given.crate].flatMap((each) =>
    stringList(each),
  );
  const command = Object.hasOwn(COMMANDS, kind) ? COMMANDS[kind] : undefined;
  if (command && names.length > 0) {
    const isCask = kind === 'brew' && filledText(given.cask) !== undefined;
    return `${command}${isCask ? ' --cask' : ''} ${names.join(' ')}`;
  }
  if (kind === 'download' && filledText(given.url)) return `download ${filledText(given.url)}`;
  return filledText(given.command) ?? filledText(given.instructions) ?? filledText(given.label);
}

const filledText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() ? value : undefined;

/** Cleans text that is shown on terminals and in chats. */
const cleanHint = (said: string): string =>
  said
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH)
    .toWellFormed();

/** Returns at most two ways to install a program, those for this system first. */
export function waysToInstall(program: string, hints: readonly InstallHint[], platform = process.platform): string[] {
  const fits = hints.filter(
    ({ bins, os }) => (bins.includes(program) || bins.length === 0) && (os.length === 0 || os.includes(platform)),
  );
  const isForeign = ({ how }: InstallHint) => how.startsWith('brew ') === (platform !== 'darwin');
  return [...fits]
    .sort((a, b) => Number(isForeign(a)) - Number(isForeign(b)))
    .slice(0, 2)
    .map(({ how }) => how);
}
