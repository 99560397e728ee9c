/** Adds chat platforms with the steps and checks of the wizard, starts them, and links the owner's account. */
import { encode } from 'uqr';
import { z } from 'zod';
import { requireFresh } from '../../board/fresh.ts';
import { RequestError, wrongField } from '../../board/respond.ts';
import { channelKind, chatSection } from '../../channels/index.ts';
import type { Card } from '../../channels/kind.ts';
import { withChange } from '../../config/change.ts';
import { type Platform, platformChange, platforms, variableFor } from '../../config/platforms.ts';
import { oddToken } from '../../config/token-forms.ts';
import type { Config } from '../../config.ts';
import { errorMessage, UserError } from '../../errors.ts';
import { within } from '../../lib/within.ts';
import { silentLog } from '../../log.ts';
import { messagesIn, say, type Wording } from '../../messages/messages.ts';
import type { BoardAt, BoardRequest, Caller } from '../../runtime/contract/board.ts';
import { attempt, awayFix, type Finding, isAway, says } from '../../runtime/contract/finding.ts';
import { configOf, type Gateway } from '../gateway.ts';
import { changeSetup, refuseOutside, refuseReference } from './change.ts';
import { environmentOf, readSettings } from './current.ts';

const CHECK_MS = 30_000;
const CARD_MS = 10_000;
/** A platform's tokens are printable, without spaces. */
const secret = z.string().regex(/^[!-~]{1,500}$/);
export const tokensBody = z.strictObject({ tokens: z.record(z.string(), secret), keep: z.boolean().optional() });
export const verdictBody = z.strictObject({ verdict: z.enum(['approve', 'deny']) });

export function platformNamed({ params }: BoardRequest): Platform {
  const found = platforms().find(({ name }) => name === params.chat);
  if (!found) throw new RequestError(404, 'not_found', say('requests.nothingHere'));
  return found;
}

export async function showChats(caller: Caller, gw: Gateway): Promise<object> {
  const messages = messagesIn(caller.language);
  const said = (words: Wording | string) => messages.said(words);
  const chats = platforms().map(async ({ name, label, setup }) => ({
    name,
    label,
    isOn: gw.places.channelOf({ channel: name }) !== undefined,
    steps: said(setup.steps).split('\n'),
    page: setup.page,
    ...(setup.link && { link: await setup.link() }),
    ...(setup.paste && { paste: await setup.paste() }),
    tokens: setup.tokens.map(({ key, question, before }) => ({
      key,
      question: said(question),
      ...(before !== undefined && { before: said(before) }),
    })),
  }));
  return { chats: await Promise.all(chats) };
}

/** Checks the tokens as the wizard does, saves them, and starts the channel. */
export async function addPlatform(
  platform: Platform,
  { tokens, keep = false }: z.output<typeof tokensBody>,
  caller: Caller,
  at: BoardAt,
  gw: Gateway,
): Promise<object> {
  requireFresh(caller);
  for (const [key, value] of Object.entries(tokens)) refuseReference(key, value);
  const secrets = Object.fromEntries(
    platform.setup.tokens.map(({ key }) => {
      const value = tokens[key];
      if (value === undefined) throw wrongField(key, say('requests.missing'));
      return [variableFor(platform, key), value];
    }),
  );
  const change = platformChange(platform, secrets);
  refuseOutside(change, gw);
  const { file } = await readSettings(at);
  const { config } = await withChange(file, change, environmentOf(gw), gw.home.root);
  const findings = await askPlatform(platform, config);
  const isWrong = findings.some(({ state }) => state === 'wrong');
  const odd = platform.setup.tokens
    .map(({ key }) => oddToken(platform.name, key, tokens[key]))
    .filter((detail) => detail !== undefined)
    .map((detail): Finding => ({ name: platform.name, state: 'note', detail }));
  if (isWrong && !keep) return refusedPlatform(platform, config, [...findings, ...odd]);
  const made = await changeSetup(caller, at, gw, async () => change);
  const section = chatSection(made.config, platform.name);
  const isStarted = section !== undefined && (await at.program.startChat(platform.name, section));
  return { ok: true, isStarted, findings };
}

const askPlatform = (platform: Platform, config: Config): Promise<Finding[]> =>
  attempt(platform.name, CHECK_MS, async () => {
    const section = chatSection(config, platform.name);
    return section ? ((await platform.check?.(section, silentLog())) ?? []) : [];
  });

async function refusedPlatform(platform: Platform, config: Config, findings: readonly Finding[]): Promise<object> {
  const wrong = findings.filter(({ state }) => state === 'wrong');
  const isAlone = wrong.every(({ detail }) => says(detail, 'checks.inNoServer'));
  const away = wrong.find(({ detail }) => isAway(detail));
  const { invite } = isAlone ? await platformCard(platform, config) : {};
  const fix = isAlone
    ? say('setup.noServerYet')
    : away
      ? awayFix(away.detail)
      : say('setup.fixHere', { page: platform.setup.page });
  return { ok: false, findings, fix, ...(invite !== undefined && { invite }) };
}

async function platformCard({ name }: Platform, config: Config): Promise<Card> {
  const section = chatSection(config, name);
  const card = section && channelKind(name)?.card?.(section, silentLog());
  const found = card && (await within(card, CARD_MS));
  if (!found) throw new UserError(say('boardSetup.noCard', { name }));
  return found;
}

/**
 * Returns how to link an account on this platform to the owner: a code to send there or, while there is no owner yet,
 * the chat to write to first.
 */
export async function joinPlatform(platform: Platform, caller: Caller, gw: Gateway): Promise<object> {
  requireFresh(caller);
  const { name, link, invite, withCode } = await platformCard(platform, configOf(gw)).catch((error: unknown) => {
    if (error instanceof UserError) throw error;
    throw new UserError(say('common.asItIs', { text: errorMessage(error) }), { cause: error });
  });
  const about = { name, ...(invite !== undefined && { invite }) };
  const { principal, direct } = caller;
  // A login on this machine counts as the only owner. If there are none or several, an account has to be approved.
  if (principal.channel === 'api') return { ...about, kind: 'meet', link, qr: drawn(link) };
  const address = direct ?? { channel: 'api', account: 'api', chat: principal.user };
  const { code, expiresAt } = gw.people.links.issue(principal, address);
  const opens = withCode?.(code) ?? link;
  const command = `${gw.places.prefixes[platform.name] ?? '/'}link ${code}`;
  return {
    ...about,
    kind: 'code',
    link: opens,
    qr: drawn(opens),
    code,
    command,
    isSentByLink: withCode !== undefined,
    expiresAt: new Date(expiresAt).toISOString(),
  };
}

/** Draws a QR code as the path of an SVG, one unit for each module, with a quiet zone of two. */
function drawn(text: string): { size: number; path: string } {
  const { data, size } = encode(text, { border: 2, ecc: 'M' });
  const path = data.map((row, y) => {
    const runs = [
      ...row
        .map((dark) => (dark ? '1' : '0'))
        .join('')
        .matchAll(/1+/g),
    ];
    return runs.map(({ 0: run, index }) => `M${index} ${y}h${run.length}v1h-${run.length}z`).join('');
  });
  return { size, path: path.join('') };
}

/** Returns the accounts that wait for approval, and whether this owner already has one there. */
export function whoWaits({ name }: Platform, caller: Caller, gw: Gateway): object {
  const { pairing, links } = gw.people;
  const own = caller.principal.person;
  const joined = links
    .links()
    .filter(({ identity, person, until }) => until === undefined && person === own && identity.startsWith(`${name}:`));
  return {
    waiting: pairing
      .pending(Date.now())
      .filter(({ channel }) => channel === name)
      .map(({ code, name: called, kept = [] }) => ({
        code,
        name: called,
        words: kept.map(({ text }) => text).find((text) => text.trim() !== '') ?? '',
      })),
    joined: joined.map(({ identity }) => identity),
    isConnected: gw.places.channelOf({ channel: name })?.status().state === 'connected',
  };
}

/** Approves the account that the owner says is theirs. */
export function letOwnerIn(code: string, verdict: 'approve' | 'deny', caller: Caller, gw: Gateway): object {
  requireFresh(caller);
  const { pairing } = gw.people;
  if (verdict === 'approve') pairing.approve(code, Date.now(), 'owner');
  else pairing.deny(code, Date.now());
  gw.log.info({ login: caller.id, verdict }, 'an account was approved as an owner on the Board');
  return { verdict };
}
