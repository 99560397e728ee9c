/**
 * Sends the parts of a message in order, each through the ledger. Invariant: files that a platform refuses don't take
 * the text with them. The ledger records the refusal of such a part, so that the same steps follow after a crash as
 * before it: the text alone, each of several files by itself if only one may be at fault, and one sentence about the
 * files that were not sent.
 */
import type { Attachment, OutboundMessage, PartAttempt, PartLedger } from '../channel.ts';
import { type RefusedFile, WHY_REFUSED, type WhyRefused } from './refused-files.ts';

/** Thrown by `post` when the platform refuses the files of a part and has accepted nothing of it. */
export class FilesRefused extends Error {
  override name = 'FilesRefused';
  readonly why: WhyRefused;
  constructor(why: WhyRefused, cause: unknown) {
    super('files were refused', { cause });
    this.why = why;
  }
}

export interface Step {
  attempt: PartAttempt;
  /** True if no part was sent before it: it is the reply, or replaces the status message. */
  isFirst: boolean;
}

export interface Outgoing<P> {
  /** The list may change while the first part is posted. */
  parts: () => readonly P[];
  /** Posts a part and returns the platform's ID. @throws FilesRefused, or an error for the delivery to decide on. */
  post: (part: P, step: Step) => Promise<string>;
  filesOf: (part: P) => readonly Attachment[];
  /** Returns whether the part holds all the message's buttons; absent if the platform can't edit messages. */
  hasButtons?: (part: P) => boolean;
  /** Returns a part without its files, with the notice at its end if it fits; undefined if nothing is left. */
  wordsOf: (part: P, notice: string) => { part: P; hasNotice: boolean } | undefined;
  /** Returns a part with one file of another part. */
  fileOf: (part: P, file: Attachment) => P;
  /** Returns the sentence about refused files as Markdown, and as parts of its own. */
  notice: (refused: readonly RefusedFile[]) => string;
  noticeParts: (notice: string, isFirst: boolean) => Promise<readonly P[]>;
}

/** The ledger's numbers for what replaces part i. */
const WORDS = 100_000;
const ALONE = 200_000;
const NOTICE = 300_000;
const MARK = 'refused:';
/** Reasons that apply to every file in the place, so the files aren't tried one by one. */
const OF_ALL: ReadonlySet<string> = new Set<WhyRefused>(['rights', 'scope', 'policy']);

/**
 * Sends the parts that the ledger hasn't recorded as sent.
 * @throws what `post` throws, except FilesRefused
 * @example
 * await sendParts(ledger, outgoing);
 */
export async function sendParts<P extends object>(ledger: PartLedger, outgoing: Outgoing<P>): Promise<void> {
  const { parts, filesOf, fileOf } = outgoing;
  let isFirst = true;
  let refused: RefusedFile[] = [];

  /** Sends a part. Returns why its files were refused, or undefined once it is sent. */
  async function deliver(number: number, part: P): Promise<WhyRefused | undefined> {
    const id = await ledger.part(number, async (attempt) => {
      try {
        return await outgoing.post(part, { attempt, isFirst });
      } catch (error) {
        if (!(error instanceof FilesRefused)) throw error;
        return MARK + error.why;
      }
    });
    const why = WHY_REFUSED.find((one) => id === MARK + one);
    if (!why) isFirst = false;
    if (!why && outgoing.hasButtons?.(part)) ledger.hasButtons?.(id);
    return why;
  }

  for (let index = 0; index < parts().length; index++) {
    const part = parts()[index];
    const why = part && (await deliver(index, part));
    if (!part || !why) continue;
    const files = filesOf(part);
    const isEach = files.length > 1 && !OF_ALL.has(why);
    if (!isEach) refused.push(...files.map(({ name }) => ({ name, why })));
    const isEnd = index === parts().length - 1 && !isEach;
    const words = outgoing.wordsOf(part, isEnd ? outgoing.notice(refused) : '');
    if (words) await deliver(WORDS + index, words.part);
    if (words?.hasNotice) refused = [];
    for (const [n, file] of isEach ? files.entries() : []) {
      const fault = await deliver(ALONE + index * 10 + n, fileOf(part, file));
      if (fault) refused.push({ name: file.name, why: fault });
    }
  }
  if (refused.length === 0) return;
  for (const [n, part] of (await outgoing.noticeParts(outgoing.notice(refused), isFirst)).entries())
    await deliver(NOTICE + n, part);
}

/** Returns the new last part of an edited message. Text that would need a part of its own is left out. */
export async function editedPart<P>(
  { text, edits }: OutboundMessage,
  render: (text: string) => Promise<readonly P[]>,
): Promise<P | undefined> {
  const [before, after] = await Promise.all([render(edits?.was ?? ''), render(text)]);
  return (before.length === after.length ? after : before).at(-1);
}
