/** Parses the words of `viber mcp add`. Secrets go into `.env`, and the configuration refers to them. */
import { UserError } from '../../../errors.ts';
import { say, type Wording } from '../../../messages/messages.ts';
import type { CliContext } from '../../../runtime/contract/cli.ts';
import { PRESETS, presetOf } from '../presets.ts';

export interface NewServer {
  settings: Record<string, unknown>;
  /** Values by the name of their variable. */
  secrets: Record<string, string>;
  note?: Wording;
  /** Whether it can't be used before a person has set a key. */
  isUnfinished: boolean;
}

const NAME = /^[a-z0-9][a-z0-9-]{0,23}$/;
const HEADER = /^([A-Za-z][\w-]{0,100})\s*:\s*(\S.*)$/;
const VARIABLE = /^[A-Za-z_]\w*$/;

/** @throws UserError for words that name no server */
export function addedServer(name: string, words: readonly string[], { values, env }: CliContext): NewServer {
  if (!NAME.test(name)) throw new UserError(say('expected.serverName'));
  const preset = presetOf(name, words, env);
  const { settings, note, needsKey } = preset ?? { settings: writtenServer(name, words) };
  const isAddress = 'url' in settings;
  const { header, env: names, transport } = values;
  if (header !== undefined && !isAddress) throw new UserError(say('cli.mcpHeaderOnly'));
  if (names !== undefined && isAddress) throw new UserError(say('cli.mcpEnvOnly'));
  const secrets: Record<string, string> = {};
  const all: Record<string, unknown> = { ...settings };
  if (header !== undefined) all.headers = headerOf(name, header, secrets);
  if (names !== undefined) all.env = variablesOf(names, env, secrets);
  if (transport !== undefined) Object.assign(all, transportOf(transport, isAddress));
  const isUnfinished = needsKey === true && header === undefined;
  const isWorthSaying = note && (isUnfinished || !needsKey);
  return { settings: all, secrets, isUnfinished, ...(isWorthSaying && { note }) };
}

function writtenServer(name: string, words: readonly string[]) {
  const [first, ...args] = words;
  if (first === undefined) throw new UserError(say('cli.mcpWhat', { name, presets: PRESETS.join(', ') }));
  if (!/^https?:\/\//i.test(first)) return { command: first, ...(args.length > 0 && { args }) };
  if (args.length > 0) throw new UserError(say('cli.mcpOneAddress', { word: args[0] ?? '' }));
  if (!URL.canParse(first)) throw new UserError(say('cli.mcpNoAddress', { url: first }));
  return { url: first };
}

/** Keeps the value of a header, unless it refers to a variable already. */
function headerOf(server: string, header: string, secrets: Record<string, string>): Record<string, string> {
  const [, name, value = ''] = HEADER.exec(header.trim()) ?? [];
  if (name === undefined) throw new UserError(say('cli.mcpHeader'));
  if (value.includes('${')) return { [name]: value };
  const variable = `MCP_${server}_${name}`.toUpperCase().replace(/[^A-Z0-9]/g, '_');
  const [, scheme = '', secret = ''] = /^((?:Bearer|Basic|Token)\s+)?(.*)$/i.exec(value) ?? [];
  secrets[variable] = secret;
  return { [name]: `${scheme}\${${variable}}` };
}

function variablesOf(names: string, env: NodeJS.ProcessEnv, secrets: Record<string, string>): Record<string, string> {
  const all = names.split(',').map((name) => name.trim());
  return Object.fromEntries(
    all.map((name) => {
      const value = env[name];
      if (!VARIABLE.test(name)) throw new UserError(say('cli.mcpEnv', { name }));
      if (!value) throw new UserError(say('cli.mcpNoVariable', { name }));
      secrets[name] = value;
      return [name, `\${${name}}`];
    }),
  );
}

function transportOf(given: string, isAddress: boolean): object {
  if (given === 'stdio' && !isAddress) return {};
  if ((given === 'http' || given === 'sse') && isAddress) return { transport: given };
  throw new UserError(say('cli.mcpTransport', { given }));
}
