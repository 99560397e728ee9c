/**
 * Decides what to do with a message that Discord refused: another form of it, or an error for delivery to decide on.
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
 */
import { DeliveryError } from '../../../errors.ts';
import type { UploadFile } from '../connect/api.ts';
import { DiscordError } from '../connect/api.ts';

export interface Form {
  method: 'POST' | 'PATCH';
  route: `/${string}`;
  body: Readonly<Record<string, unknown>>;
  files: readonly UploadFile[];
}

const UNKNOWN_CHANNEL = 10003;
const UNKNOWN_MESSAGE = 10008;
const ARCHIVED = 50083;
const LACKS_PERMISSION = 50013;
/** A channel such as a forum, which holds threads but no messages. */
const NO_TEXT_CHANNEL = 50008;

/** The meaning of a code, and the permission or setting that fixes it. */
const REASONS = new Map<number, string>([
  [UNKNOWN_CHANNEL, 'the channel or thread is gone'],
  [UNKNOWN_MESSAGE, 'the message is gone'],
  [50001, 'the bot cannot see this channel: give its role the permission "View Channel" there'],
  [50007, 'this person does not accept direct messages from the bot (their privacy settings, or no server in common)'],
  [
    LACKS_PERMISSION,
    'the bot lacks a permission: its role needs "View Channel", "Send Messages", "Send Messages in Threads", "Create Public Threads", "Attach Files" and "Read Message History" there',
  ],
  [160002, 'the bot lacks the permission "Read Message History" there, and cannot reply without it'],
  [160005, 'the thread is locked: "Manage Threads" is needed to write there'],
  [160006, 'the server has as many active threads as Discord allows'],
]);

/** The same for a thread to be reopened; a locked one can be reopened only with "Manage Threads". */
const REASONS_TO_REOPEN = new Map([
  ...REASONS,
  [
    LACKS_PERMISSION,
    'the thread is archived and the bot may not open it again: its role needs "Manage Threads" where the thread is locked, else "Send Messages in Threads"',
  ],
]);

interface Remedy {
  name: string;
  fits: (error: DiscordError, form: Form) => boolean;
  /** Returns undefined if the form has nothing to change. */
  change: (form: Form, fresh: Form) => Form | undefined;
}

/** Remedies in order of preference; the first that fits and was not tried yet is used. */
const REMEDIES: Remedy[] = [
  {
    name: 'edit',
    fits: ({ code }, form) =>
      form.method === 'PATCH' && code !== undefined && [UNKNOWN_MESSAGE, 50005, 30046].includes(code),
    change: (_form, fresh) => fresh,
  },
  {
    name: 'reply',
    fits: refusesReply,
    change: (form) => withoutField(form, 'message_reference'),
  },
  {
    name: 'buttons',
    fits: ({ code, message }) => code === 50035 && /components/i.test(message),
    change: (form) => withoutField(form, 'components'),
  },
  // Remedies for any other problem with the form: each leaves out more besides the text.
  { name: 'less-buttons', fits: refusesForm, change: (form) => withoutField(form, 'components') },
  { name: 'less-reply', fits: refusesForm, change: (form) => withoutField(form, 'message_reference') },
  { name: 'new', fits: refusesForm, change: (form, fresh) => (form.method === 'PATCH' ? bare(fresh) : undefined) },
];

/**
 * Returns whether a bad request isn't about the message's form: limits, people, channels, threads, and forbidden
 * content.
 */
function isElsewhere(code: number): boolean {
  const isLimit = code >= 10_000 && code < 50_000;
  return isLimit || code >= 160_000 || ELSEWHERE.has(code);
}
const ELSEWHERE = new Set([
  ...[50001, 50005, 50007, 50008, NO_TEXT_CHANNEL, 50009, LACKS_PERMISSION, 50021, 50024, 50027, 50033],
  ...[ARCHIVED, 50278],
]);

/** Returns whether Discord refuses the form. Refused files are handled elsewhere. */
function refusesForm({ status, code }: DiscordError, { files }: Form): boolean {
  return status === 400 && files.length === 0 && (code === undefined || !isElsewhere(code));
}

/** Returns a form without buttons and reply. Like every other, it notifies nobody and its links get no previews. */
function bare(form: Form): Form {
  const { components: _buttons, message_reference: _reply, ...body } = form.body;
  return { ...form, body };
}

/**
 * Returns another form to try, or undefined. `tried` holds the names of remedies used so far; this adds to it. `fresh`
 * is the form as a new message.
 */
export function remedy(error: DiscordError, form: Form, fresh: Form, tried: Set<string>): Form | undefined {
  if (error.kind !== 'refused') return undefined;
  for (const { name, fits, change } of REMEDIES) {
    const changed = !tried.has(name) && fits(error, form) ? change(form, fresh) : undefined;
    if (!changed) continue;
    tried.add(name);
    return changed;
  }
  return undefined;
}

function withoutField(form: Form, key: string): Form | undefined {
  const held = form.body[key];
  if (held === undefined || (Array.isArray(held) && held.length === 0)) return undefined;
  return { ...form, body: Object.fromEntries(Object.entries(form.body).filter(([name]) => name !== key)) };
}

export function isArchived(error: DiscordError): boolean {
  return error.code === ARCHIVED;
}

export function isGone(error: DiscordError): boolean {
  return error.code === UNKNOWN_CHANNEL;
}

/** Returns whether the message that a thread was attached to can't be found. */
export function isNoRoot(error: DiscordError): boolean {
  return error.code === NO_TEXT_CHANNEL || refusesReply(error);
}

function refusesReply({ code, message }: DiscordError): boolean {
  return code === 160002 || (code === 50035 && /message_reference/i.test(message));
}

/**
 * Converts an error for delivery. `repeatable`: executing the call twice has the effect of once, so a lost answer isn't
 * ambiguous.
 */
export function toDeliveryError(error: unknown, repeatable: boolean, reasons = REASONS): unknown {
  if (!(error instanceof DiscordError)) return error;
  const { message, kind, status, code } = error;
  const detail = `${message}${code !== undefined && reasons.has(code) ? `; ${reasons.get(code)}` : ''}`;
  if (kind === 'limited')
    return new DeliveryError(detail, { retryAfterMs: error.retryAfterMs ?? 1000, rateLimited: true });
  if (kind === 'unreachable') return new DeliveryError(detail, { retryAfterMs: 1000 });
  if (kind === 'lost' || kind === 'failed')
    return new DeliveryError(detail, { retryAfterMs: 1000, ambiguous: !repeatable });
  if (kind === 'unreadable') return new DeliveryError(detail);
  // The token was revoked, or a server in front of Discord refuses: the message waits until that has changed.
  if (status === 401 || (code === 0 && status !== 400)) return new DeliveryError(detail, { retryAfterMs: 60_000 });
  if (code === undefined && status !== 413) return new DeliveryError(detail, { retryAfterMs: 1000 });
  return new DeliveryError(detail);
}

/** Converts the error of reopening a thread: it is still archived, so nothing was posted in it. */
export function toReopenError(error: unknown): unknown {
  return toDeliveryError(error, true, REASONS_TO_REOPEN);
}
