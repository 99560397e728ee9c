/**
 * Keeps what tools download or build for a project and can get again. Each project and person has a separate folder, so
 * that nobody's commands read what another person's have left there. Every sandbox mounts it at the same path, because
 * its files may contain that path. It is measured and emptied in a sandbox too, since commands may have put links in
 * it.
 */
import fs from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { errorCode } from '../../../errors.ts';
import { hashText } from '../../../lib/files.ts';
import { parseJson } from '../../../lib/json.ts';
import { exclusively } from '../../../lib/locks.ts';
import { writeJson } from '../../../lib/write-json.ts';
import { runScript } from '../../../skills/script.ts';
import type { Home } from '../../../workspace/home.ts';

export interface ProjectCache {
  /** The folder that commands write to. */
  folder: string;
  /** Arguments for the sandbox. */
  mounts: readonly string[];
  variables: Readonly<Record<string, string>>;
}

export interface CacheLimits {
  /** In megabytes, for one cache and for all together. */
  oneMb: number;
  allMb: number;
}

export const CACHE_LIMITS: CacheLimits = { oneMb: 4_096, allMb: 16_384 };
const TIDY_MS = 10 * 60_000;
const INSIDE = '/var/cache/viber';
const [FILES, ABOUT] = ['files', 'about.json'];

/** Each tool has its own folder. When space is needed, the one used longest ago is removed first. */
const VARIABLES: Readonly<Record<string, string>> = {
  XDG_CACHE_HOME: `${INSIDE}/other`,
  npm_config_cache: `${INSIDE}/npm`,
  YARN_CACHE_FOLDER: `${INSIDE}/yarn`,
  BUN_INSTALL_CACHE_DIR: `${INSIDE}/bun`,
  PIP_CACHE_DIR: `${INSIDE}/pip`,
  UV_CACHE_DIR: `${INSIDE}/uv`,
  CARGO_HOME: `${INSIDE}/cargo`,
  GOMODCACHE: `${INSIDE}/go-modules`,
  GOCACHE: `${INSIDE}/go-build`,
  // Otherwise only root could remove the modules.
  GOFLAGS: '-modcacherw',
};

const about = z.object({ project: z.string(), megabytes: z.number().default(0) });
type About = z.infer<typeof about>;

const cachesIn = (home: Home): string => path.join(home.cache, 'projects');

/** Opens a person's cache for a project. Waits while it is being tidied. */
export function openProjectCache(home: Home, project: string, person: string): Promise<ProjectCache> {
  const at = path.join(cachesIn(home), hashText(`${project}\0${person}`));
  return exclusively(at, async () => {
    fs.mkdirSync(path.join(at, FILES), { recursive: true, mode: 0o700 });
    // The time of this write is the time of the last use.
    writeJson(path.join(at, ABOUT), { ...readCacheRecord(at), project });
    const folder = fs.realpathSync(path.join(at, FILES));
    return { folder, mounts: ['--bind', folder, INSIDE], variables: VARIABLES };
  });
}

/** Shrinks a cache that no command is using to its limit. */
export function tidyCache({ folder }: { folder: string }, { oneMb }: CacheLimits = CACHE_LIMITS): Promise<void> {
  const at = path.dirname(folder);
  return exclusively(at, async () => {
    const said = await runInSandbox(folder, SHRINK, { MOST: String(oneMb * 1024) });
    const known = readCacheRecord(at);
    if (known) writeJson(path.join(at, ABOUT), { ...known, megabytes: Math.ceil(Number(said) / 1024) });
  });
}

/**
 * Removes the caches of projects that are no longer allowed and, while the total exceeds the limit, those used longest
 * ago.
 * @param isUsed whether commands are using the cache in this folder
 */
export async function sweepCaches(
  home: Home,
  isAllowed: (project: string) => boolean,
  { isUsed = () => false, allMb = CACHE_LIMITS.allMb }: { isUsed?(folder: string): boolean; allMb?: number } = {},
): Promise<void> {
  const all = listOrNone(cachesIn(home))
    .map((name) => path.join(cachesIn(home), name))
    .map((at) => ({
      at,
      about: readCacheRecord(at),
      usedAt: fs.statSync(path.join(at, ABOUT), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }))
    .filter(({ at }) => !isUsed(path.join(at, FILES)))
    .sort((a, b) => a.usedAt - b.usedAt);
  let total = all.reduce((sum, { about: known }) => sum + (known?.megabytes ?? 0), 0);
  for (const { at, about: known } of all) {
    if (known && isAllowed(known.project) && total <= allMb) continue;
    await removeCache(at);
    total -= known?.megabytes ?? 0;
  }
}

const removeCache = (at: string): Promise<void> =>
  exclusively(at, async () => {
    const folder = path.join(at, FILES);
    if (listOrNone(folder).length > 0)
      await runInSandbox(folder, 'set +e; chmod -R u+rwX . ; find . -mindepth 1 -delete');
    await rm(at, { recursive: true, force: true });
  });

/**
 * Prints the final size in kilobytes. Commands choose the names, so they may trick it into removing the wrong part, or
 * all.
 */
const SHRINK = `set +e
size() { du -sk . | cut -f1; }
for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
  [ "$(size)" -le "$MOST" ] && break
  oldest=$(for part in *; do [ -e "$part" ] && printf '%s %s\\n' "$(find "$part" -maxdepth 4 -printf '%T@\\n' | sort -rn | head -n 1)" "$part"; done | sort -n | head -n 1 | cut -d' ' -f2-)
  [ -n "$oldest" ] || break
  chmod -R u+rwX -- "./$oldest"; rm -rf -- "./$oldest"
done
[ "$(size)" -le "$MOST" ] || { chmod -R u+rwX . ; find . -mindepth 1 -delete; }
size
`;

async function runInSandbox(folder: string, text: string, variables: Record<string, string> = {}): Promise<string> {
  const script = { shell: 'sh' as const, text };
  const { stdout } = await runScript({ script, variables, cwd: folder, timeoutMs: TIDY_MS });
  return stdout.trim();
}

/** Returns undefined for a cache without a valid record. */
function readCacheRecord(at: string): About | undefined {
  try {
    return about.safeParse(parseJson(fs.readFileSync(path.join(at, ABOUT), 'utf8'))).data;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

function listOrNone(folder: string): string[] {
  try {
    return fs.readdirSync(folder);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' && errorCode(error) !== 'ENOTDIR') throw error;
    return [];
  }
}
