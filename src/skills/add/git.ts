/**
 * Reads the files of a repository's newest commit. Invariant: git fetches and lists, and never checks out, so no hook,
 * filter, link or submodule of a repository has an effect. It uses no configuration but ours, no protocol but https, no
 * network but our proxy, and is limited in time and size.
 */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../../errors.ts';
import { killGroup } from '../../lib/process-group.ts';
import { cleanName } from '../../lib/text.ts';
import { say } from '../../messages/messages.ts';
import type { Network } from './download.ts';
import { openProxy } from './git-proxy.ts';
import type { Source } from './source.ts';
import { type Tree, type TreeEntry, titleOf, tooLarge } from './tree.ts';

/** Total fetch limit in bytes: a repository may contain more than its skills. */
const MAX_FETCH = 250_000_000;
/** Limit of a file list in bytes. */
const MAX_LIST = 16_000_000;
const SETTINGS: Readonly<Record<string, string>> = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'credential.helper': '',
  'fetch.unpackLimit': '1',
  'fetch.recurseSubmodules': 'no',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'http.proxyAuthMethod': 'basic',
  'protocol.version': '2',
};
/** Blocks of 512 bytes: no file of git gets larger than the fetch limit. */
const LIMIT = `ulimit -f ${Math.ceil(MAX_FETCH / 512)} 2>/dev/null; exec git "$@"`;

interface Blob extends TreeEntry {
  id: string;
}

/**
 * @param scratch folder for fetched data, which is deleted when the tree is closed
 * @throws UserError when it isn't there, not public, too large or too slow
 */
export async function openRepository(
  source: Extract<Source, { kind: 'git' }>,
  network: Network,
  scratch: string,
): Promise<Tree> {
  const { url, ref = 'HEAD', inside } = source;
  const isDirect = admit(url, network.allowedOrigins);
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  await sweep(scratch);
  const folder = await mkdtemp(path.join(scratch, '.git-'));
  const close = () => rm(folder, { recursive: true, force: true });
  const signal = AbortSignal.any([network.signal, AbortSignal.timeout(network.timeoutMs)]);
  const { lookup } = await import('node:dns/promises');
  const resolve = network.resolve ?? ((name: string) => lookup(name, { all: true }));
  const proxy = await openProxy({ allowedOrigins: network.allowedOrigins, resolve, maxBytes: MAX_FETCH });
  const git = (args: string[], maxBytes: number, input = '') =>
    runGit(args, { folder, signal, maxBytes, input, proxy: isDirect ? '' : proxy.url });
  try {
    await git(['init', '--quiet', '--bare', '--template='], 10_000);
    await git(['fetch', '--quiet', '--depth=1', '--no-tags', '--', url, ref], 10_000);
    const version = (await git(['rev-parse', '--verify', 'FETCH_HEAD^{commit}'], 1_000)).toString().trim();
    const within = inside === undefined ? [] : ['--', `${inside}/`];
    const listed = await git(['ls-tree', '-r', '-z', '-l', '--full-tree', version, ...within], MAX_LIST);
    const entries = readList(listed.toString(), inside === undefined ? '' : `${inside}/`);
    const byName = new Map(entries.map((entry) => [entry.name, entry]));
    return {
      entries,
      version,
      close,
      title: titleOf(inside ?? url),
      async read(names) {
        const blobs = names.flatMap((name) => byName.get(name) ?? []);
        const total = blobs.reduce((sum, { size }) => sum + size + 200, 0);
        const bytes = await git(['cat-file', '--batch'], total, blobs.map(({ id }) => `${id}\n`).join(''));
        return readBlobs(bytes, blobs);
      },
    };
  } catch (error) {
    await close();
    network.signal.throwIfAborted();
    if (proxy.refused !== undefined) throw new UserError(say('adding.notPublic', { host: cleanName(proxy.refused) }));
    if (proxy.isFull) throw tooLarge();
    if (proxy.unreachable !== undefined && error instanceof GitError)
      throw new UserError(say('adding.unreachable', { source: cleanName(url), why: proxy.unreachable }), {
        cause: error,
      });
    if (signal.aborted) throw new UserError(say('adding.tooSlow', { source: cleanName(url) }));
    throw error instanceof GitError ? new UserError(error.saidFor(url, ref), { cause: error }) : error;
  } finally {
    proxy.close();
  }
}

/** Deletes what a killed process has left. */
async function sweep(scratch: string): Promise<void> {
  for (const name of await readdir(scratch)) {
    const folder = path.join(scratch, name);
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > 2 * 3_600_000) await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Returns whether it is reached without the proxy: a configured origin over http.
 * @throws UserError when it must not be fetched
 */
function admit(url: string, allowedOrigins: readonly string[]): boolean {
  const { protocol, port, origin } = new URL(url);
  const isAllowed = allowedOrigins.some((each) => URL.parse(each)?.origin === origin);
  if (!isAllowed && protocol !== 'https:') throw new UserError(say('adding.onlyHttps'));
  if (!isAllowed && port !== '') throw new UserError(say('adding.onlyPort443'));
  return protocol === 'http:';
}

class GitError extends Error {
  override name = 'GitError';
  saidFor(url: string, ref: string): ReturnType<typeof say> {
    const source = cleanName(url);
    if (/couldn't find remote ref|not our ref|no matching remote head/i.test(this.message))
      return ref === 'HEAD'
        ? say('adding.emptyRepository', { source })
        : say('adding.noRef', { ref: cleanName(ref), source });
    if (/not found|could not read (Username|Password)|Authentication failed|HTTP (401|403|404)/i.test(this.message))
      return say('adding.notThere', { source });
    const last = this.message.trim().split('\n').at(-1) ?? '';
    return say('adding.unreachable', { source, why: cleanName(last) });
  }
}

interface Running {
  folder: string;
  signal: AbortSignal;
  maxBytes: number;
  input: string;
  proxy: string;
}

async function runGit(args: string[], { folder, signal, maxBytes, input, proxy }: Running): Promise<Buffer> {
  const settings = Object.entries(SETTINGS);
  const variables = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  const env = {
    PATH: process.env.PATH ?? '/usr/bin:/bin',
    HOME: folder,
    LC_ALL: 'C',
    GIT_DIR: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_OPTIONAL_LOCKS: '0',
    // Additional certificates that this machine trusts.
    ...(process.env.GIT_SSL_CAINFO ? { GIT_SSL_CAINFO: process.env.GIT_SSL_CAINFO } : {}),
    // Git follows redirects of the first response; each connection goes through the proxy, or stays with its host.
    ...(proxy === ''
      ? { GIT_ALLOW_PROTOCOL: 'http', no_proxy: '*' }
      : { GIT_ALLOW_PROTOCOL: 'https', https_proxy: proxy }),
    GIT_CONFIG_COUNT: String(settings.length + 1),
    ...Object.fromEntries(variables),
    [`GIT_CONFIG_KEY_${settings.length}`]: 'http.followRedirects',
    [`GIT_CONFIG_VALUE_${settings.length}`]: proxy === '' ? 'false' : 'initial',
  };
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const child = spawn('/bin/sh', ['-c', LIMIT, 'sh', ...args], { cwd: folder, env, detached: true });
  const kill = () => killGroup(child, 'SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  const out: Buffer[] = [];
  let [size, said] = [0, ''];
  child.stdout.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size > maxBytes) {
      kill();
      reject(tooLarge());
    } else out.push(piece);
  });
  child.stderr.on('data', (piece: Buffer) => {
    said = (said + piece).slice(-4_000);
  });
  child.stdin.on('error', () => undefined).end(input);
  child.on('error', reject);
  child.on('close', (code, ended) => {
    signal.removeEventListener('abort', kill);
    if (code === 0) resolve(Buffer.concat(out));
    else if (code === 127) reject(new UserError(say('adding.noGit')));
    else if (ended === 'SIGXFSZ' || /File too large|signal 25/.test(said)) reject(tooLarge());
    else reject(new GitError(said || `git ended with ${ended ?? code}`));
  });
  return promise;
}

/** Parses `mode type id size<TAB>name` entries, each ended by a NUL. */
function readList(text: string, prefix: string): Blob[] {
  return text
    .split('\0')
    .filter((line) => line !== '')
    .map((line): Blob => {
      const [, mode = '', id = '', size = '', name = ''] = /^(\d+) \w+ (\w+) +(\S+)\t(.*)$/s.exec(line) ?? [];
      const kind = /^100/.test(mode) ? 'file' : mode === '120000' ? 'link' : 'other';
      const within = name.startsWith(prefix) ? name.slice(prefix.length) : name;
      return { name: within, id, kind, size: kind === 'file' ? Number(size) || 0 : 0, isExecutable: mode === '100755' };
    });
}

/** Parses `id type size<LF>bytes<LF>` entries, in the order of the request. */
function readBlobs(bytes: Buffer, blobs: readonly Blob[]): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  let at = 0;
  for (const { name, size } of blobs) {
    const start = bytes.indexOf(10, at) + 1;
    found.set(name, bytes.subarray(start, start + size));
    at = start + size + 1;
  }
  return found;
}
