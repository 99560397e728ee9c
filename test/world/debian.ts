/**
 * Root filesystems of Debian, made with debootstrap and kept below /var/tmp: the next run takes a copy. What npm needs to reach its
 * registry comes from this machine's own configuration.
 */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { findBubblewrap } from '../../src/skills/sandbox.ts';
import { mustRunInside } from './inside.ts';

const run = promisify(execFile);
export const KEPT = path.join('/var/tmp', 'openviber-world');
export const RELEASE = 'trixie';
export const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Says why no root can be made here; '' if one can. */
export async function whyNoRoot(): Promise<string> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs root on Linux';
  if (spawnSync('debootstrap', ['--version']).status !== 0)
    return 'debootstrap is not installed (apt-get install debootstrap)';
  if ((await findBubblewrap()) === undefined) return 'bubblewrap is not installed (apt-get install bubblewrap)';
  return '';
}

/** The server that this machine's own packages come from. */
function mirror(): string {
  const folder = '/etc/apt/sources.list.d';
  const files = ['/etc/apt/sources.list', ...fs.readdirSync(folder).map((name) => path.join(folder, name))];
  const texts = files.filter((file) => fs.existsSync(file)).map((file) => fs.readFileSync(file, 'utf8'));
  const found = texts.flatMap((text) => [
    ...text.matchAll(/^(?:URIs:|deb(?:\s+\[[^\]]*\])?)\s+(https?:\S+\/debian)\/?(?:\s|$)/gm),
  ]);
  const [, server] = found[0] ?? [];
  if (server === undefined) throw new Error('no server of Debian packages in /etc/apt');
  return server;
}

/** Returns a folder with this release and these packages, which nobody may change. */
export async function keptDebian(packages: readonly string[]): Promise<string> {
  const name = [RELEASE, ...packages].join('-').replace(/[^\w-]/g, '');
  const folder = path.join(KEPT, name);
  if (fs.existsSync(folder)) return folder;
  fs.mkdirSync(KEPT, { recursive: true });
  const making = fs.mkdtempSync(path.join(KEPT, '.making-'));
  const made = path.join(making, name);
  try {
    if (packages.length === 0) {
      await run('debootstrap', ['--variant=minbase', RELEASE, made, mirror()], { maxBuffer: 64_000_000 });
      // As in Debian's images: nobody needs a root that survives a power cut while it is made.
      fs.writeFileSync(path.join(made, 'etc/dpkg/dpkg.cfg.d/unsafe-io'), 'force-unsafe-io\n');
    } else {
      await copyRoot(await keptDebian([]), made);
      const { env, shown } = network();
      const inside = { root: made, env: { PATH, DEBIAN_FRONTEND: 'noninteractive', ...env }, shown };
      await mustRunInside(inside, ['apt-get', 'update']);
      await mustRunInside(inside, ['apt-get', 'install', '-y', '--no-install-recommends', ...packages]);
    }
    await mustRunInside({ root: made, env: { PATH } }, ['apt-get', 'clean']);
    fs.renameSync(made, folder);
  } finally {
    fs.rmSync(making, { recursive: true, force: true });
  }
  return folder;
}

/** Copies a root, with owners, rights and links. */
export async function copyRoot(from: string, to: string): Promise<string> {
  await run('cp', ['-a', '--reflink=auto', '--', from, to]);
  return to;
}

/** Node's binary of this repository and this machine's npm: what the image `node` has more than Debian. */
export async function addNode(root: string): Promise<void> {
  const at = (...names: string[]) => path.join(root, 'usr/local', ...names);
  fs.copyFileSync(fs.realpathSync(process.execPath), at('bin/node'));
  const program = execFileSync('/bin/sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
  const own = path.resolve(fs.realpathSync(program), '../..');
  fs.mkdirSync(at('lib/node_modules'), { recursive: true });
  await run('cp', ['-a', '--', own, at('lib/node_modules/npm')]);
  for (const name of ['npm', 'npx']) fs.symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, at('bin', name));
  await mustRunInside({ root, env: { PATH } }, ['useradd', '--uid', '1000', '--user-group', '--create-home', 'node']);
}

const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
const NPM_KEYS = ['registry', 'proxy', 'https-proxy', 'noproxy', 'strict-ssl'];
const VARIABLES = ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];

export interface Network {
  env: Record<string, string>;
  /** Files to show inside. */
  shown: Record<string, string>;
}

/** How this machine reaches its registry of npm packages and Debian's packages, for a root on it. */
export function network(): Network {
  // A line `key=value` each.
  const settings = execFileSync('npm', ['config', 'get', ...NPM_KEYS], { encoding: 'utf8' })
    .trim()
    .split('\n');
  const isSet = (value: string) => value !== '' && value !== 'null' && value !== 'undefined';
  const keys = settings.map((line) => {
    const [, key = '', value = ''] = /^([\w-]+)=(.*)$/.exec(line) ?? [];
    return [`npm_config_${key.replaceAll('-', '_')}`, value] as const;
  });
  const variables = VARIABLES.map((name) => [name, process.env[name] ?? ''] as const);
  // What this machine trusts, a registry of its own network included.
  const hasOwn = fs.existsSync(AUTHORITIES);
  return {
    env: {
      ...Object.fromEntries([...keys, ...variables].filter(([, value]) => isSet(value))),
      ...(hasOwn && { npm_config_cafile: '/run/authorities.crt' }),
    },
    shown: {
      '/etc/resolv.conf': fs.realpathSync('/etc/resolv.conf'),
      ...(hasOwn && { '/run/authorities.crt': AUTHORITIES }),
    },
  };
}
