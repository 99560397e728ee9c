/** What of an answer is worth keeping, by its own words: no model is asked, and what is not plain is left out. */
import { toBullets } from '../../workspace/memory/sections.ts';
import { decisionsOf } from '../reply/summary.ts';

/** An answer, or what is known of it. */
export interface Told {
  /** Markdown. */
  text: string;
}

const MAX_LEARNINGS = 3;
const MAX_LENGTH = 300;
const MIN_WORDS = 4;
const SOURCE = 20_000;
/** What is told of a line stands at its beginning. */
const LONG_LINE = /^([^\n]{1000})[^\n]+/gm;
const ANNOUNCED =
  /^(?:lessons? learn(?:ed|t)|learning|learned pattern|pattern|for (?:future reference|next time|the future)|note (?:for|to) (?:next time|the future|self)|(?:i|we) (?:have |'ve )?(?:learn(?:ed|t)|found out) that|from now on)\s*[:,]?\s+(?=\S)/i;
const HEADING =
  /^(?:lessons?(?: learn(?:ed|t))?|learn(?:ed|t)(?: patterns?)?|learnings|for (?:next time|the future))$/i;

/** Most answers say nothing of the kind: their lines need no closer look. */
const MAY_DECIDE = /decisi|decided|agreed|chose|settled|going with/i;
const MAY_LEARN = /learn|lesson|pattern|future|next time|found out|from now on|note to self/i;

/** The decisions an answer states, at most five: bullets under such a heading, and lines that announce one. */
export const extractDecisions = (text: string): string[] =>
  MAY_DECIDE.test(text) ? decisionsOf(text.slice(0, SOURCE).replace(LONG_LINE, '$1')) : [];

/** What an answer states that holds beyond its task, as bullets for "Learned Patterns"; '' when it states nothing of the kind. */
export function extractLearning({ text }: Told): string {
  if (!MAY_LEARN.test(text)) return '';
  const found = new Set<string>();
  let isUnderHeading = false;
  let fence = '';
  for (const line of text.slice(0, SOURCE).split('\n')) {
    const mark = /^\s*(```|~~~)/.exec(line)?.[1] ?? '';
    if (mark !== '') fence = fence === '' ? mark : mark === fence ? '' : fence;
    // What is quoted is not what the answer says.
    if (fence !== '' || mark !== '' || /^\s*>/.test(line)) continue;
    const bullet = /^\s*(?:[-*+]|\d{1,3}[.)])\s+(.*)/.exec(line)?.[1];
    const words = (bullet ?? line)
      .replace(/^#{1,6}\s+/, '')
      .replace(/[*_`]+/g, '')
      .trim();
    if (bullet === undefined && words !== '') isUnderHeading = HEADING.test(words.replace(/:$/, ''));
    const said = ANNOUNCED.test(words) ? words.replace(ANNOUNCED, '') : isUnderHeading && bullet ? words : '';
    const [clean = ''] = toBullets(said);
    if (clean.length <= MAX_LENGTH && clean.split(/\s+/).length >= MIN_WORDS) found.add(clean);
    if (found.size >= MAX_LEARNINGS) break;
  }
  return [...found].map((each) => `- ${each.charAt(0).toUpperCase()}${each.slice(1)}`).join('\n');
}
