/**
 * The doctor's checks. A check returns findings and does not throw; it changes nothing except for a probe file that it
 * removes.
 */

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { chatSections } from '../../channels/index.ts';
import type { Config } from '../../config.ts';
import { ConfigError, errorCode, errorMessage, problemWith, UserError } from '../../errors.ts';
import { handleLimit, limitProblem } from '../../lib/handles.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { within } from '../../lib/within.ts';
import { silentLog } from '../../log.ts';
import { say, type Wording } from '../../messages/messages.ts';
import type { CallOptions, OwnModels } from '../../runtime/contract/model.ts';
import { betterAddress, OFFLINE_MODEL, splitModelName } from '../../runtime/contract/providers.ts';
import { describeFailure } from '../../runtime/contract/run-error.ts';
import { createModels } from '../../runtime/model/models.ts';
import { envFileOf } from '../env-file.ts';
import type { Running } from '../running.ts';
import { checkDoor, type Door } from './doors.ts';
import { type Finding, wrong } from './finding.ts';
import { ollamaWindow } from './ollama.ts';

export const MODEL_MS = 15_000;
const PLATFORM_MS = 30_000;
const OPERATIONAL = ['spool', 'access', 'cache', 'run', 'conversations'];
const WRITTEN = [...OPERATIONAL, 'workspace', 'artifacts', 'agents'];

export async function attempt(
  name: string,
  limitMs: number,
  work: () => Promise<readonly (Wording | string)[]>,
): Promise<Finding[]> {
  try {
    const details = await within(work(), limitMs, () => {
      throw new UserError(say('doctor.late', { n: limitMs / 1000 }));
    });
    return details.map((detail) => ({ name, state: 'ok', detail }));
  } catch (error) {
    return wrong(name, error);
  }
}

/** Checks the temporary folder, which scripts, downloads and documents need. */
function temporary(): Wording[] {
  const folder = os.tmpdir();
  try {
    fs.accessSync(folder, fs.constants.W_OK | fs.constants.X_OK);
    return fs.statSync(folder).isDirectory() ? [] : [say('doctor.tempFile', { folder })];
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
    const space = roundMegabytes(bavail * bsize);
    findings.push(
      bavail * bsize >= freeBytes
        ? found('ok', say('doctor.free', { space }))
        : found('wrong', say('doctor.tooLittle', { space, least: roundMegabytes(freeBytes) })),
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
  return running.map(({ pid, port, roles = [], folder }) => {
    const about = { pid, roles: roles.join(', '), folder };
    return found(port ? say('doctor.gatewayPort', { ...about, port: String(port) }) : say('doctor.gateway', about));
  });
}

const roundMegabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`;

/** Returns the closest existing folder above. */
function nearest(folder: string): string {
  const parent = path.dirname(folder);
  return fs.existsSync(parent) || parent === folder ? parent : nearest(parent);
}

/** Writes a file: a full or read-only disk fails only on writing. */
function probe(home: string): void {
  const file = path.join(home, `.doctor-${randomBytes(8).toString('hex')}`);
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

/** Asks the model and every fallback for one word. */
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
    ...(config.small_model === undefined ? [] : [ask('small_model', config.small_model)]),
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

export async function checkModel(
  name: string,
  providers: Config['providers'],
  env: NodeJS.ProcessEnv,
): Promise<Wording[]> {
  try {
    // The built-in model has nothing to say to this prompt.
    if (name !== OFFLINE_MODEL) await sayOk(name, providers, env);
    return [say('doctor.answers', { name })];
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { provider } = splitModelName(name);
    const baseURL = providers[provider]?.baseURL?.replace(/\/+$/, '');
    const right = baseURL === undefined ? undefined : betterAddress(baseURL);
    if (baseURL !== undefined && right !== undefined)
      await mustNotAnswer(name, provider, [baseURL, right], providers, env);
    const { kind, userMessage } = describeFailure(error, name).error;
    const why = kind === 'quota' || kind === 'refused' ? userMessage : errorMessage(error);
    throw new UserError(say('doctor.noAnswer', { name, why: why.split('\n').join('; ') }), { cause: error });
  }
}

/** @throws {ConfigError} if the same model answers at the address that was probably meant */
async function mustNotAnswer(
  name: string,
  provider: string,
  [baseURL, right]: readonly [given: string, right: string],
  providers: Config['providers'],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const answers = await sayOk(name, { ...providers, [provider]: { ...providers[provider], baseURL: right } }, env).then(
    () => true,
    () => false,
  );
  if (!answers) return;
  const key = right === `${baseURL}/v1` ? 'doctor.noV1' : 'doctor.otherAddress';
  throw new ConfigError([problemWith(`providers.${provider}.baseURL`, say(key, { name, given: baseURL, right }))]);
}

/** Every run sends tools, so this finds models that don't support them. */
const TOOLS: NonNullable<CallOptions['tools']> = [
  { type: 'function', name: 'nothing', description: 'Does nothing.', inputSchema: { type: 'object', properties: {} } },
];

/** Calls the model as a run does: with tools, streamed, and read to the end. */
async function sayOk(name: string, providers: Config['providers'], env: NodeJS.ProcessEnv): Promise<void> {
  const model = await createModels({ providers, env }).load(name);
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Say OK.' }] }];
  const signal = AbortSignal.timeout(MODEL_MS);
  const { stream } = await model.doStream({ prompt, tools: TOOLS, maxOutputTokens: 16, abortSignal: signal });
  for await (const part of stream) if (part.type === 'error') throw part.error;
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
