/**
 * Decodes slash commands, buttons and autocomplete. Pure and total like `decodeMessage`.
 * https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object
 */

import { MENU_GROUPS } from '../../../messages/menu.ts';
import type { Address, InboundMessage, Sender, SuggestQuery } from '../../channel.ts';
import { emptyMessage } from '../../channel.ts';
import { type Fields, fields, fieldsList, integer, isFields, language, string } from '../../shared/read.ts';
import { GOAL, isNearly } from '../../shared/written-command.ts';
import { type Context, type DroppedEvent, dropped, inThread, readAddress, readSender } from './base.ts';
import { isThread, takesThreads } from './places.ts';
import { id, timeOf } from './read.ts';

const GROUP = 2;

/** The only command; everything a person can ask for is one of its subcommands. */
export const COMMAND = 'viber';

/** The data needed to answer an interaction. The token works for 15 minutes. */
export interface Interaction {
  id: string;
  application: string;
  token: string;
  /** The person who acted, and the only one who may see the answer. */
  user?: string;
  /**
   * True for a button: its first answer would replace the message with the button, so each answer is a message of its
   * own.
   */
  isPress?: boolean;
}

export type DecodedInteraction =
  | { kind: 'message'; message: InboundMessage; interaction: Interaction }
  | { kind: 'suggest'; query: SuggestQuery; interaction: Interaction }
  | DroppedEvent;

interface InteractionFacts {
  interaction: Interaction;
  channelId: string;
  address: Address;
  sender: Sender;
  isDirect: boolean;
}

export function decodeInteraction(body: unknown, context: Context): DecodedInteraction {
  if (!isFields(body)) return dropped('malformed');
  const asked = readAsked(body, context);
  if (!asked) return dropped('malformed');
  const type = integer(body, 'type');
  if (type === 2) return decodeCommand(body, asked, context);
  if (type === 3) return decodeButton(body, asked, context);
  if (type === 4) return decodeSuggest(body, asked);
  return dropped(`interaction.type-${type}`);
}

/** Returns the opaque `interaction` of a message. */
export function sealInteraction({ id: at, application, token, user, isPress }: Interaction): string {
  return JSON.stringify([at, application, token, ...(user === undefined ? [] : [user]), ...(isPress ? [PRESS] : [])]);
}

/** Parses the output of `sealInteraction`; undefined for any other text. */
export function readSealed(sealed: string | undefined): Interaction | undefined {
  if (sealed === undefined || !sealed.startsWith('["')) return undefined;
  const [at, application, token, user, press, more] = sealed.slice(2, -2).split('","');
  if (!at || !application || !token || more !== undefined || (press ?? PRESS) !== PRESS) return undefined;
  if (!/^\d+$/.test(at + application + (user ?? ''))) return undefined;
  return { id: at, application, token, ...(user !== undefined && { user }), ...(press && { isPress: true }) };
}

/** Parses like `readSealed`; undefined also if it has expired. */
export function openInteraction(sealed: string | undefined, now: number): Interaction | undefined {
  const interaction = readSealed(sealed);
  return interaction && now - timeOf(interaction.id) < TOKEN_MS ? interaction : undefined;
}

/** Returns what any kind of interaction can be answered with, whatever else it holds. */
export function readInteraction(body: Fields): Interaction | undefined {
  const interactionId = id(body, 'id');
  const application = id(body, 'application_id');
  const token = string(body, 'token');
  if (!interactionId || !application || !token || !/^[\w.=+/-]{1,500}$/.test(token)) return undefined;
  return { id: interactionId, application, token };
}

const PRESS = 'press';
const EPHEMERAL = 64;
/** A little less than Discord's 15 minutes. */
const TOKEN_MS = 14.5 * 60_000;

function readAsked(body: Fields, context: Context): InteractionFacts | undefined {
  const channel = fields(body, 'channel');
  const guild = id(body, 'guild_id');
  const member = fields(body, 'member');
  const sender = readSender(member ? fields(member, 'user') : fields(body, 'user'), member, false);
  const interaction = readInteraction(body);
  const channelId = id(body, 'channel_id') ?? (channel && id(channel, 'id'));
  if (!sender || !interaction || !channelId) return undefined;
  return {
    interaction,
    channelId,
    address: readAddress(channelId, guild, context),
    sender: { ...sender, ...language(body, 'locale') },
    isDirect: guild === undefined,
  };
}

function decodeCommand(body: Fields, asked: InteractionFacts, context: Context): DecodedInteraction {
  const chosen = called(body);
  if (!chosen) return dropped('interaction.unknown-command');
  const { name, before, option } = chosen;
  const args = [before, option && string(option, 'value')?.trim()].filter(Boolean).join(' ');
  const message: InboundMessage = {
    ...emptyMessage(),
    id: `i:${asked.interaction.id}`,
    kind: 'command',
    address: asked.address,
    sender: asked.sender,
    messageId: '',
    isDirect: asked.isDirect,
    isMention: true,
    interaction: sealInteraction({ ...asked.interaction, user: asked.sender.user }),
    sentAt: timeOf(asked.interaction.id),
    ...inThread(asked.address, context.places),
  };
  const meant = name === GOAL ? meantBy(args, context) : undefined;
  if (name === GOAL && meant === undefined)
    return { kind: 'message', message: withGoal(message, args, context), interaction: asked.interaction };
  const opens = mayOpen(message.address, message.isDirect, context);
  const command = meant ?? { name, args };
  return {
    kind: 'message',
    message: { ...message, command, ...(opens && { opensThread: true }) },
    interaction: asked.interaction,
  };
}

/** Returns the command a goal really means: one with its own slash, or a mistyped name. */
function meantBy(goal: string, { commands }: Context): InboundMessage['command'] {
  const [, slash = '', name = '', rest = ''] = /^(\/?)(?:viber\s+)?(\S{1,32})\s*([\s\S]*)$/.exec(goal) ?? [];
  const isMeant = slash === '' ? rest === '' && isNearly(name, commands) : commands.has(name.toLowerCase());
  return isMeant ? { name: name.toLowerCase(), args: rest.trim() } : undefined;
}

/** Gives a goal a thread of its own, beside the one it was given in. Without threads it becomes the command `new`. */
function withGoal(message: InboundMessage, goal: string, context: Context): InboundMessage {
  const { thread: _beside, ...address } = message.address;
  if (goal === '' || !mayOpen(address, message.isDirect, context))
    return { ...message, command: { name: 'new', args: goal } };
  const { isThread: _inside, threadName: _its, ...rest } = message;
  return { ...rest, address, text: goal, opensThread: true };
}

function mayOpen(address: Address, isDirect: boolean, { threads, places }: Context): boolean {
  if (isDirect || threads === 'off' || address.thread !== undefined) return false;
  const place = places.get(address.chat);
  return takesThreads(place) && !isThread(place);
}

function decodeButton(body: Fields, asked: InteractionFacts, context: Context): DecodedInteraction {
  const data = fields(body, 'data') ?? {};
  const shown = fields(body, 'message');
  const button = string(data, 'custom_id');
  if (button === undefined || integer(data, 'component_type') !== 2) return dropped('interaction.component');
  const shownId = shown && id(shown, 'id');
  const message: InboundMessage = {
    ...emptyMessage(),
    id: `i:${asked.interaction.id}`,
    kind: 'button',
    address: asked.address,
    sender: asked.sender,
    button: { id: button },
    messageId: shownId ?? '',
    ...(shownId !== undefined &&
      mayOpen(asked.address, asked.isDirect, context) && {
        below: { address: { ...asked.address, thread: shownId }, opens: true },
      }),
    isDirect: asked.isDirect,
    isMention: true,
    // A reply to a message that only one person sees is visible to that person only.
    ...(shown &&
      ((integer(shown, 'flags') ?? 0) & EPHEMERAL) !== 0 && {
        interaction: sealInteraction({ ...asked.interaction, user: asked.sender.user, isPress: true }),
      }),
    sentAt: timeOf(asked.interaction.id),
    ...inThread(asked.address, context.places),
  };
  return { kind: 'message', message, interaction: asked.interaction };
}

function decodeSuggest(body: Fields, asked: InteractionFacts): DecodedInteraction {
  const chosen = called(body);
  if (chosen?.option?.focused !== true) return dropped('interaction.autocomplete');
  const { address, sender, isDirect, interaction } = asked;
  const text = (string(chosen.option, 'value') ?? '').slice(0, 200);
  return { kind: 'suggest', query: { address, sender, isDirect, command: chosen.name, text }, interaction };
}

interface Subcommand {
  name: string;
  /** Text that the menu entry puts before the option. */
  before: string;
  option: Fields | undefined;
}

/** Returns the command of the chosen entry and its one option. */
function called(body: Fields): Subcommand | undefined {
  const data = fields(body, 'data');
  if (!data || string(data, 'name') !== COMMAND) return undefined;
  const [chosen] = fieldsList(data, 'options');
  const first = chosen && string(chosen, 'name');
  if (!chosen || !first) return undefined;
  const [inner] = fieldsList(chosen, 'options');
  if (integer(chosen, 'type') !== GROUP) return { name: first, before: '', option: inner };
  const name = inner && string(inner, 'name');
  if (!inner || !name) return undefined;
  // Overflow groups hold commands under their own names.
  const entry = Object.hasOwn(MENU_GROUPS, first) ? MENU_GROUPS[first]?.entries[name] : undefined;
  return { name: entry?.command ?? name, before: entry?.before ?? '', option: fieldsList(inner, 'options')[0] };
}
