/**
 * A channel that is nothing but the seam of channels: it hands the gateway what people do, in this process, and gives the
 * other side what is sent. It keeps what every channel promises, with nothing between that could differ by platform.
 */
import { readFile } from 'node:fs/promises';
import {
  type Address,
  type Attachment,
  type Button,
  type Channel,
  type ChannelCallbacks,
  type ChannelHost,
  type ChannelLimits,
  createChannelState,
  createDownload,
  DeliveryError,
  defineChannel,
  editedPart,
  emptyMessage,
  errorCode,
  FilesRefused,
  type InboundMessage,
  messagesFor,
  type OutboundMessage,
  type PartLedger,
  type QuotedText,
  type RemoteFile,
  sendParts,
  settings as settingParts,
  sleep,
  type Turn,
} from 'openviber-gateway/plugin';
import { alone, noticeOf, render, type WebhookPart } from '../../examples/webhook-channel/render.ts';

export const CHANNEL = 'loopback';
export const ACCOUNT = 'viber';
const MEGABYTE = 1024 * 1024;
export const LIMITS: ChannelLimits = { text: 4000, uploadBytes: 20 * MEGABYTE, downloadBytes: 20 * MEGABYTE };
const AGAIN_MS = 50;

/** What somebody does there. */
export interface Deed {
  id: string;
  at: number;
  chat: string;
  thread?: string;
  by: { id: string; name: string; isBot: boolean };
  text: string;
  isMention: boolean;
  files: RemoteFile[];
  quotes: QuotedText[];
  repliesTo?: string;
  editOf?: string;
  /** A button, and the message it is under. */
  button?: { id: string; under: string };
}

/** A message of the bot, taken once for each key; with `edits`, new words for an earlier one. */
export interface Post {
  key: string;
  chat: string;
  thread?: string;
  text: string;
  buttons: readonly Button[];
  files: readonly { name: string; bytes: Buffer }[];
  replyTo?: string;
  edits?: string;
}

/** Statuses mean what they mean in HTTP; 0 is no answer at all. */
export type Answer = { status: 200; id: string } | { status: 429; seconds: number } | { status: 0 | 403 | 404 | 502 };

/** The other side. */
export interface Wire {
  /** What nobody has confirmed, oldest first, once there is something. Rejects when `over`. */
  next(over: AbortSignal): Promise<readonly Deed[]>;
  /** The first so many are durable. */
  confirm(count: number): void;
  post(given: Post): Answer;
  /** The bytes of a file; undefined if it is gone. */
  bytes(id: string): Buffer | undefined;
  knows(chat: string, thread?: string): boolean;
  isAway(): boolean;
  onAway(tell: () => void): void;
}

/** By the name in the setting `server`. */
export const wires = new Map<string, Wire>();

const isDm = (chat: string): boolean => chat.startsWith('dm-');
const addressOf = (chat: string, thread?: string): Address => ({
  ...{ channel: CHANNEL, account: ACCOUNT, chat },
  ...(thread !== undefined && { thread }),
});

/** A mention in a room begins a thread, whose root it is; `/task GOAL` does so too. */
function decode({ at, chat, by, text, button, ...deed }: Deed): InboundMessage {
  const isDirect = isDm(chat);
  const isPlain = !button && deed.editOf === undefined;
  const [, name = '', args = ''] = (isPlain && /^\/([a-z]\w*)(?:\s+([\s\S]*))?$/i.exec(text)) || [];
  const isGoal = name === 'task' && args !== '' && !isDirect && deed.thread === undefined;
  const command = name !== '' && !isGoal ? { name: name.toLowerCase(), args } : undefined;
  const begins = !isDirect && deed.isMention && !command && !button;
  const thread = deed.thread ?? (begins ? (deed.editOf ?? deed.id) : undefined);
  const { repliesTo, editOf, id, files, quotes } = deed;
  return {
    ...{ ...emptyMessage(), id, files, quotes, isDirect, sentAt: at, text: isGoal ? args : text },
    kind: button ? 'button' : editOf !== undefined ? 'edit' : command ? 'command' : 'message',
    address: addressOf(chat, thread),
    sender: { user: by.id, name: by.name, isBot: by.isBot },
    messageId: button?.under ?? editOf ?? id,
    isMention: isDirect || deed.isMention,
    ...(thread !== undefined && { isThread: true }),
    ...(command && { command, ...(!isDirect && thread === undefined && { opensThread: true }) }),
    ...(button && { button: { id: button.id } }),
    ...(editOf !== undefined && { editOf }),
    ...(repliesTo !== undefined && { repliesTo }),
  };
}

async function bytesAt({ path, name }: Attachment) {
  try {
    return { name, bytes: await readFile(path) };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new FilesRefused('gone', error);
  }
}

/** @throws FilesRefused or DeliveryError */
function idOf(answer: Answer): string {
  if (answer.status === 200) return answer.id;
  const why = `the other side answered ${answer.status}`;
  if (answer.status === 429) throw new DeliveryError(why, { retryAfterMs: answer.seconds * 1000, rateLimited: true });
  if (answer.status === 403) throw new FilesRefused('rights', why);
  if (answer.status === 404) throw new DeliveryError(why);
  throw new DeliveryError(why, { retryAfterMs: AGAIN_MS, ambiguous: true });
}

async function post(
  wire: Wire,
  { text, buttons, files }: WebhookPart,
  { address: { chat, thread } }: OutboundMessage,
  to: Pick<Post, 'key' | 'edits' | 'replyTo'>,
): Promise<Answer> {
  const place = { chat, ...(thread !== undefined && { thread }) };
  return wire.post({ ...to, ...place, text, buttons: buttons.flat(), files: await Promise.all(files.map(bytesAt)) });
}

async function amend(wire: Wire, message: OutboundMessage, id: string, ledger: PartLedger): Promise<void> {
  const last = await editedPart(message, (text) => render({ ...message, text, files: [] }, LIMITS));
  if (!last) return;
  await ledger.part(0, async ({ key }) => {
    const answer = await post(wire, { ...last, buttons: message.buttons ?? [] }, message, { key, edits: id });
    return answer.status === 404 ? id : idOf(answer);
  });
}

async function send(wire: Wire, message: OutboundMessage, ledger: PartLedger): Promise<void> {
  const { replyTo } = message;
  const parts = await render(message, LIMITS);
  await sendParts<WebhookPart>(ledger, {
    parts: () => parts,
    post: async (part, { attempt: { key }, isFirst }) =>
      idOf(await post(wire, part, message, { key, ...(isFirst && replyTo !== undefined && { replyTo }) })),
    filesOf: ({ files }) => files,
    hasButtons: ({ buttons }) => buttons.length > 0,
    // A part has words or a file, never both.
    wordsOf: () => undefined,
    fileOf: (_part, file) => alone({ files: [file] }),
    notice: (refused) => noticeOf(refused, messagesFor(message)),
    noticeParts: async (text) => [alone({ text })],
  });
}

/** Hands in what people do, until `over`; a rejection is handed in again, with everything behind it. */
async function read(wire: Wire, { over }: Turn, to: ChannelCallbacks): Promise<void> {
  while (!over.aborted) {
    const deeds = await wire.next(over).catch(() => []);
    if (over.aborted) return;
    const taken = await Promise.allSettled(deeds.map((deed) => to.onMessage(decode(deed), deed)));
    const failed = taken.findIndex(({ status }) => status === 'rejected');
    wire.confirm(failed === -1 ? deeds.length : failed);
    // It tries again after a pause.
    if (failed !== -1) await sleep(AGAIN_MS, over);
  }
}

function createLoopback(server: string, { log, lead }: ChannelHost): Channel {
  const wire = wires.get(server);
  if (!wire) throw new Error(`there is no server ${server}`);
  let callbacks: ChannelCallbacks | undefined;
  let stop: (() => Promise<void>) | undefined;
  const state = createChannelState(CHANNEL, log, () => callbacks?.onStatus());
  const show = () =>
    state.set(wire.isAway() ? { state: 'reconnecting', detail: 'it is away' } : { state: 'connected' });
  return {
    ...{ id: CHANNEL, account: ACCOUNT, limits: LIMITS, isExact: true, status: state.get },
    async connect(given, { sendOnly = false } = {}) {
      callbacks = given;
      show();
      wire.onAway(show);
      if (!sendOnly) stop = lead(`${CHANNEL}:${server}`, (turn) => read(wire, turn, given));
    },
    async disconnect() {
      wire.onAway(() => undefined);
      await stop?.();
      state.set({ state: 'off' });
    },
    send: (message, ledger) =>
      message.edits ? amend(wire, message, message.edits.messageId, ledger) : send(wire, message, ledger),
    download: createDownload({
      ...{ platform: 'Loopback', maxBytes: LIMITS.downloadBytes },
      async begin(transfer) {
        if (wire.isAway()) throw transfer.broken('it is away');
        const bytes = wire.bytes(transfer.file.id);
        if (!bytes) throw transfer.gone();
        return [bytes];
      },
    }),
    openThread: async ({ address, messageId }) => ({ ...address, thread: messageId }),
    directTo: async (user) => (wire.knows(`dm-${user}`) ? addressOf(`dm-${user}`) : undefined),
    async findPlace({ chat, thread }) {
      if (!wire.knows(chat, thread)) return undefined;
      return { address: addressOf(chat, thread), isDirect: isDm(chat), ...(isDm(chat) && { user: chat.slice(3) }) };
    },
  };
}

const { chat, id, section, text } = settingParts;
const schema = section({
  server: text('expected a server of this test'),
  ...chat(id('expected the ID of a person', /^[a-z]+$/), id('expected the ID of a room, or "*"', /^([a-z-]+|\*)$/)),
});

export const loopback = defineChannel({
  ...{ name: CHANNEL, label: 'Loopback', accountPattern: '[a-z]+' },
  examples: { account: 'loopback:alex', conversation: 'loopback:room' },
  words: { group: 'tasks.group', thread: 'tasks.thread' },
  isDirect: (address) => isDm(address.chat),
  commandPrefix: () => '/',
  settings: () => schema,
  open: ({ server }, host) => createLoopback(server, host),
});
