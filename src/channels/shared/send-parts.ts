/**
 * Sends the parts of a message in order, each through the ledger. Invariant: files that a platform refuses take no words with
 * them. The refusal is what the ledger keeps of such a part, so that after a crash the same follows as before it: the words
 * alone, each of several files by itself where only one need be at fault, and one sentence about those that did not go.
 */
import type { Attachment, OutboundMessage, PartAttempt, PartLedger } from '../channel.ts';
import { type RefusedFile, WHY_REFUSED, type WhyRefused } from './refused-files.ts';

/** Thrown by `post`: the platform refuses the files of a part and has taken nothing of it. */
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
  /** Nothing of the message was sent before it: it answers, or takes the place of the status message. */
  isFirst: boolean;
}

export interface Outgoing<P> {
  /** May change while the first part is posted. */
  parts: () => readonly P[];
  /** Gives the platform's id. Throws FilesRefused, or what delivery decides by. */
  post: (part: P, step: Step) => Promise<string>;
  filesOf: (part: P) => readonly Attachment[];
  /** All the message's buttons are in this part; absent where messages cannot be edited. */
  hasButtons?: (part: P) => boolean;
  /** What is left of a part without its files, with these words at its end where they fit; undefined when nothing is. */
  wordsOf: (part: P, notice: string) => { part: P; hasNotice: boolean } | undefined;
  /** A file of a part, by itself. */
  fileOf: (part: P, file: Attachment) => P;
  /** The sentence about files that were refused, as Markdown, and as parts of their own. */
  notice: (refused: readonly RefusedFile[]) => string;
  noticeParts: (notice: string, isFirst: boolean) => Promise<readonly P[]>;
}

/** The ledger's numbers for what takes the place of part i. */
const WORDS = 100_000;
const ALONE = 200_000;
const NOTICE = 300_000;
const MARK = 'refused:';
/** Of every file in the place: none needs to be tried by itself. */
const OF_ALL: ReadonlySet<string> = new Set<WhyRefused>(['rights', 'scope', 'policy']);

export async function sendParts<P extends object>(ledger: PartLedger, outgoing: Outgoing<P>): Promise<void> {
  const { parts, filesOf, fileOf } = outgoing;
  let isFirst = true;
  let refused: RefusedFile[] = [];

  /** Why the files of the part were refused; undefined when it was sent. */
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

/** What the last part of a message of ours becomes. Words that would make a part of their own are left out rather than sent. */
export async function editedPart<P>(
  { text, edits }: Pick<OutboundMessage, 'text' | 'edits'>,
  render: (text: string) => Promise<readonly P[]>,
): Promise<P | undefined> {
  const [before, after] = await Promise.all([render(edits?.was ?? ''), render(text)]);
  return (before.length === after.length ? after : before).at(-1);
}
