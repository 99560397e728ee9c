/**
 * The marks that open models write around calls and thoughts when these are part of their text, and text without them.
 * Pure; linear in the length of the reply.
 */
/** Matches a mark with which calls begin, outside code. */
export const OPENING =
  /<[\w:-]*(?:tool_?calls?|function_?calls?)>|<｜DSML｜(?:function|tool)_calls>|<\|tool_call(?:\||>)|<\|(?:python_tag|python_start|tool_calls?(?:_section)?_(?:begin|start)|tool_calls?|START_ACTION|action_start|tools_prefix)\|>|<｜tool▁calls?▁begin｜>|\[(?:TOOL_CALLS|TOOL_REQUEST)\]|functools(?=\[\{)|<(?:function|(?:[a-z]+:)?invoke name)=(?=["\w])/i;
const QUOTED = /^[ \t]*>.*$|`[^`\n]+`/gm;

/** Replaces code and quotations by blanks, so that the length stays the same. */
export function withoutCode(text: string): string {
  const blank = (code: string) => ' '.repeat(code.length);
  let marks = '';
  const lines = text.split(/(?<=\n)/).map((line) => {
    const [, fence = '', info = ''] =
      /^[ \t>]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,}|~{3,})([^\n]*)/.exec(line) ?? [];
    if (marks !== '') {
      if (fence.startsWith(marks) && info.trim() === '') marks = '';
      return blank(line);
    }
    if (fence === '' || (fence.startsWith('`') && info.includes('`'))) return line;
    marks = fence;
    return blank(line);
  });
  return lines.join('').replace(QUOTED, blank);
}

const CHANNEL = /<\|channel\|>\s*(analysis|commentary|final)\b/;
// The format of gpt-oss: the recipient may come before or after the channel.
const MESSAGE =
  /(?:<\|start\|>assistant)?(?:\s{0,4}to=([\w.-]{1,128}))?\s{0,4}<\|channel\|>\s*(\w+)(?:\s+to=([\w.-]{1,128}))?\s*(?:<\|constrain\|>)?\s*(?:json|code)?\s*<\|message\|>/g;
const MESSAGE_END = /<\|(?:end|call|return|start|channel)\|>/g;
const THINK = '(?:think(?:ing)?|thought|seed:think)';
/**
 * Marks around reasoning within a text: those of most models, then Mistral, Kimi and Gemma; Seed's `seed:think` is part
 * of the first.
 */
export const THOUGHT_BEGINS = `<${THINK}>|\\[THINK\\]|◁think▷|<\\|channel>thought\\b`;
export const THOUGHT_ENDS = `</${THINK}>|\\[/THINK\\]|◁/think▷|<channel\\|>`;
const THOUGHT = new RegExp(`^\\s*(?:${THOUGHT_BEGINS})([\\s\\S]*?)(?:${THOUGHT_ENDS})`);
const THOUGHT_BEGUN = new RegExp(`^\\s*(?:${THOUGHT_BEGINS})`);
const THOUGHT_ENDED = new RegExp(THOUGHT_ENDS);
const THOUGHT_BEFORE = /<\/think>|\[\/THINK\]|◁\/think▷/g;
export const HAS_MARKS = /[<[◁]/;

/**
 * Splits a reply into text and reasoning, if a server returns both as one text. Calls in the format of gpt-oss are
 * converted to another format, so that one parser is enough.
 */
export function spoken(given: string): { text: string; reasoning: string } {
  if (!HAS_MARKS.test(given)) return { text: given, reasoning: '' };
  if (CHANNEL.test(withoutCode(given))) return ofChannels(given);
  const [all, thought] = THOUGHT.exec(given) ?? [];
  if (all !== undefined) return { text: given.slice(all.length).trimStart(), reasoning: (thought ?? '').trim() };
  // If the template opened the reasoning, the answer contains only its end.
  const isEnded = given.search(THOUGHT_BEFORE) >= 0 && !/<think|\[THINK\]|◁think/.test(given);
  const ends = isEnded ? [...withoutCode(given).matchAll(THOUGHT_BEFORE)] : [];
  const [end] = ends;
  if (!end || ends.length > 1) return { text: given, reasoning: '' };
  return { text: given.slice(end.index + end[0].length).trimStart(), reasoning: given.slice(0, end.index).trim() };
}

/** Whether a reply consists only of reasoning, complete or not. */
export const isThoughtAlone = (given: string): boolean =>
  HAS_MARKS.test(given) &&
  ((THOUGHT_BEGUN.test(given) && !THOUGHT_ENDED.test(given)) || spoken(given).text.trim() === '');

function ofChannels(given: string): { text: string; reasoning: string } {
  const said: string[] = [];
  const thought: string[] = [];
  const calls: string[] = [];
  let from = 0;
  for (const found of given.matchAll(MESSAGE)) {
    if (found.index < from) continue;
    if (from === 0) said.push(given.slice(0, found.index));
    const [head, before, channel, behind] = found;
    const start = found.index + head.length;
    MESSAGE_END.lastIndex = start;
    const end = MESSAGE_END.exec(given)?.index ?? given.length;
    const body = given.slice(start, end).trim();
    const to = before ?? behind;
    from = end;
    if (to !== undefined) calls.push(`<tool_call>${to}${body === '' ? '{}' : body}</tool_call>`);
    else (channel === 'analysis' ? thought : said).push(body);
  }
  if (from === 0) return { text: given, reasoning: '' };
  const text = [...said.map((one) => one.trim()).filter(Boolean), ...calls].join('\n\n');
  return { text, reasoning: thought.join('\n\n') };
}
