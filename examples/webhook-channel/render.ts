/**
 * Renders answers as parts for the other program: plain text within the limit, buttons under the last part, each file
 * by itself. Pure.
 */
import {
  type Attachment,
  type Button,
  type ChannelLimits,
  type Edit,
  edit,
  type Messages,
  messagesFor,
  type OutboundMessage,
  parseMarkdown,
  type RefusedFile,
  refusalNotice,
  splitRich,
} from 'openviber-gateway/plugin';

export interface WebhookPart {
  text: string;
  buttons: readonly (readonly Button[])[];
  files: readonly Attachment[];
}

export const alone = (part: Partial<WebhookPart>): WebhookPart => ({ text: '', buttons: [], files: [], ...part });

/** The same message always gives the same parts, because the ledger counts them. */
export async function render(message: OutboundMessage, limits: ChannelLimits): Promise<WebhookPart[]> {
  const rich = await parseMarkdown(message.text);
  // Plain text has no links, so the address of a link is written after its words.
  const targets = rich.spans.flatMap((span): Edit[] =>
    span.kind === 'link' && rich.text.slice(span.start, span.end) !== span.url
      ? [{ at: span.end, remove: 0, insert: ` (${span.url})` }]
      : [],
  );
  const told = edit(rich, targets);
  const tooLarge = message.files.filter(({ size }) => size > limits.uploadBytes);
  const files = message.files.filter(({ size }) => size <= limits.uploadBytes);
  const texts = splitRich(told, limits.text).map(({ text }) => text);
  if (tooLarge.length > 0)
    texts.push(
      noticeOf(
        tooLarge.map(({ name }) => ({ name, why: 'size' })),
        messagesFor(message),
      ),
    );
  const buttons = message.buttons ?? [];
  if (texts.length === 0 && buttons.length > 0) texts.push('…');
  return [
    ...texts.map((text, n) => alone({ text, buttons: n === texts.length - 1 ? buttons : [] })),
    ...files.map((file) => alone({ files: [file] })),
  ];
}

/** A part has text or a file, never both, so that refused files don't take text with them. */
export const wordsOf = (): undefined => undefined;

export function noticeOf(refused: readonly RefusedFile[], messages: Messages): string {
  return refusalNotice(refused, { platform: 'the other program', get: '/get', reasons: {} }, (text) => text, messages);
}
