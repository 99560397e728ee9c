/**
 * Sends answers. Invariants: an event is sent under the ledger's key, so that a homeserver takes it once; nothing is
 * retried here; a file that is refused doesn't take the words with it.
 */
import { openAsBlob } from 'node:fs';
import {
  type Address,
  type Attachment,
  type Button,
  createLru,
  DeliveryError,
  editedPart,
  errorCode,
  FilesRefused,
  isFields,
  type Logger,
  list,
  messagesFor,
  type OutboundMessage,
  type PartAttempt,
  type PartLedger,
  type SendStep,
  sendParts,
  string,
} from 'openviber-gateway/plugin';
import { CLIENT, contentOf, type MatrixApi, MatrixError } from './api.ts';
import { numberSign } from './decode.ts';

import { fileAlone, KEY, type MatrixPart, noticeOf, render, renderWords, withButtons } from './render.ts';

const RETRY_MS = 1_000;
const TOKEN_MS = 60_000;
/** Homeservers forget keys in time, some after half an hour; an older attempt is looked for in the room. */
const FORGOTTEN_MS = 15 * 60_000;
const UPLOAD_MS = 60_000;
/** Bytes per millisecond of the slowest line that an upload waits for. */
const SLOWEST = 100;
const MAX_UPLOADS = 200;

export interface SenderOptions {
  api: MatrixApi;
  self: () => string;
  uploadBytes: () => number;
  log: Logger;
}

export interface Sender {
  send(message: OutboundMessage, ledger: PartLedger): Promise<void>;
  /** Sends content to a place once for each key, and returns the event's ID. @throws MatrixError */
  put(address: Address, content: object, key: string, type?: string): Promise<string>;
}

export function createSender({ api, self, uploadBytes, log }: SenderOptions): Sender {
  /** The files of parts that were refused for a moment needn't be uploaded again. */
  const uploaded = createLru<string>(MAX_UPLOADS);

  async function put({ chat }: Address, content: object, key: string, type = 'm.room.message'): Promise<string> {
    const answer = await api.call('PUT', [...CLIENT, 'rooms', chat, 'send', type, key], { json: content });
    const id = string(answer, 'event_id');
    if (id === undefined) throw new MatrixError('the homeserver names no event', { status: 502 });
    return id;
  }

  /** Returns the event that an earlier attempt has left in the room. */
  async function find({ chat }: Address, { key }: PartAttempt): Promise<string | undefined> {
    const filter = JSON.stringify({ senders: [self()], types: ['m.room.message'] });
    const query = { dir: 'b', limit: 100, filter };
    const answer = await api.call('GET', [...CLIENT, 'rooms', chat, 'messages'], { query });
    const sent = list(answer, 'chunk').find((event) => contentOf(event)[KEY] === key);
    return sent && string(sent, 'event_id');
  }

  async function upload(file: Attachment, key: string): Promise<string> {
    const known = uploaded.get(key);
    if (known !== undefined) return known;
    const type = file.mimeType;
    const body = await open(file);
    const timeoutMs = UPLOAD_MS + Math.ceil(file.size / SLOWEST);
    const query = { filename: file.name };
    try {
      const answer = await api.call('POST', ['_matrix', 'media', 'v3', 'upload'], { body, type, query, timeoutMs });
      const uri = string(answer, 'content_uri');
      if (uri === undefined) throw new MatrixError('the homeserver names no file', { status: 502 });
      uploaded.set(key, uri);
      return uri;
    } catch (error) {
      if (!(error instanceof MatrixError)) throw error;
      if (error.status === 413) throw new FilesRefused('size', error);
      if (error.status === 403) throw new FilesRefused('policy', error);
      if (error.status === 400 || error.status === 415) throw new FilesRefused('file', error);
      throw error;
    }
  }

  async function contentFor(part: MatrixPart, key: string): Promise<Record<string, unknown>> {
    const [file] = part.files;
    if (!file) return { ...part.content };
    const url = await upload(file, key);
    const voice = file.isVoice ? { 'org.matrix.msc3245.voice': {} } : {};
    return { ...part.content, ...voice, url, info: { mimetype: file.mimeType, size: file.size } };
  }

  /** Posts one part and returns its event's ID. @throws FilesRefused or DeliveryError */
  async function post(part: MatrixPart, message: OutboundMessage, { attempt, isFirst }: SendStep): Promise<string> {
    const { address, placeholder } = message;
    try {
      if (attempt.uncertainSince !== undefined && Date.now() - attempt.uncertainSince > FORGOTTEN_MS) {
        const sent = await find(address, attempt);
        if (sent !== undefined) return sent;
      }
      const content = { ...(await contentFor(part, attempt.key)), [KEY]: attempt.key };
      if (isFirst && placeholder !== undefined && part.files.length === 0) {
        await put(address, replacing(placeholder, content), attempt.key);
        return placeholder;
      }
      return await putInPlace(content, message, { attempt, isFirst });
    } catch (error) {
      if (!(error instanceof MatrixError)) throw error;
      if (part.files.length > 0 && error.errcode === 'M_FORBIDDEN') throw new FilesRefused('rights', error);
      throw toDeliveryError(error);
    }
  }

  async function putInPlace(content: object, message: OutboundMessage, step: SendStep): Promise<string> {
    const { address, replyTo } = message;
    const { key } = step.attempt;
    const reply = step.isFirst ? replyTo : undefined;
    const relation = relationOf(address, reply);
    try {
      return await put(address, relation ? { ...content, 'm.relates_to': relation } : content, key);
    } catch (error) {
      // No thread can begin below this event: the answer stands in the room.
      if (!relation || !(error instanceof MatrixError) || error.status !== 400) throw error;
      log.debug({ err: error }, 'a message was refused in its thread, and is sent without one');
      return put(address, content, `${key}:alone`);
    }
  }

  /** Numbers to press. Best effort: they can be typed as well. */
  async function offerNumbers(address: Address, under: string, buttons: readonly Button[]): Promise<void> {
    for (const index of buttons.keys()) {
      const relation = { rel_type: 'm.annotation', event_id: under, key: numberSign(index) };
      try {
        await put(address, { 'm.relates_to': relation }, `${under}:${index}`, 'm.reaction');
      } catch (error) {
        log.debug({ err: error }, 'the numbers could not be shown under a message');
        return;
      }
    }
  }

  /** Edits a message. Best effort: one that is gone stays unchanged. */
  async function amend(message: OutboundMessage, messageId: string, ledger: PartLedger): Promise<void> {
    const words = await editedPart(message, renderWords);
    if (!words) return;
    const content = withButtons(words, (message.buttons ?? []).flat());
    await ledger.part(0, async ({ key }) => {
      try {
        await put(message.address, replacing(messageId, content), key);
      } catch (error) {
        if (!(error instanceof MatrixError)) throw error;
        if (error.isPassing) throw toDeliveryError(error);
        log.debug({ err: error }, 'a message could not be edited any more');
      }
      return messageId;
    });
  }

  return {
    put,
    async send(message, ledger) {
      if (message.edits) return amend(message, message.edits.messageId, ledger);
      const parts = await render(message, uploadBytes());
      const messages = messagesFor(message);
      const shown: { id: string; part: MatrixPart }[] = [];
      await sendParts<MatrixPart>(ledger, {
        parts: () => parts,
        async post(part, step) {
          const id = await post(part, message, step);
          if (part.buttons.length > 0) shown.push({ id, part });
          return id;
        },
        filesOf: ({ files }) => files,
        hasButtons: ({ buttons }) => buttons.length > 0,
        // A part has words or a file, never both.
        wordsOf: () => undefined,
        fileOf: (_part, file) => fileAlone(file),
        notice: (refused) => noticeOf(refused, messages),
        noticeParts: async (text) =>
          (await renderWords(text)).map((content): MatrixPart => ({ content, buttons: [], files: [] })),
      });
      for (const { id, part } of shown) void offerNumbers(message.address, id, part.buttons);
    },
  };
}

/** @throws FilesRefused if the file is no longer there */
async function open({ path, mimeType }: Attachment): Promise<Blob> {
  try {
    return await openAsBlob(path, { type: mimeType });
  } catch (error) {
    // That is what Node says of a file that can't be opened.
    if (errorCode(error) === 'ERR_INVALID_ARG_VALUE') throw new FilesRefused('gone', error);
    throw error;
  }
}

/** https://spec.matrix.org/latest/client-server-api/#event-replacements */
export const replacing = (event: string, content: Readonly<Record<string, unknown>>): object => ({
  ...{ msgtype: content.msgtype, body: `* ${content.body}`, 'm.mentions': {} },
  'm.new_content': content,
  'm.relates_to': { rel_type: 'm.replace', event_id: event },
});

/** https://spec.matrix.org/latest/client-server-api/#threading */
export function relationOf({ thread }: Address, replyTo?: string): object | undefined {
  const reply = replyTo === undefined ? undefined : { 'm.in_reply_to': { event_id: replyTo } };
  if (thread === undefined) return reply;
  const behind = reply ?? { 'm.in_reply_to': { event_id: thread } };
  return { rel_type: 'm.thread', event_id: thread, is_falling_back: true, ...behind };
}

export function toDeliveryError(error: MatrixError): DeliveryError {
  const { message, status, cause } = error;
  if (status === 429)
    return new DeliveryError(message, { retryAfterMs: error.retryAfterMs ?? RETRY_MS, rateLimited: true, cause });
  // The answer waits until somebody has set a new token.
  if (error.isTokenWrong) return new DeliveryError(message, { retryAfterMs: TOKEN_MS, cause });
  if (error.isPassing) return new DeliveryError(message, { retryAfterMs: RETRY_MS, ambiguous: true, cause });
  return new DeliveryError(message, { cause });
}

/** Returns the buttons that an event of ours has now: those of its newest edit, if there is one. */
export function buttonsOf(event: Readonly<Record<string, unknown>>, field: string): { id: string; label: string }[] {
  const unsigned = isFields(event.unsigned) ? event.unsigned : {};
  const relations = isFields(unsigned['m.relations']) ? unsigned['m.relations'] : {};
  const edit = isFields(relations['m.replace']) ? relations['m.replace'] : undefined;
  const edited = edit && contentOf(edit)['m.new_content'];
  const content = isFields(edited) ? edited : contentOf(event);
  return list(content, field).flatMap((button) => {
    const id = string(button, 'id');
    return id === undefined ? [] : [{ id, label: string(button, 'label') ?? '' }];
  });
}
