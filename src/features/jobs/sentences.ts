/** Words questions about scheduled jobs: what will be done, when, and in which time zone. */
import type { Messages, Text } from '../../messages/messages.ts';
import { words } from '../../messages/messages.ts';
import { scheduleText, zoneText } from '../../messages/schedules.ts';
import type { Phrasing, Sentence } from '../../runtime/contract/sentence.ts';

/** The times of a job, as the service has interpreted them. */
export interface Timing {
  /** `every weekday at 09:00 (Europe/Berlin)` */
  words: string;
  timezone: string;
  /** The next times, ISO 8601. If there is only one, the job runs once. */
  next: readonly string[];
  /** The reference time, ISO 8601. */
  now: string;
}

const REMIND =
  /^(?:please )?(?:remind|tell|ping|nudge)(?: (?:me|them|us|him|her|the (?:user|person)|[\p{Lu}][\p{L}'’-]{0,30})){0,2}(?: (?:to|that|about|of)\b|:)\s*(\S[\s\S]*)$/iu;
const REMINDER = /^(?:a )?(?:friendly )?reminder(?: (?:to|that|about|of)\b|:)\s*(\S[\s\S]*)$/i;

/** Returns the subject of a reminder if the prompt is nothing else. */
const remindedOf = (prompt: string): string | undefined =>
  (REMIND.exec(prompt.trim()) ?? REMINDER.exec(prompt.trim()))?.[1]?.replace(/[.!]+$/, '');

/** Returns `tomorrow (Mon) at 09:00` for a single time, and the schedule otherwise. */
export function whenText({ words: phrase, timezone, next, now }: Timing, messages: Messages): string {
  const [only, other] = next;
  if (only !== undefined && other === undefined) return messages.when(new Date(only), timezone, new Date(now));
  return scheduleText(phrase.replace(/ \([^()]*\)$/, ''), messages);
}

export function askForJob(
  { prompt, deliver }: { prompt: string; deliver?: readonly string[] },
  timing: Timing,
  { messages, plain, code }: Phrasing,
): Sentence {
  const isOnce = timing.next.length === 1;
  const reminded = remindedOf(prompt);
  const given = {
    when: whenText(timing, messages),
    zone: zoneText(timing.timezone, messages),
    text: plain(reminded ?? prompt.trim().replace(/[.!]+$/, '')),
  };
  const text = reminded
    ? messages.text(isOnce ? 'consent.remindOnce' : 'consent.remindOften', given)
    : messages.text(isOnce ? 'consent.jobOnce' : 'consent.jobOften', given);
  const places = deliver?.length
    ? messages.text('consent.jobTo', { places: deliver.map((to) => code(to, 100)).join(', ') })
    : '';
  return { text: appendWords(text, places), asksWhen: true };
}

const appendWords = (text: Text, more: string): Text => (more === '' ? text : words(`${text} ${more}`));
