/**
 * The doctor's checks. A check returns findings and does not throw; it changes nothing except for a probe file that it
 * removes.
 */

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chatSections } from '../../channels/index.ts';
import { envFileOf } from '../../config/env-file.ts';
import type { Config } from '../../config.ts';
import { errorCode, errorMessage } from '../../errors.ts';
import { handleLimit, limitProblem } from '../../lib/handles.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { silentLog } from '../../log.ts';
import { say, type Wording } from '../../messages/messages.ts';
import { attempt, type Finding } from '../../runtime/contract/finding.ts';
import type { OwnModels } from '../../runtime/contract/model.ts';
import { OFFLINE_MODEL } from '../../runtime/contract/providers.ts';
import { checkModel, MODEL_MS } from '../../runtime/model/check.ts';
import { createModels } from '../../runtime/model/models.ts';
import { ollamaWindow } from '../../runtime/model/ollama-window.ts';
import { ROLES, type Running } from '../running.ts';
import { checkDoor, type Door } from './doors.ts';

const PLATFORM_MS = 30_000;
const SERVER_MS = 12_000;
const OPERATIONAL = ['spool', 'access', 'cache', 'run', 'conversations'];
const WRITTEN = [...OPERATIONAL, 'workspace', 'artifacts', 'agents'];

/** Checks the temporary folder, which scripts, downloads and documents need. */
function temporary(): Wording[] {
  const folder = os.tmpdir();
  try {
    if (!fs.statSync(folder).isDirectory()) return [say('doctor.tempFile', { folder })];
    probe(folder);
    return [];
  } catch (error) {
    return [say('doctor.tempUnusable', { folder, why: errorMessage(error) })];
  }
}

/**
 * Checks that the home exists or can be created, is writable in every part and closed to others, and has free disk
 * space.
 */
export function checkHome(options: { home: string; source: string | undefined; freeBytes: number }): Finding[] {
  const { home, source, freeBytes } = options;
  const found = (state: Finding['state'], detail: Wording): Finding => ({ name: 'home', state, detail });
  const isThere = fs.existsSync(home);
  const findings: Finding[] = [];
  try {
    const at = isThere ? home : nearest(home);
    fs.accessSync(at, fs.constants.W_OK);
    if (isThere) probe(home);
    findings.push(found('ok', say(isThere ? 'doctor.homeWritable' : 'doctor.homeLater', { home })));
    const { bavail, bsize } = fs.statfsSync(at);
    const space = roundSize(bavail * bsize);
    findings.push(
      bavail * bsize >= freeBytes
        ? found('ok', say('doctor.free', { space }))
        : found('wrong', say('doctor.tooLittle', { space, least: roundSize(freeBytes) })),
    );
  } catch (error) {
    return [found('wrong', say('doctor.homeUnwritable', { home, why: errorMessage(error) }))];
  }
  findings.push(...temporary().map((detail) => found('wrong', detail)));
  for (const name of isThere ? WRITTEN : []) {
    const folder = path.join(home, name);
    if (fs.existsSync(folder) && !isWritable(folder)) {
      findings.push(found('wrong', say('doctor.folderUnwritable', { folder })));
    }
  }
  for (const name of isThere ? ['.', ...OPERATIONAL] : []) {
    const folder = path.join(home, name);
    if (isOpen(folder)) findings.push(found('note', say('doctor.folderOpen', { folder })));
  }
  const env = envFileOf(home);
  if (fs.existsSync(env) && isOpen(env)) findings.push(found('note', say('doctor.fileOpen', { file: env })));
  if (source !== undefined && isOpen(source)) findings.push(found('note', say('doctor.fileOpen', { file: source })));
  return findings;
}

/** Checks the limit of open files and sockets, of the running gateway if there is one. */
export function checkHandles([first]: readonly Running[]): Finding[] {
  const problem = limitProblem(handleLimit(first?.pid ?? 'self') ?? handleLimit());
  return problem ? [{ name: 'handles', state: problem.isTooLow ? 'wrong' : 'note', detail: problem.detail }] : [];
}

/** Lists the gateways on this machine that share the home, with their roles. */
export function checkGateways(running: readonly Running[], { engine }: Config): Finding[] {
  if (engine.kind === 'local') return [];
  const found = (detail: Wording): Finding => ({ name: 'gateway', state: 'ok', detail });
  if (running.length === 0) return [found(say('doctor.noGateway'))];
  return running.map(({ pid, port, roles = ROLES, folder }) => {
    const does = roles
      .map((role) => say('cli.statusRole', { role }))
      .reduce((before, after) => say('doctor.listed', { before, after }));
    const about = { pid, roles: does, folder };
    return found(port ? say('doctor.gatewayPort', { ...about, port: String(port) }) : say('doctor.gateway', about));
  });
}

/** Formats such as `512 MB` or `75 GB`. */
function roundSize(bytes: number): string {
  const megabytes = bytes / 1024 / 1024;
  return megabytes < 10_000 ? `${Math.round(megabytes)} MB` : `${Math.round(megabytes / 1024)} GB`;
}

function nearest(folder: string): string {
  const parent = path.dirname(folder);
  return fs.existsSync(parent) || parent === folder ? parent : nearest(parent);
}

/** Writes a file: a full or read-only disk, and a folder like /proc, fail only on writing. */
function probe(folder: string): void {
  const file = path.join(folder, `.doctor-${randomBytes(8).toString('hex')}`);
  try {
    fs.writeFileSync(file, 'x', { flush: true, mode: 0o600 });
  } finally {
    fs.rmSync(file, { force: true });
  }
}

function isWritable(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EACCES' || errorCode(error) === 'EROFS') return false;
    throw error;
  }
}

function isOpen(file: string): boolean {
  return ((fs.statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

export async function checkModels(config: Config, env: NodeJS.ProcessEnv, own?: OwnModels): Promise<Finding[]> {
  const models = createModels({ providers: config.providers, env, ...(own && { own }) });
  const ask = (label: string, name: string) =>
    attempt(label, MODEL_MS, async () => {
      models.check(name);
      return checkModel(name, config.providers, env);
    });
  const asked = [
    ask('model', config.model ?? models.defaultModel),
    ...config.fallback.map((n) => ask('fallback', n)),
    ...(config.smallModel === undefined ? [] : [ask('smallModel', config.smallModel)]),
  ];
  const found = (await Promise.all(asked)).flat();
  const name = config.model ?? models.defaultModel;
  found.push(...(await ollamaWindow(name, config.providers.ollama?.baseURL)));
  return name === OFFLINE_MODEL
    ? [
        ...found,
        {
          name: 'model',
          state: 'note',
          detail: say('doctor.small', { model: OFFLINE_MODEL, command: viberCommand('init') }),
        },
      ]
    : found;
}

export async function checkChannels(config: Config): Promise<Finding[]> {
  const log = silentLog();
  const sections = chatSections(config);
  const checks = sections.flatMap(({ kind, settings }) => {
    const { name } = kind;
    return kind.check ? [attempt(name, PLATFORM_MS, async () => [...((await kind.check?.(settings, log)) ?? [])])] : [];
  });
  const found = (await Promise.all(checks)).flat();
  const doors = sections.map(({ kind, settings: { access }, settings }): Door => {
    const { name, servers } = kind;
    return { name, access, ...(servers && { servers: { key: servers.key, list: servers.of(settings) } }) };
  });
  return [...found, ...doors.flatMap((door) => checkDoor(door, config))];
}

/** Checks that the server for messages and answers, if one is configured, is reachable and stores data durably. */
export async function checkEngine({ engine: { kind, url, replicas } }: Config): Promise<Finding[]> {
  if (kind === 'local' || url === undefined) return [];
  const [{ checkServer }, { scriptsReach }] = await Promise.all([
    import('../../engine/redis/settings.ts'),
    import('../../skills/script-proxy.ts'),
  ]);
  const reachedByScripts = await scriptsReach(new URL(url).hostname);
  return attempt('engine', SERVER_MS, () => checkServer({ url, replicas, reachedByScripts }));
}
