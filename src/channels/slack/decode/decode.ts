/**
 * Decodes Slack's requests into an InboundMessage. Pure, total (it never throws, whatever JSON it gets) and cheap.
 * https://docs.slack.dev/apis/events-api/, https://docs.slack.dev/interactivity/
 */

import type { InboundMessage } from '../../channel.ts';
import { emptyMessage } from '../../channel.ts';
import { type Fields, fields, fieldsList, string } from '../../shared/read.ts';
import { commandOf, GOAL } from '../../shared/written-command.ts';
import { sealResponse } from '../send/respond.ts';
import { type DecodedEvent, dropped, isDirect, readId, readTs, readUser, type Self, slackAddress } from './base.ts';
import { decodeMessage } from './message.ts';
import { readWords } from './text.ts';

export type { DecodedEvent, Self } from './base.ts';

/**
 * Decodes the body of an event, a slash command or a button press. `message.id` is unique within (channel, account,
 * chat) and the same each time Slack repeats it: `m:<ts>`, `e:<ts>:<time of edit>`, `i:<trigger id>`. `now` dates
 * events without a time of their own (milliseconds).
 */
export function decodeBody(body: unknown, self: Self, now: number = Date.now()): DecodedEvent {
  const source = asFields(body);
  if (!source) return dropped('malformed');
  const event = fields(source, 'event');
  if (event) return decodeEvent(event, self);
  if (typeof source.command === 'string') return decodeCommand(source, self, now);
  if (source.type === 'block_actions') return decodePress(source, self, now);
  return dropped(string(source, 'type') ?? 'unknown');
}

function asFields(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null ? { ...value } : undefined;
}

function decodeEvent(event: Fields, self: Self): DecodedEvent {
  const type = string(event, 'type') ?? 'unknown';
  if (type === 'message' || type === 'app_mention') return decodeMessage(event, self);
  if (type === 'assistant_thread_started') return decodeAssistant(event, self);
  if (type === 'channel_id_changed') return decodeMove(event, self);
  return dropped(type);
}

function decodeAssistant(event: Fields, self: Self): DecodedEvent {
  const thread = fields(event, 'assistant_thread') ?? {};
  const chat = readId(thread, 'channel_id');
  const ts = readTs(thread, 'thread_ts');
  const user = readId(thread, 'user_id');
  if (chat === undefined || ts === undefined || user === undefined) return dropped('malformed');
  return { kind: 'assistant', address: slackAddress(self, chat, ts), user };
}

/** Decodes a channel's new ID, which it gets when it is shared with another workspace. */
function decodeMove(event: Fields, self: Self): DecodedEvent {
  const from = readId(event, 'old_channel_id');
  const to = readId(event, 'new_channel_id');
  const ts = readTs(event, 'event_ts');
  if (from === undefined || to === undefined || ts === undefined) return dropped('malformed');
  const message: InboundMessage = {
    ...emptyMessage(),
    id: `u:${ts}`,
    kind: 'migration',
    address: slackAddress(self, from),
    movedTo: slackAddress(self, to),
    sender: readUser(self, 'USLACKBOT', 'Slack', true),
    facts: [`The channel ${from} has become ${to}`],
    messageId: '',
    isDirect: false,
    isMention: false,
    sentAt: Math.floor(Number(ts) * 1000),
  };
  return { kind: 'message', message };
}

/**
 * Decodes a command. `/viber status` is one; `/viber task GOAL`, and any other text, is a goal, which starts a task in
 * a thread of its own.
 */
function decodeCommand(body: Fields, self: Self, now: number): DecodedEvent {
  const chat = readId(body, 'channel_id');
  const user = readId(body, 'user_id');
  const trigger = string(body, 'trigger_id');
  if (chat === undefined || user === undefined || !trigger) return dropped('malformed');
  const typed = readWords(string(body, 'text') ?? '', self).text;
  const direct = isDirect(chat);
  const first = typed === '' ? { name: 'help', args: '' } : commandOf(typed, self.commands);
  const [goal, named] = first?.name === GOAL ? [first.args, undefined] : [typed, first];
  const command = named ?? (direct ? { name: 'new', args: goal } : undefined);
  const thread = readTs(body, 'thread_ts');
  const message: InboundMessage = {
    ...emptyMessage(),
    id: `i:${trigger}`,
    kind: 'command',
    address: slackAddress(self, chat, thread),
    sender: readUser(self, user, string(body, 'user_name'), false),
    text: goal,
    ...(command && { command }),
    messageId: '',
    isDirect: direct,
    isMention: true,
    ...(thread !== undefined ? { isThread: true } : !direct && { opensThread: true }),
    ...interactionOf(body, user),
    sentAt: now,
  };
  return { kind: 'message', message };
}

function decodePress(body: Fields, self: Self, now: number): DecodedEvent {
  const container = fields(body, 'container') ?? {};
  const person = fields(body, 'user') ?? {};
  const chat = readId(container, 'channel_id') ?? readId(fields(body, 'channel') ?? {}, 'id');
  const user = readId(person, 'id');
  const trigger = string(body, 'trigger_id');
  const button = string(fieldsList(body, 'actions')[0] ?? {}, 'action_id');
  const ts = readTs(container, 'message_ts');
  if (chat === undefined || user === undefined || !trigger || !button) return dropped('block_actions.elsewhere');
  const shown = fields(body, 'message') ?? {};
  const root = readTs(container, 'thread_ts') ?? readTs(shown, 'thread_ts');
  // A message with replies names itself as the first of a thread, but it is in the chat all the same.
  const thread = root === ts ? undefined : root;
  const message: InboundMessage = {
    ...emptyMessage(),
    id: `i:${trigger}`,
    kind: 'button',
    address: slackAddress(self, chat, thread),
    sender: readUser(self, user, string(person, 'name') ?? string(person, 'username'), false),
    button: { id: button.slice(0, 64) },
    messageId: ts ?? '',
    ...(ts !== undefined &&
      root === undefined &&
      !isDirect(chat) && { below: { address: slackAddress(self, chat, ts), opens: false } }),
    isDirect: isDirect(chat),
    isMention: true,
    ...(thread !== undefined && { isThread: true }),
    // A reply to a message that only one person sees is visible to that person only.
    ...(container.is_ephemeral === true && interactionOf(body, user)),
    sentAt: now,
  };
  return { kind: 'message', message };
}

function interactionOf(body: Fields, user: string): { interaction?: string } {
  const url = string(body, 'response_url');
  return url === undefined ? {} : { interaction: sealResponse(url, user) };
}
