/**
 * `npm run test:setup` installs what some tests need, by apt-get where this is Debian and we are root. Elsewhere it says
 * what to type; a browser can then be had without root, in `node_modules/.cache`.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { OWN_CHROMIUM } from './helpers/chromium.ts';
import { missingTools, type Tool } from './helpers/tools.ts';

/** It ships its browser inside the package, and is no part of this project. */
const BROWSER = '@sparticuz/chromium';
const BROWSER_VERSION = '153.0.0';

export type Step =
  | { do: 'say'; line: string }
  | { do: 'install'; packages: readonly string[] }
  /** Fetches a browser that needs no root. */
  | { do: 'browser' };

/** What is to be done for what is missing. */
export function stepsFor(
  missing: readonly Pick<Tool, 'package'>[],
  { isRoot, hasApt }: { isRoot: boolean; hasApt: boolean },
): Step[] {
  const packages = missing.map((tool) => tool.package);
  if (packages.length === 0) return [{ do: 'say', line: 'Everything that the tests need is here.' }];
  if (hasApt && isRoot) return [{ do: 'install', packages }];
  const names = packages.join(' ');
  const line = hasApt ? `Type: sudo apt-get install ${names}` : `Install what your system has for: ${names}`;
  return [...(packages.includes('chromium') ? [{ do: 'browser' } as const] : []), { do: 'say', line }];
}

const isDone = (program: string, args: readonly string[], cwd = '.', env: Record<string, string> = {}): boolean =>
  spawnSync(program, args, { stdio: 'inherit', cwd, env: { ...process.env, ...env } }).status === 0;

function install(packages: readonly string[]): boolean {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  return (
    isDone('apt-get', ['update'], '.', env) &&
    isDone('apt-get', ['install', '-y', '--no-install-recommends', ...packages], '.', env)
  );
}

/** Unpacks the browser beside its package: it does so in the folder for temporary files, which is that one. */
function fetchBrowser(): boolean {
  const folder = path.dirname(OWN_CHROMIUM);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  const unpack = `await (await import('${BROWSER}')).default.executablePath()`;
  return (
    isDone('npm', ['install', '--no-save', '--ignore-scripts', `${BROWSER}@${BROWSER_VERSION}`], folder) &&
    isDone(process.execPath, ['--input-type=module', '-e', unpack], folder, { TMPDIR: folder })
  );
}

function take(step: Step): boolean {
  if (step.do === 'say') process.stdout.write(`${step.line}\n`);
  return step.do === 'say' || (step.do === 'install' ? install(step.packages) : fetchBrowser());
}

if (import.meta.main) {
  const hasApt = spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0;
  const steps = stepsFor(missingTools(), { hasApt, isRoot: process.getuid?.() === 0 });
  const isOver = steps.map(take).every(Boolean);
  const left = missingTools().map((tool) => tool.package);
  if (left.length > 0) process.stdout.write(`Still missing: ${left.join(', ')}\n`);
  process.exitCode = isOver && left.length === 0 ? 0 : 1;
}
