/**
 * Installs the package of a server that is started by `npx -y NAME@VERSION` once, below the cache of the home. Later
 * starts run what is there, without the network and in less time than a server may take to answer.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../errors.ts';
import { parseJson } from '../../lib/json.ts';
import type { McpServerSettings } from './connect.ts';
import { isPinned } from './presets.ts';

export interface NpmPackage {
  name: string;
  version: string;
  /** The arguments of its program. */
  args: readonly string[];
}

/** Long enough for a big package on a slow line; npm itself gives up earlier if nothing answers. */
const INSTALL_MS = 5 * 60_000;
/** A folder that an install left behind when it was cut off is removed after this time. */
const LEFT_MS = 60 * 60_000;
const MAX_REASON = 200;
const SPEC = /^((?:@[a-z0-9][\w.-]*\/)?[a-z0-9][\w.-]*)@(\d+\.\d+\.\d+(?:-[\w.-]+)?)$/i;
/** Variables that npm gets: its own settings, proxies and certificates. */
const PASSED = /^(npm_config_.*|https?_proxy|no_proxy|node_extra_ca_certs|home|path|tmpdir)$/i;

const manifest = z.object({ bin: z.union([z.string(), z.record(z.string(), z.string())]) });

/** Returns undefined for anything but a package with an exact version, which is left to npx. */
export function packageOf({ command, args = [] }: McpServerSettings): NpmPackage | undefined {
  if (command !== 'npx') return undefined;
  const [first = '', ...rest] = args;
  const [spec = '', ...own] = first === '-y' || first === '--yes' ? rest : args;
  const [, name, version] = SPEC.exec(spec) ?? [];
  return name !== undefined && version !== undefined ? { name, version, args: own } : undefined;
}

const serverFolder = (servers: string, { name, version }: NpmPackage): string =>
  path.join(servers, `${name.replace('/', '+')}@${version}`);

export const isInstalled = (servers: string, wanted: NpmPackage): boolean =>
  fs.existsSync(serverFolder(servers, wanted));

/**
 * Returns the settings that start the installed program; the given ones if there is nothing to install.
 * @param servers the folder of installed packages, which may be deleted at any time
 * @throws Error if it can't be installed, with the reason
 */
export async function installed(
  settings: McpServerSettings,
  servers: string,
  signal: AbortSignal,
): Promise<McpServerSettings> {
  const wanted = packageOf(settings);
  if (!wanted) return settings;
  const folder = serverFolder(servers, wanted);
  if (!startFileIn(folder, wanted)) await installPackage(wanted, servers, settings.env ?? {}, signal);
  const file = startFileIn(folder, wanted);
  if (file === undefined) throw new Error(`the package ${wanted.name} was removed while it was installed`);
  const own = isForNode(file) ? { command: process.execPath, args: [file, ...wanted.args] } : undefined;
  return { ...settings, ...(own ?? { command: file, args: wanted.args }), ...scratchFolder(wanted, servers) };
}

/** The folder that known servers write to, so that their files don't end up in the gateway's working folder. */
function scratchFolder({ name }: NpmPackage, servers: string): { cwd?: string } {
  if (!isPinned(name)) return {};
  const cwd = path.join(servers, 'work');
  fs.mkdirSync(cwd, { recursive: true, mode: 0o700 });
  return { cwd };
}

/** Installs into a temporary folder, which is renamed at the end, so that an interrupted install leaves nothing usable. */
async function installPackage(
  wanted: NpmPackage,
  servers: string,
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const making = path.join(servers, `.${randomUUID()}`);
  removeLeft(servers);
  fs.mkdirSync(making, { recursive: true, mode: 0o700 });
  try {
    fs.writeFileSync(path.join(making, 'package.json'), '{"private":true}\n');
    await runNpm(wanted, making, env, signal);
    if (!startFileIn(making, wanted)) throw new Error(`the package ${wanted.name} has no program`);
    const folder = serverFolder(servers, wanted);
    // A folder without a program is damaged.
    if (!startFileIn(folder, wanted)) fs.rmSync(folder, { recursive: true, force: true });
    takePlace(making, folder);
  } finally {
    fs.rmSync(making, { recursive: true, force: true });
  }
}

/** Renames the folder, unless another process has installed the same package. */
function takePlace(from: string, to: string): void {
  try {
    fs.renameSync(from, to);
  } catch (error) {
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
  }
}

function runNpm(
  { name, version }: NpmPackage,
  cwd: string,
  own: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<void> {
  const env = Object.fromEntries(Object.entries({ ...process.env, ...own }).filter(([key]) => PASSED.test(key)));
  const args = ['install', '--save-exact', '--prefer-offline', '--no-audit', '--no-fund', '--no-update-notifier'];
  // Known servers need no install scripts; others may, as with npx.
  if (isPinned(name)) args.push('--ignore-scripts');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const options = { cwd, env, signal, timeout: INSTALL_MS, maxBuffer: 8 * 1024 * 1024 };
  execFile('npm', [...args, `${name}@${version}`], options, (error, stdout, stderr) => {
    if (!error) return resolve();
    if (error.code === 'ENOENT') return reject(new Error(`npm isn't installed, which ${name} needs`, { cause: error }));
    const why = error.killed ? 'it took longer than five minutes' : npmReason(`${stdout}\n${stderr}`);
    reject(new Error(`${name} ${version} can't be installed: ${why}`, { cause: error }));
  });
  return promise;
}

/** Returns the line in which npm says what failed. */
function npmReason(said: string): string {
  const errors = [...said.matchAll(/^npm (?:error|ERR!) (?:\w+ )?(\S.*)/gm)].map(([, text = '']) => text);
  // The first lines name a code, a system call and a path.
  return (errors.find((text) => text.includes(' ')) ?? 'npm failed').slice(0, MAX_REASON);
}

/** Returns the program that npx would run: the only one, or the one that is called like the package. */
function startFileIn(folder: string, { name }: NpmPackage): string | undefined {
  const own = path.join(folder, 'node_modules', name);
  const text = manifestText(path.join(own, 'package.json'));
  const { data } = manifest.safeParse(text === undefined ? undefined : parseJson(text));
  if (!data) return undefined;
  const bins = typeof data.bin === 'string' ? [data.bin] : Object.values(data.bin);
  const named = typeof data.bin === 'string' ? undefined : data.bin[name.replace(/^.*\//, '')];
  const bin = named ?? (bins.length === 1 ? bins[0] : undefined);
  if (bin === undefined) return undefined;
  const file = path.join(own, bin);
  return fs.existsSync(file) ? file : undefined;
}

function manifestText(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return undefined;
  }
}

function isForNode(file: string): boolean {
  const fd = fs.openSync(file, 'r');
  try {
    const start = Buffer.alloc(100);
    fs.readSync(fd, start, 0, start.length, 0);
    return /^#!.*\bnode\b/.test(start.toString('latin1'));
  } finally {
    fs.closeSync(fd);
  }
}

function removeLeft(servers: string): void {
  if (!fs.existsSync(servers)) return;
  for (const name of fs.readdirSync(servers).filter((each) => each.startsWith('.'))) {
    const folder = path.join(servers, name);
    const { mtimeMs = Date.now() } = fs.statSync(folder, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > LEFT_MS) fs.rmSync(folder, { recursive: true, force: true });
  }
}
