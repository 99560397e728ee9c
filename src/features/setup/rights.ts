/**
 * Decides in one place what a change of the setup requires. The question is what somebody could do with an owner's
 * stolen login: a thief must not run programs here, open the gateway to others, send private data elsewhere, or let
 * somebody in. A setting without a rule can only be set on the machine.
 */
import { requireFresh } from '../../board/fresh.ts';
import { RequestError } from '../../board/respond.ts';
import type { SettingLevel } from '../../client/setup-shapes.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { say } from '../../messages/messages.ts';
import type { Caller } from '../../runtime/contract/board.ts';

/** `*` matches one step, and `**` at the end any number of steps. The first rule that matches decides. */
const RULES: readonly (readonly [pattern: string, level: SettingLevel])[] = [
  ...['model', 'fallback', 'models', 'smallModel', 'maxSteps', 'language', 'viber', 'vibers'].map(
    (name) => [name, 'session'] as const,
  ),
  ...['autoAccept', 'excludePatterns', 'embedding', 'retention.*'].map((name) => [`memory.${name}`, 'login'] as const),
  ...['memory.**', 'history.**', 'pictures.**', 'jobs.**', 'mesh.**', 'receipt.**', 'timeouts.**'].map(
    (name) => [name, 'session'] as const,
  ),
  ['voice.command', 'machine'],
  ['voice.**', 'session'],
  ['skills.timeout', 'session'],
  ['skills.maxPromptTokens', 'session'],
  ...['live', 'injection', 'attach', 'viber', 'threads', 'archiveMinutes'].map(
    (name) => [`channels.*.${name}`, 'session'] as const,
  ),
  ['channels.*.access.*', 'login'],
  ...['token', 'botToken', 'appToken'].map((name) => [`channels.*.${name}`, 'login'] as const),
  ['providers.*.apiKey', 'login'],
  ['providers.*.maxOutputTokens', 'session'],
  ...['planApproval', 'currency', 'prices.**', 'limits.**', 'web.hosts', 'log.level'].map(
    (name) => [name, 'login'] as const,
  ),
  ['search.url', 'machine'],
  ['search.**', 'login'],
];

export function settingLevel(path: readonly string[]): SettingLevel {
  return RULES.find(([pattern]) => matchesRule(pattern.split('.'), path))?.[1] ?? 'machine';
}

function matchesRule(pattern: readonly string[], path: readonly string[]): boolean {
  if (pattern.at(-1) === '**')
    return path.length >= pattern.length && matchesRule(pattern.slice(0, -1), path.slice(0, pattern.length - 1));
  return pattern.length === path.length && pattern.every((step, at) => step === '*' || step === path[at]);
}

/** @throws RequestError if the caller may not make this change here */
export function requireLevel(path: readonly string[], caller: Caller): void {
  const level = settingLevel(path);
  const name = path.join('.');
  if (level === 'machine')
    throw new RequestError(403, 'at_machine', say('boardSetup.atMachine', { name, how: howAtMachine(path) }), name);
  if (level === 'login') requireFresh(caller);
}

/** Returns the command that sets it on the machine. */
export function machineCommand([first, ...rest]: readonly string[]): string | undefined {
  if (first === 'projects' && rest[0] === 'roots') return viberCommand('project allow FOLDER');
  if (first === 'mcp') return viberCommand('mcp add NAME ...');
  return undefined;
}

const howAtMachine = (path: readonly string[]) => {
  const command = machineCommand(path);
  return command === undefined ? say('boardSetup.inFile') : say('boardSetup.byCommand', { command });
};
