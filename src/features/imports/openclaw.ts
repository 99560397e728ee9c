/**
 * Plans the import of an OpenClaw state folder (`~/.openclaw`): files to write, and what a person has to do. Read-only.
 * https://docs.openclaw.ai/concepts/agent-workspace, https://docs.openclaw.ai/automation/cron-jobs
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { channelKinds } from '../../channels/index.ts';
import { parseYaml } from '../../config/parse.ts';
import { errorMessage, UserError } from '../../errors.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { isRecord } from '../../lib/json.ts';
import type { CliServices } from '../../runtime/contract/cli.ts';
import { jobsOf } from './openclaw-jobs.ts';
import { type Plan, plainFiles, readOrNote, readSmall } from './plan.ts';

type ImportedWith = { jobFiles: CliServices['jobFiles'] };

const PERSONA = ['SOUL.md', 'IDENTITY.md', 'USER.md', 'AGENTS.md', 'TOOLS.md', 'MEMORY.md'];
const NOT_OURS: Record<string, string> = {
  'HEARTBEAT.md': `turn what it asks for into a job (${viberCommand('jobs add')})`,
  'BOOTSTRAP.md': 'it is for the first conversation with OpenClaw',
  'BOOT.md': `turn what it asks for into a job (${viberCommand('jobs add')})`,
};
/** The second and third are OpenClaw's earlier names. */
const SETTINGS = ['openclaw.json', 'clawdbot.json', 'moltbot.json'];
const MAX_SKILL_FILES = 200;
const MAX_SKILL_BYTES = 10_000_000;

export async function planOpenClaw(source: string, now: Date, { jobFiles }: ImportedWith): Promise<Plan> {
  if (!fs.statSync(source, { throwIfNoEntry: false })?.isDirectory())
    throw new UserError(`There is no folder ${source}: name the one that holds openclaw.json, usually ~/.openclaw.`);
  const plan: Plan = { writes: [], notes: [] };
  const file = SETTINGS.find((name) => fs.existsSync(path.join(source, name)));
  const settings = file === undefined ? {} : await settingsIn(source, file, plan);
  const named = workspaceOf(source, settings);
  const isLink = fs.lstatSync(named, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (isLink)
    plan.notes.push(`${named} is not imported: it is a link. In openclaw.json, name the folder that it leads to.`);
  const workspace = isLink ? path.join(source, '.none') : named;
  if (file === undefined && !fs.existsSync(named))
    throw new UserError(`${source} has neither openclaw.json nor a workspace: is it the state folder of OpenClaw?`);
  for (const name of PERSONA) addFile(plan, workspace, name, `workspace/${name}`);
  if (!sortedNames(workspace).includes('MEMORY.md')) addFile(plan, workspace, 'memory.md', 'workspace/MEMORY.md');
  for (const name of plainFiles(plan, workspace, 'memory').filter((file) => file.endsWith('.md')))
    addFile(plan, workspace, `memory/${name}`, `workspace/memory/${name}`);
  for (const [name, why] of Object.entries(NOT_OURS))
    if (fs.existsSync(path.join(workspace, name))) plan.notes.push(`${name} is not imported: ${why}.`);
  for (const root of [source, workspace]) addSkills(plan, root);
  await jobsOf(source, now, plan, jobFiles);
  nameSecrets(source, { settings, file: file ?? SETTINGS[0] ?? '' }, plan);
  nameAgents(settings, named, plan);
  return plan;
}

/** Parses JSON5: strips comments and reads the rest as YAML, which allows unquoted keys and trailing commas. */
async function settingsIn(source: string, file: string, plan: Plan): Promise<Record<string, unknown>> {
  const text = readOrNote(plan, source, file)?.toString();
  if (text === undefined) return {};
  const plain = text
    .replace(/("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '$1')
    .replaceAll('\t', ' ');
  try {
    return await parseYaml(plain, file);
  } catch (error) {
    plan.notes.push(`${file} could not be read (${errorMessage(error).split('\n', 1)[0]}).`);
    return {};
  }
}

/** Returns the workspace that the configuration names, under its newer or older key. */
function workspaceOf(source: string, settings: Record<string, unknown>): string {
  const said = at(settings, 'agents', 'defaults', 'workspace') ?? at(settings, 'agent', 'workspace');
  if (typeof said !== 'string' || said === '') return path.join(source, 'workspace');
  const folder = path.resolve(source, said.replace(/^~(?=\/|$)/, os.homedir()));
  // If the folder was copied from another machine, its workspace is beside the configuration.
  return fs.existsSync(folder) ? folder : path.join(source, 'workspace');
}

function at(value: unknown, ...keys: string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );
}

function sortedNames(folder: string): string[] {
  return fs.statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? fs.readdirSync(folder).sort() : [];
}

function addFile(plan: Plan, root: string, name: string, to: string): void {
  const content = readOrNote(plan, root, name);
  if (content !== undefined && content.length > 0) plan.writes.push({ to, from: path.join(root, name), content });
}

/** Adds the skills below `root`; a skill that is already planned stays. */
function addSkills(plan: Plan, root: string): void {
  const all = plainFiles(plan, root, 'skills');
  for (const name of new Set(all.filter((file) => /^[^/]+\/SKILL\.md$/.test(file)).map((file) => path.dirname(file)))) {
    const to = `skills/${name.toLowerCase().replace(/[^a-z0-9-]+/g, '-')}`;
    if (plan.writes.some((write) => write.to.startsWith(`${to}/`))) continue;
    const read = all
      .filter((file) => file.startsWith(`${name}/`))
      .flatMap((file) => {
        const content = readSmall(root, `skills/${file}`);
        if (content === undefined) return [];
        return [{ to: `${to}/${file.slice(name.length + 1)}`, from: path.join(root, 'skills', file), content }];
      });
    const bytes = read.reduce((sum, { content }) => sum + content.length, 0);
    if (read.length > MAX_SKILL_FILES || bytes > MAX_SKILL_BYTES)
      plan.notes.push(
        `The skill ${name} is not imported: it has ${read.length} files; copy it to skills/ in the home by hand.`,
      );
    else plan.writes.push(...read);
  }
}

/**
 * Our variable, and the place where OpenClaw keeps the secret. Some of its channels call their only token `botToken`.
 */
const secretPlaces = (): [variable: string, ...keys: string[]][] => [
  ...channelKinds().flatMap(({ name, setup, variables = {} }) =>
    (setup?.tokens ?? [])
      .flatMap(({ key }) => (key === 'token' ? [key, 'botToken'].map((theirs) => [key, theirs]) : [[key, key]]))
      .map(([key = '', theirs = '']): [string, ...string[]] => [variables[key] ?? key, 'channels', name, theirs]),
  ),
  ['OPENVIBER_TOKEN', 'gateway', 'auth', 'token'],
];

/** Reports where the secrets are, never their values. */
function nameSecrets(
  source: string,
  { settings, file }: { settings: Record<string, unknown>; file: string },
  plan: Plan,
): void {
  for (const [variable, ...keys] of secretPlaces())
    if (at(settings, ...keys) !== undefined)
      plan.notes.push(`Set ${variable} yourself: OpenClaw has its own under ${keys.join('.')} in ${file}.`);
  for (const [name, provider] of Object.entries(at(settings, 'models', 'providers') ?? {}))
    if (at(provider, 'apiKey') !== undefined)
      plan.notes.push(`Set the key of ${name} yourself: it is under models.providers.${name}.apiKey in ${file}.`);
  const model = at(settings, 'agents', 'defaults', 'model');
  const primary = typeof model === 'string' ? model : at(model, 'primary');
  if (typeof primary === 'string') plan.notes.push(`Its model was ${primary}: set it under model in config.yaml.`);
  for (const { name: channel } of channelKinds()) {
    const allowed = at(settings, 'channels', channel, 'allowFrom');
    if (Array.isArray(allowed) && allowed.length > 0)
      plan.notes.push(
        `On ${channel} it let in ${allowed.slice(0, 10).join(', ')}: pair them again, or list them under people in config.yaml.`,
      );
  }
  for (const name of ['credentials', '.env', 'secrets.json', 'auth-profiles.json'])
    if (fs.existsSync(path.join(source, name))) plan.notes.push(`${name} holds secrets and is not copied.`);
  if (fs.existsSync(path.join(source, 'agents'))) plan.notes.push('Transcripts of conversations stay where they are.');
}

/** Reports other agents. Each could become a viber, but a person decides that. */
function nameAgents(settings: Record<string, unknown>, taken: string, plan: Plan): void {
  const list = at(settings, 'agents', 'list');
  for (const agent of Array.isArray(list) ? list : []) {
    const [id, workspace] = [at(agent, 'id'), at(agent, 'workspace')];
    if (typeof workspace !== 'string' || path.resolve(workspace) === taken) continue;
    plan.notes.push(
      `The agent "${String(id)}" has its own workspace in ${workspace}, which is not imported: make a viber of it, and copy what it should know.`,
    );
  }
}
