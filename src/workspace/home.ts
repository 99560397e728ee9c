/**
 * The home: the paths of all files of the gateway. IDs are validated and turned into paths only here.
 *
 *   workspace/ (the viber `default`)   vibers/{id}/   agents/{id}/sessions/   artifacts/{taskId}/
 *   skills/    jobs/    playbooks/    memory/    conversations/    spool/ access/ usage/ cache/ run/ (operational)
 *   worktrees/ (of projects, for one task each)
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { errorCode, errorMessage, WorkspaceError } from '../errors.ts';
import { ensureFolder } from '../lib/damage.ts';
import { createStatCache } from '../lib/files/cache.ts';
import { FORMAT_FILE, homeFormat, homeFormatText } from './format.ts';
import { TEMPLATES } from './templates.ts';

export interface Home {
  readonly root: string;
  readonly spool: string;
  readonly access: string;
  /** May be deleted at any time. */
  readonly cache: string;
  readonly run: string;
  readonly conversations: string;
  readonly jobs: string;
  readonly skills: string;
  readonly playbooks: string;
  readonly artifacts: string;
  readonly agents: string;
  /** @throws WorkspaceError when it isn't an ID */
  viberDir(viber: string): string;
  /** @throws WorkspaceError when it isn't an ID */
  taskDir(taskId: string): string;
  /** Returns `agents/{viber}/sessions/{taskId}.jsonl`, or `{taskId}/{part}.jsonl` for a part of one of its runs. */
  sessionPath(viber: string, taskId: string, part?: string): string;
}

export const DEFAULT_VIBER = 'default';
const ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Names in the home that the agent's file tools never write: they change only through typed, authorised operations. */
export const PROTECTED: readonly string[] = [
  ...['jobs', 'skills', 'playbooks', 'agents', 'config.yaml', 'config.json', 'openai.yaml', '.env'],
  ...['access', 'spool', 'run', 'cache', 'conversations', 'usage', 'worktrees', FORMAT_FILE, 'before-format-2'],
];

/**
 * The gateway's own files in folders that otherwise belong to the agent, and files that run later, such as skills and
 * the hooks of a repository (promise 51).
 */
const PROTECTED_INSIDE = [
  /^artifacts\/[^/]+\/(task\.json|artifacts\.jsonl|playbook\.md)$/i,
  /^(workspace|vibers\/[^/]+)\/(memory\/(suggestions|provenance\.jsonl)|skills)(\/|$)/i,
  /^(workspace|vibers\/[^/]+)\/memory\.sqlite/i,
  /(^|\/)\.git(\/|$)/i,
];

/**
 * Returns whether the agent's file tools must not write here, as anywhere outside the home.
 * @param file a real path
 */
export function isProtected(home: Home, file: string): boolean {
  const relative = path.relative(fs.realpathSync.native(home.root), file).split(path.sep).join('/');
  const [first = ''] = relative.split('/');
  return (
    relative === '' ||
    first === '..' ||
    PROTECTED.includes(first.toLowerCase()) ||
    PROTECTED_INSIDE.some((pattern) => pattern.test(relative))
  );
}

/** Returns whether the text is an ID of a viber, agent or task. */
export const isId = (text: unknown): text is string => typeof text === 'string' && ID.test(text);

export function locateHome(options: { override?: string; env: Record<string, string | undefined> }): string {
  const user = options.env.HOME || os.homedir();
  const chosen = options.override || options.env.OPENVIBER_HOME;
  if (chosen) return path.resolve(chosen.replace(/^~(?=\/|$)/, user));
  const [current, older] = [path.join(user, '.openviber'), path.join(user, '.viber')];
  return !fs.existsSync(current) && fs.existsSync(older) ? older : current;
}

const OPERATIONAL = ['spool', 'access', 'cache', 'run', 'conversations', 'usage'];
const FOLDERS = [
  'artifacts',
  `agents/${DEFAULT_VIBER}/sessions`,
  'vibers',
  'memory',
  'workspace/memory',
  'workspace/artifacts',
];
/** Folders that people fill: the gateway works when they are read-only. */
const READ = ['jobs', 'skills', 'playbooks', 'workspace', 'workspace/skills'];
const LATER = [
  ...[
    'access/approvals',
    'conversations/tasks',
    'conversations/settings',
    'spool/jobs',
    'workspace/memory/suggestions',
  ],
  ...['spool/marks', 'workspace/skills', 'conversations/shown'],
  ...['cache/plan-steps', 'cache/plan-texts', 'cache/exports', 'cache/skill-shown', 'cache/refused-files'],
];

/** What else a gateway makes, reads or keeps at the top of its home; persona files are read there in any case. */
const OWN = new Set([
  ...[...OPERATIONAL, ...READ, ...FOLDERS].map((name) => name.replace(/\/.*/, '')),
  ...PROTECTED,
  ...['receipts', 'config.schema.json', 'agents.schema.json'],
]);
const PERSONA = new Set(Object.keys(TEMPLATES).map((name) => name.toLowerCase()));

/** Returns whether this name at the top of a home is the gateway's; it may be set aside, locked or half written. */
export function isOwnName(name: string): boolean {
  const plain = name.replace(/(\.bad(-[2-9])?|\.lock|\.tmp)$/, '');
  return OWN.has(plain) || PERSONA.has(name.toLowerCase()) || /^\.[0-9a-f]{16}\.tmp$/.test(name);
}

/**
 * Creates what is missing: folders (0700), the link `vibers/default`, templates.
 * @throws WorkspaceError naming the folder that can't be created or written; the system's error, with its `path`, for
 * one that belongs to another user
 */
export async function openHome(root: string): Promise<Home> {
  const home = layout(path.resolve(root));
  try {
    const isNew = homeFormat(home.root) === undefined;
    createFolder(home.root, 'vibers');
    adoptOlderLayout(home.root);
    for (const name of [...OPERATIONAL, ...READ, ...FOLDERS]) createFolder(home.root, name);
    freePlaces(home.root);
    for (const name of OPERATIONAL) restrict(path.join(home.root, name));
    createLink(path.join(home.root, 'vibers', DEFAULT_VIBER), '../workspace');
    writeTemplates(home);
    if (isNew) writeNew(path.join(home.root, FORMAT_FILE), homeFormatText());
    fs.accessSync(home.root, fs.constants.W_OK);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined || code === 'EACCES') throw error;
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new WorkspaceError(`The disk of ${home.root} is full. Free some space, and try again.`, { cause: error });
    throw new WorkspaceError(
      `The home ${home.root} cannot be used: ${errorMessage(error)}. Choose another with --home or OPENVIBER_HOME.`,
      { cause: error },
    );
  }
  return home;
}

function layout(root: string): Home {
  const at = (name: string) => path.join(root, name);
  const checked = (id: string, what: string) => {
    if (isId(id)) return id;
    throw new WorkspaceError(
      `${JSON.stringify(String(id).slice(0, 80))} is not the id of a ${what}: a-z, 0-9, - and _, at most 64`,
    );
  };
  // These paths are joined once: each message asks for them many times.
  const [workspace, vibers, artifacts, agents] = [at('workspace'), at('vibers'), at('artifacts'), at('agents')];
  return {
    root,
    spool: at('spool'),
    access: at('access'),
    cache: at('cache'),
    run: at('run'),
    conversations: at('conversations'),
    jobs: at('jobs'),
    skills: at('skills'),
    playbooks: at('playbooks'),
    artifacts,
    agents,
    viberDir: (viber) => (viber === DEFAULT_VIBER ? workspace : `${vibers}/${checked(viber, 'viber')}`),
    taskDir: (taskId) => `${artifacts}/${checked(taskId, 'task')}`,
    sessionPath(viber, taskId, part) {
      const file = `${agents}/${checked(viber, 'viber')}/sessions/${checked(taskId, 'task')}`;
      return part === undefined ? `${file}.jsonl` : `${file}/${checked(part, 'run')}.jsonl`;
    },
  };
}

/** An older home has a real folder `vibers/default/`, and `workspace` is the link to it. */
function adoptOlderLayout(root: string): void {
  const isFolder =
    fs.lstatSync(path.join(root, 'vibers', DEFAULT_VIBER), { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (isFolder) createLink(path.join(root, 'workspace'), `vibers/${DEFAULT_VIBER}`);
}

function createFolder(root: string, name: string): void {
  ensureFolder(root, path.join(root, name), `the contents of ${name}/`, READ.includes(name));
}

/** Finds anything in the place of a folder that is created on demand now, and not in the middle of a message. */
function freePlaces(root: string): void {
  for (const name of LATER) {
    const dir = path.join(root, name);
    if (fs.lstatSync(dir, { throwIfNoEntry: false })) createFolder(root, name);
  }
}

function restrict(dir: string): void {
  if ((fs.statSync(dir).mode & 0o077) !== 0) fs.chmodSync(dir, 0o700);
}

function createLink(link: string, target: string): void {
  if (fs.lstatSync(link, { throwIfNoEntry: false }) !== undefined) return;
  try {
    fs.symlinkSync(target, link);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

function writeNew(file: string, text: string): void {
  try {
    fs.writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/**
 * A file of the same name in any case, here or at the root of the home, is the person's own, and no template hides it.
 */
function writeTemplates(home: Home): void {
  const workspace = home.viberDir(DEFAULT_VIBER);
  const taken = new Set([...fs.readdirSync(workspace), ...fs.readdirSync(home.root)].map((name) => name.toLowerCase()));
  for (const [name, text] of Object.entries(TEMPLATES)) {
    if (!taken.has(name.toLowerCase())) writeNew(path.join(workspace, name), text);
  }
}

export const vibersOf = ({ root }: { root: string }): string[] => [
  DEFAULT_VIBER,
  ...foldersIn(root).filter((id) => isId(id) && id !== DEFAULT_VIBER),
];

const SUFFIX = '.yaml';

const settings = createStatCache<readonly string[]>(4, (folder) =>
  fs.readdirSync(folder).flatMap((name) => (name.endsWith(SUFFIX) ? [name.slice(0, -SUFFIX.length)] : [])),
);
const folders = createStatCache<readonly string[]>(4, (folder) =>
  fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])),
);

const foldersIn = (root: string): readonly string[] => folders.get(path.join(root, 'vibers')) ?? [];

type Place = { root: string; agents: string };

const foundVibers = ({ root, agents }: Place): string[] => [...(settings.get(agents) ?? []), ...foldersIn(root)];

/** Lists vibers with settings or a folder. */
export function listVibers(home: Place): string[] {
  const others = new Set(foundVibers(home).filter((id) => isId(id) && id !== DEFAULT_VIBER));
  return [DEFAULT_VIBER, ...[...others].sort()];
}

export const isViber = (home: Place, id: string): boolean =>
  id === DEFAULT_VIBER || (isId(id) && foundVibers(home).includes(id));
