/**
 * Selects the memory that goes into a request. `head` and `tail` keep whole lines from one end. `smart` keeps whole
 * sections, the most relevant first (words shared with the query, rare words counting more), then the newest; if a
 * section doesn't fit, it keeps single lines by the same rule. Selected parts keep their order.
 */
import { createLru } from '../../lib/lru.ts';
import { markdownLines } from '../../lib/markdown-lines.ts';
import { cutText, stripComments } from '../../lib/text.ts';
import { countTokens, fitsTokens, MOST_CHARS } from '../../lib/tokens.ts';

export type TruncationStrategy = 'head' | 'tail' | 'smart';

export interface MemorySelection {
  /** The text of MEMORY.md. */
  memory?: string | undefined;
  /** Newest first. */
  logs: readonly { date: string; text: string }[];
  maxTokens: number;
  maxDailyLogs: number;
  strategy: TruncationStrategy;
  query?: string | undefined;
}

interface Section {
  /** The heading's line, '' for none. */
  head: string;
  /** Lines that belong together: a bullet with its indented lines. */
  units: string[];
}

const GAP = '…';
/** Only both ends of a file larger than any notes are used, so that a request doesn't block the loop. */
const MAX_CHARS = 512 * 1024;
/** Cache size of selections: files seldom change from one message to the next. */
const KEPT_CHARS = 4 * 1024 * 1024;
const selected = createLru<{ texts: readonly string[]; result: string }>(KEPT_CHARS, ({ texts, result }) =>
  texts.reduce((sum, text) => sum + text.length, result.length + 1000),
);

/**
 * Returns the memory block of a prompt: MEMORY.md, then the newest logs, without comments and empty sections; '' when
 * there is nothing.
 */
export function selectMemory(selection: MemorySelection): string {
  const { memory = '', logs, maxTokens, maxDailyLogs, strategy, query } = selection;
  const told = logs.slice(0, Math.max(0, maxDailyLogs));
  const texts = [memory, ...told.flatMap(({ date, text }) => [date, text])];
  const key = JSON.stringify([strategy, maxTokens, query]);
  const known = selected.get(key);
  if (known?.texts.length === texts.length && known.texts.every((text, index) => text === texts[index]))
    return known.result;
  const sections = toSections(bothEnds(memory));
  for (const { date, text } of told) {
    for (const { head, units } of toSections(bothEnds(text)))
      sections.push({ head: `## ${date} ${head.replace(/^#+\s*/, '')}`.trim(), units });
  }
  const result = limit(sections, maxTokens, strategy, query);
  selected.set(key, { texts, result });
  return result;
}

function bothEnds(text: string): string {
  if (text.length <= MAX_CHARS) return text;
  const lineAt = (at: number) => text.indexOf('\n', at) + 1 || at;
  const [first, last] = [lineAt(MAX_CHARS / 2 - 1000), lineAt(text.length - MAX_CHARS / 2)];
  return `${text.slice(0, Math.min(first, MAX_CHARS / 2))}\n${text.slice(last)}`.toWellFormed();
}

/** Cuts the Markdown to a budget of tokens; unchanged if it fits. */
export function truncateTokens(text: string, maxTokens: number, strategy: TruncationStrategy): string {
  return fitsTokens(text, maxTokens) ? text : limit(toSections(text), maxTokens, strategy);
}

function limit(sections: readonly Section[], budget: number, strategy: TruncationStrategy, query = ''): string {
  const whole = sections.map(sectionText).join('\n\n');
  if (budget <= 0 || whole === '') return '';
  if (fitsTokens(whole, budget)) return whole;
  // Estimates of parts don't add up to the estimate of the whole, so the next try gets that much less.
  for (let share = budget, excess = 1; share > 0; share -= excess) {
    const kept = strategy === 'smart' ? pickSmart(sections, share, query) : pickEnd(whole.split('\n'), share, strategy);
    if (kept === '') break;
    excess = countTokens(kept) - budget;
    if (excess <= 0) return kept;
  }
  return cutToFit(whole, budget);
}

/**
 * Returns the sections with content. A single level 1 heading at the top is skipped as the title; fenced code is one
 * unit.
 */
function toSections(markdown: string): Section[] {
  const sections: Section[] = [{ head: '', units: [] }];
  const lines = markdownLines(stripComments(markdown));
  const isTitled = lines.find(({ text }) => text.trim() !== '')?.level === 1;
  const hasTitle = isTitled && lines.filter(({ level }) => level === 1).length === 1;
  let wasHidden = false;
  for (const { text, level, isHidden } of lines) {
    const last = sections.at(-1);
    if (level === 1 || level === 2) sections.push({ head: level === 1 && hasTitle ? '' : text.trim(), units: [] });
    else if (!isHidden && text.trim() === '') continue;
    else if ((isHidden ? wasHidden : /^\s/.test(text)) && last && last.units.length > 0)
      last.units.push(`${last.units.pop()}\n${text.trimEnd()}`);
    else last?.units.push(text.trimEnd());
    wasHidden = isHidden;
  }
  return sections.filter((section) => section.units.length > 0);
}

function sectionText({ head, units }: Section): string {
  return [...(head === '' ? [] : [head]), ...units].join('\n');
}

function pickEnd(lines: readonly string[], budget: number, end: 'head' | 'tail'): string {
  const kept: string[] = [];
  let left = budget - 1;
  for (const line of end === 'head' ? lines : lines.toReversed()) {
    const cost = line.length > left * MOST_CHARS ? left + 1 : countTokens(`${line}\n`);
    if (cost > left) break;
    left -= cost;
    kept.push(line);
  }
  if (kept.every((line) => line.trim() === '' || line.startsWith('#'))) return '';
  return end === 'head' ? [...kept, GAP].join('\n') : [GAP, ...kept.reverse()].join('\n');
}

const MISSES = 100;
const CANDIDATES = 2000;

function pickSmart(sections: readonly Section[], budget: number, query: string): string {
  const score = scorer(query, sections.map(sectionText));
  const ranked = sections
    .map((section, order) => ({ section, order, score: score(sectionText(section)), kept: new Set<number>() }))
    .sort((a, b) => b.score - a.score || a.order - b.order);
  let left = budget;

  /** Adds single units, the best first, up to `share` tokens. */
  function addUnits(entry: (typeof ranked)[number], share: number, isRelevantOnly: boolean): void {
    const { head, units } = entry.section;
    const start = left;
    // The first unit also counts the heading and the mark of the gap.
    const frame = entry.kept.size === 0 ? countTokens(head) + 2 : 0;
    const candidates = units
      .map((text, index) => ({ text, index, score: entry.score > 0 ? score(text) : 0 }))
      .filter((unit) => !entry.kept.has(unit.index) && (!isRelevantOnly || unit.score > 0))
      .sort((a, b) => b.score - a.score || b.index - a.index);
    let misses = 0;
    for (const { text, index } of candidates.slice(0, CANDIDATES)) {
      const room = Math.min(left, share - (start - left)) - (entry.kept.size === 0 ? frame : 0);
      if (misses > MISSES || room < 3) break;
      const cost = text.length > room * MOST_CHARS ? room + 1 : countTokens(`${text}\n`);
      if (cost > room) misses++;
      else {
        left -= cost + (entry.kept.size === 0 ? frame : 0);
        entry.kept.add(index);
      }
    }
  }

  for (const entry of ranked) {
    const text = `${sectionText(entry.section)}\n\n`;
    if (fitsTokens(text, left)) {
      left -= countTokens(text);
      for (const index of entry.section.units.keys()) entry.kept.add(index);
    } else if (entry.score > 0) addUnits(entry, Math.ceil(left / 2), true);
  }
  for (const entry of ranked) if (entry.kept.size < entry.section.units.length) addUnits(entry, left, false);

  return ranked
    .filter(({ kept }) => kept.size > 0)
    .sort((a, b) => a.order - b.order)
    .map(({ section: { head, units }, kept }) => {
      const lines = units.filter((_, index) => kept.has(index));
      return sectionText({ head, units: kept.size < units.length ? [...lines, GAP] : lines });
    })
    .join('\n\n');
}

function scorer(query: string, texts: readonly string[]): (text: string) => number {
  const lower = texts.map((text) => text.toLowerCase());
  const weights = queryWords(query).map((word) => {
    const count = lower.filter((text) => text.includes(word)).length;
    return { word, weight: count === 0 ? 0 : 1 / count };
  });
  const known = weights.filter(({ weight }) => weight > 0);
  return (text) => {
    const haystack = text.toLowerCase();
    return known.reduce((sum, { word, weight }) => (haystack.includes(word) ? sum + weight : sum), 0);
  };
}

/** Returns at most 40 words of the query; scripts without spaces give pairs of characters. */
function queryWords(query: string): string[] {
  const words = new Set<string>();
  for (const [word] of query
    .slice(0, 2000)
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}]+/gu)) {
    if (/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u.test(word)) {
      for (let i = 0; i + 1 < word.length; i++) words.add(word.slice(i, i + 2));
    } else if (word.length > 2) words.add(word);
  }
  return [...words].slice(0, 40);
}

/** Used only when every line is larger than the budget. */
function cutToFit(text: string, budget: number): string {
  let size = Math.min(text.length, budget * 6);
  while (size > 1 && !fitsTokens(cutText(text, size), budget)) size = Math.floor(size * 0.8);
  return size > 1 ? cutText(text, size) : '';
}
