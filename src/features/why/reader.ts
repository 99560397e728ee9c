/** Types of an explanation: its reader, its subject, and its sentences. */
import { type Principal, readIdentity } from '../../access/principal.ts';
import { cutText, plainLine } from '../../lib/text.ts';
import { scrub } from '../../log.ts';
import { type Messages, type Text, words } from '../../messages/messages.ts';
import { escapeMarkdown, plainName, shownPerson } from '../../runtime/conversations/places.ts';
import type { SessionEntry, TaskRecord } from '../../workspace/types.ts';
import type { Gateway } from '../gateway.ts';

export interface WhyReader {
  principal: Principal;
  messages: Messages;
  /** Whether nobody else can read it. */
  isAlone: boolean;
  /** Whether memory may be shown where they read it. */
  tellsMemory: boolean;
  /** Whether the results of tools may be shown. */
  seesResults: boolean;
  /** The most tools and memory entries that are listed one by one. */
  shown: number;
}

export interface WhyLine {
  text: Text;
  /** Whether it belongs to the previous line. */
  isPart?: true;
  /** A page of the Board or the `ref` of a file. */
  to?: string;
}

export interface WhySection {
  title: Text;
  lines: WhyLine[];
}

export interface AnswerRun {
  task: TaskRecord;
  run: string;
  /** The run's own entries, in order. */
  entries: readonly SessionEntry[];
  /** The entries before it. */
  before: readonly SessionEntry[];
  /** Whether the beginning of the run isn't among them. */
  isCut: boolean;
  /** When it began, in ms. */
  since: number;
}

const QUOTED = 200;

/** Quotes people and models on one line, without secrets and without formatting. */
export const quotedLine = (text: string, max = QUOTED): Text =>
  words(escapeMarkdown(cutText(plainLine(scrub(text.slice(0, 4 * max))), max)));

export function momentText(at: string, { messages, principal }: WhyReader, gw: Gateway): Text {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? words('') : messages.when(date, gw.people.zones.of(principal));
}

/** Names a principal that is stored as text. */
export function nameOfPerson(by: string, gw: Gateway): string {
  const [, person] = /^person:(.+)$/.exec(by) ?? [];
  if (person !== undefined) return plainName(shownPerson(person));
  const { principal } = gw.people.resolve({ ...readIdentity(by), account: '', name: by, via: 'message' });
  return plainName(principal.person === undefined ? principal.name : shownPerson(principal.person));
}

/** Formats `1 min 15 s`. */
export function lengthText(ms: number, messages: Messages): Text {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 60
    ? messages.text('tasks.seconds', { seconds })
    : messages.text('tasks.minutes', { minutes: Math.floor(seconds / 60), seconds: seconds % 60 });
}
