/** Answers as the contents of events: words within Matrix's limit, buttons as numbers under the last, each file by itself. Pure. */
import {
  type Attachment,
  type Button,
  type Messages,
  messagesFor,
  type OutboundMessage,
  parseMarkdown,
  type RefusedFile,
  type Rich,
  refusalNotice,
  splitRich,
} from 'openviber-gateway/plugin';
import { MAX_NUMBERS, numberSign } from './decode.ts';
import { escapeHtml, forMatrix, htmlOf, plainOf } from './html.ts';

/**
 * Bytes of a message's words. A whole event may have 65,536
 * (https://spec.matrix.org/latest/client-server-api/#size-limits), with its HTML and the homeserver's own fields.
 */
export const MAX_TEXT = 16_000;
const MAX_CONTENT = 56_000;
/** The fields of an event that hold what its buttons are, and under which key it was sent. */
export const BUTTONS = 'org.openviber.buttons';
export const KEY = 'org.openviber.key';

export interface MatrixPart {
  /** The event's content, without its file and its place. */
  content: Readonly<Record<string, unknown>>;
  buttons: readonly Button[];
  files: readonly Attachment[];
}

export const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;
const isAll = (rich: Rich): boolean => Buffer.byteLength(JSON.stringify(wordsOf(rich))) <= MAX_CONTENT;

/** Returns the content for words. Nobody is notified by name, whatever the words are. */
function wordsOf(rich: Rich): Record<string, unknown> {
  const html = htmlOf(rich);
  const formatted = html === undefined ? {} : { format: 'org.matrix.custom.html', formatted_body: html };
  return { msgtype: 'm.text', body: plainOf(rich), ...formatted, 'm.mentions': {} };
}

/** Cuts a part again whose HTML is too much for one event. */
function fitting(rich: Rich, limit: number): Rich[] {
  if (isAll(rich) || limit < 500) return [rich];
  const half = Math.floor(limit / 2);
  return splitRich(rich, half, { measure: bytesOf }).flatMap((part) => fitting(part, half));
}

/** Returns the words of a Markdown text as contents of events. */
export async function renderWords(markdown: string): Promise<Record<string, unknown>[]> {
  const rich = forMatrix(await parseMarkdown(markdown));
  if (rich.text.trim() === '') return [];
  return splitRich(rich, MAX_TEXT, { measure: bytesOf })
    .flatMap((part) => fitting(part, MAX_TEXT))
    .map(wordsOf);
}

/** Returns one content for a text that is shown as it is. */
export const plainContent = (body: string): Record<string, unknown> => ({ msgtype: 'm.text', body, 'm.mentions': {} });

/** Adds the buttons: a line for each that people read, and their IDs for when one is pressed. */
export function withButtons(content: Record<string, unknown>, buttons: readonly Button[]): Record<string, unknown> {
  if (buttons.length === 0) return content;
  const lines = buttons.map(({ label }, index) => `${numberSign(index)} ${label}`);
  const html = typeof content.formatted_body === 'string' ? content.formatted_body : undefined;
  return {
    ...content,
    body: `${content.body}\n\n${lines.join('\n')}`,
    ...(html !== undefined && { formatted_body: `${html}<br><br>${lines.map(escapeHtml).join('<br>')}` }),
    [BUTTONS]: buttons.map(({ id, label }) => ({ id, label })),
  };
}

/** The same message always gives the same parts: the ledger counts them. */
export async function render(message: OutboundMessage, uploadBytes: number): Promise<MatrixPart[]> {
  const tooLarge = message.files.filter(({ size }) => size > uploadBytes);
  const files = message.files.filter(({ size }) => size <= uploadBytes);
  const messages = messagesFor(message);
  const refused = tooLarge.map(({ name }): RefusedFile => ({ name, why: 'size' }));
  const contents = await renderWords(message.text);
  if (refused.length > 0) contents.push(...(await renderWords(noticeOf(refused, messages))));
  const buttons = (message.buttons ?? []).flat().slice(0, MAX_NUMBERS);
  if (contents.length === 0 && buttons.length > 0) contents.push(plainContent(messages.text('channels.choose')));
  const last = contents.length - 1;
  return [
    ...contents.map((content, n) =>
      n === last ? { content: withButtons(content, buttons), buttons, files: [] } : { content, buttons: [], files: [] },
    ),
    ...files.map(fileAlone),
  ];
}

export const fileAlone = (file: Attachment): MatrixPart => ({
  content: { msgtype: msgtypeOf(file), body: file.name, filename: file.name, 'm.mentions': {} },
  ...{ buttons: [], files: [file] },
});

function msgtypeOf({ mimeType }: Attachment): string {
  const kind = /^(image|audio|video)\//.exec(mimeType)?.[1];
  // Apps draw an SVG as nothing, and show it as a file.
  return kind && mimeType !== 'image/svg+xml' ? `m.${kind}` : 'm.file';
}

export function noticeOf(refused: readonly RefusedFile[], messages: Messages): string {
  const words = { platform: 'Matrix', get: `${messages.prefix}get`, reasons: {} };
  return refusalNotice(refused, words, (text) => `\`${text.replaceAll('`', "'")}\``, messages);
}
