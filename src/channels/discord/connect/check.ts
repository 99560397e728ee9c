/**
 * Checks for the doctor whether the token is valid, the bot may read message content, and it has the permissions it
 * needs.
 */
import { ConfigError, type ConfigProblem, problemWith } from '../../../errors.ts';
import { say, type Wording } from '../../../messages/messages.ts';
import { type Fields, integer, isFields, string, tidyLine } from '../../shared/read.ts';
import { id } from '../decode/read.ts';
import { createApi, type DiscordApi, DiscordError } from './api.ts';
import { mayReadContent, missingIntent, wrongToken } from './config-problems.ts';

/** Bits of https://discord.com/developers/docs/topics/permissions, with their names on the settings page. */
const PERMISSIONS: [bigint, string][] = [
  [1n << 10n, 'View Channels'],
  [1n << 11n, 'Send Messages'],
  [1n << 35n, 'Create Public Threads'],
  [1n << 38n, 'Send Messages in Threads'],
  [1n << 15n, 'Attach Files'],
  [1n << 16n, 'Read Message History'],
  [1n << 6n, 'Add Reactions'],
];
const ADMINISTRATOR = 1n << 3n;
const ALL = PERMISSIONS.reduce((sum, [bit]) => sum | bit, 0n);
const MAX_NAMED = 10;
const MAX_CHATS = 20;

export interface CheckOptions {
  token: string;
  apiRoot: string;
  cdnRoot?: string;
  guilds?: readonly { id: string }[];
  access?: { chats: readonly string[] };
}

/**
 * Returns one sentence for each thing that works.
 * @throws ConfigError with every problem at once
 * @throws DiscordError when Discord can't be asked
 */
export async function checkDiscord(options: CheckOptions): Promise<Wording[]> {
  const api = createApi({ cdnRoot: options.apiRoot, ...options });
  try {
    const application = await getFields(api, '/applications/@me');
    const user = await getFields(api, '/users/@me');
    const findings: Wording[] = [say('doctor.answers', { name: `@${string(user, 'username') ?? 'viber'}` })];
    const problems: ConfigProblem[] = [];
    if (mayReadContent(integer(application, 'flags') ?? 0)) findings.push(say('checks.discordContent'));
    else problems.push(missingIntent());
    await checkStarts(api, findings, problems);
    const wanted = (options.guilds ?? []).map((guild) => guild.id);
    await checkGuilds(api, { application: id(application, 'id') ?? '', wanted }, findings, problems);
    await checkChats(api, options.access?.chats ?? [], problems);
    if (problems.length > 0) throw new ConfigError(problems);
    return findings;
  } catch (error) {
    throw error instanceof DiscordError && error.status === 401 ? new ConfigError([wrongToken()]) : error;
  } finally {
    api.close();
  }
}

async function checkStarts(api: DiscordApi, findings: Wording[], problems: ConfigProblem[]): Promise<void> {
  const gateway = await getFields(api, '/gateway/bot');
  const limit = isFields(gateway.session_start_limit) ? gateway.session_start_limit : {};
  const remaining = integer(limit, 'remaining') ?? 0;
  if (remaining > 0)
    findings.push(say('checks.discordStarts', { left: remaining, total: integer(limit, 'total') ?? remaining }));
  else problems.push(problemWith('channels.discord', say('checks.discordNoStarts')));
}

async function checkGuilds(
  api: DiscordApi,
  { application, wanted }: { application: string; wanted: readonly string[] },
  findings: Wording[],
  problems: ConfigProblem[],
): Promise<void> {
  const answer = await api.call('GET', '/users/@me/guilds');
  const guilds = Array.isArray(answer) ? answer.filter(isFields) : [];
  if (guilds.length === 0)
    problems.push(problemWith('channels.discord', say('checks.inNoServer', { link: inviteLink(application) })));
  const there = new Set(guilds.map((guild) => id(guild, 'id')));
  for (const one of guilds.length === 0 ? [] : wanted.filter((each) => !there.has(each)))
    problems.push(
      problemWith(
        'channels.discord.guilds',
        say('checks.discordNotInServer', { id: one, link: inviteLink(application) }),
      ),
    );
  for (const guild of guilds) {
    const missing = missingIn(guild);
    const name = tidyLine(string(guild, 'name') ?? id(guild, 'id') ?? 'a server', 80);
    if (missing.length > 0)
      problems.push(
        problemWith(
          'channels.discord',
          say('checks.discordLacks', {
            server: name,
            permissions: missing.map((one) => `"${one}"`).join(', '),
            link: inviteLink(application),
          }),
        ),
      );
    else if (findings.length < MAX_NAMED) findings.push(say('checks.discordHas', { server: name }));
  }
}

async function checkChats(api: DiscordApi, chats: readonly string[], problems: ConfigProblem[]): Promise<void> {
  for (const chat of chats.filter((each) => each !== '*').slice(0, MAX_CHATS)) {
    try {
      await api.call('GET', `/channels/${chat}`);
    } catch (error) {
      if (!(error instanceof DiscordError) || (error.status !== 403 && error.status !== 404)) throw error;
      problems.push(problemWith('channels.discord.access.chats', say('checks.discordNoChannel', { chat })));
    }
  }
}

function missingIn(guild: Fields): string[] {
  const text = string(guild, 'permissions') ?? '';
  const has = /^\d+$/.test(text) ? BigInt(text) : 0n;
  if ((has & ADMINISTRATOR) !== 0n) return [];
  return PERMISSIONS.filter(([bit]) => (has & bit) === 0n).map(([, name]) => name);
}

/** Returns the bot's profile and the page that adds it to a server. @throws DiscordError */
export async function discordCard(options: CheckOptions) {
  const api = createApi({ cdnRoot: options.apiRoot, ...options });
  try {
    const application = await getFields(api, '/applications/@me');
    const user = await getFields(api, '/users/@me');
    const link = `https://discord.com/users/${id(user, 'id') ?? ''}`;
    return { name: `@${string(user, 'username') ?? 'viber'}`, link, invite: inviteLink(id(application, 'id') ?? '') };
  } finally {
    api.close();
  }
}

export function inviteLink(application: string): string {
  return `https://discord.com/oauth2/authorize?client_id=${application}&scope=bot+applications.commands&permissions=${ALL}`;
}

async function getFields(api: DiscordApi, route: `/${string}`): Promise<Fields> {
  const answer = await api.call('GET', route);
  return isFields(answer) ? answer : {};
}
