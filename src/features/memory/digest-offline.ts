/**
 * Creates a digest without a model: the first sentence of each message from a person, and the preferences, decisions
 * and things to remember that they stated. Deterministic and cautious: omits anything unclear, and ignores quotations
 * and files.
 */

import { cutText, plainLine } from '../../lib/text.ts';
import { scrub } from '../../log.ts';
import { visibleText } from '../../runtime/context/turn.ts';
import type { TaskMessage } from '../../runtime/contract/task.ts';
import { decisionsOf } from '../../runtime/reply/render-answer.ts';
import { cleanSummary, type Digest } from './digest.ts';
import { toFacts } from './flush.ts';

const MAX_SENTENCE = 160;
const MAX_LINES = 200;

const PREFERENCE =
  /^(?:please |note(?: that)?:? )?(?:(?:i|we) (?:(?:really |always |usually |never )?(?:prefer|like|love|hate|dislike|want you to)|always|never)\b|my (?:favou?rite|preferred|name)\b|call me\b|always\b|never\b)/i;
const REMEMBER = /^(?:please )?(?:remember|note|keep in mind|don't forget|do not forget)(?: that)?[:,]?\s+(?=\S)/i;
const STATED = /^my (?!favou?rite|preferred|name)[\p{L}' -]{2,40} (?:is|are)\b/iu;

/**
 * @param soFar the summary of the earlier conversation
 * @param room the limit in bytes
 */
export function offlineDigest(messages: readonly TaskMessage[], soFar: string, room: number): Digest {
  const lines: string[] = [];
  const facts = new Set<string>();
  for (const message of messages) {
    if (message.role === 'steps') continue;
    const words = message.role === 'user' ? withoutQuotations(message.text) : message.text;
    const sentences = sentencesOf(words);
    for (const decision of decisionsOf(sentences.join('\n'))) facts.add(`[Important Decisions] ${decision}`);
    if (message.role !== 'user') continue;
    const [first = ''] = sentences;
    if (first !== '' && lines.length < MAX_LINES) lines.push(`- ${cutText(first, MAX_SENTENCE)}`);
    for (const sentence of sentences) {
      const kept = sentence.replace(REMEMBER, '');
      if (kept !== sentence || STATED.test(sentence)) facts.add(`[Project Context] ${kept}`);
      else if (PREFERENCE.test(sentence)) facts.add(`[User Preferences] ${sentence}`);
    }
  }
  const bullets = [...facts].map((fact) => `- ${fact}`).join('\n');
  const all = [...new Set([...soFar.split('\n'), ...lines])].filter(Boolean);
  const summary = cleanSummary(scrub(fitLines(all, room / 2).join('\n')));
  return { facts: toFacts(bullets), summary: summary || 'Nothing of note was said.' };
}

/** Returns the newest lines that fit, and the first one, because it names the subject. */
function fitLines(lines: readonly string[], bytes: number): string[] {
  const [first = '', ...rest] = lines;
  let left = bytes - Buffer.byteLength(first) - 8;
  const kept: string[] = [];
  for (const line of rest.toReversed()) {
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) break;
    kept.unshift(line);
  }
  if (first === '') return kept;
  return kept.length === rest.length ? [...lines] : [first, '- …', ...kept.filter((line) => line !== '- …')];
}

const QUOTED = '</quoted>';

function withoutQuotations(given: string): string {
  const text = visibleText(given);
  // Nothing after the last end tag can be a complete quotation; searching on would take quadratic time.
  const end = text.lastIndexOf(QUOTED) + QUOTED.length;
  const own = text.slice(0, end).replace(/<quoted\b[\s\S]*?<\/quoted>/g, ' ') + text.slice(end);
  return own
    .replace(/^Attached files[^\n]*(?:\n- [^\n]*)*/gm, '')
    .replace(/^\[[^\]\n]*\]$/gm, '')
    .replace(/^\[[^\]\n]{1,64}\]: /gm, '');
}

const sentencesOf = (text: string): string[] =>
  text
    .slice(0, 4_000)
    .split(/(?<=[.!?。！？])\s+|\n+/)
    .map(plainLine)
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
