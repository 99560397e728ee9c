/**
 * Parses the eight plain English requests that the built-in model understands. Pure: text in, requests out. Anything
 * uncertain is `unknown`, never guessed.
 */

// Named after the tool that handles it.
export const KEEP = 'remember';

export type OfflineRequest =
  | { kind: 'plan'; goal: string; steps: string[] }
  /** `steps` are positions from 1, or empty if `title` contains words of a title. */
  | { kind: 'done'; steps: number[]; title: string }
  | { kind: 'write'; name: string; content: string }
  | { kind: typeof KEEP; text: string }
  /** `file` is a name as typed; empty for the newest file. */
  | { kind: 'read'; file: string }
  | { kind: 'recall' | 'list' | 'show-plan' | 'hello' | 'help' }
  /** Work at a set time, for which a model must be connected. */
  | { kind: 'schedule' | 'unknown'; text: string };

type Groups = Partial<Record<'steps' | 'goal' | 'items' | 'content' | 'file', string>>;
type Rule = [pattern: string, request: (groups: Groups) => OfflineRequest | undefined];

const FILE = String.raw`[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,80}\.[A-Za-z][A-Za-z0-9]{0,7}`;
const SOME_FILE = `(?:it|this|(?:the|my|this) (?:attached |last )?file|(?:the |my )?(?:file )?(?<file>${FILE}))`;
const STEPS = String.raw`(?:the )?(?:steps? )?#?(?<steps>[^:\n]{1,80}?)(?: steps?)?`;
const NEW_FILE = `(?:write|create|make|save) (?:me )?(?:(?:a|the) )?(?:new )?(?:text )?(?:file )?(?:called |named )?(?<file>${FILE})`;
const MAX_STEPS = 50;
const MAX_TITLE = 200;

/** The first rule that matches a whole request wins. A space in a pattern matches several. */
const RULES: readonly Rule[] = [
  [
    `(?:(?:make|create|write) )?(?:me )?(?:(?:a|the|my) )?plan(?: (?:for|to) (?<goal>[^:\n]{1,200}))? ?: ?(?<items>.+)`,
    toPlan,
  ],
  [`(?:(?:show|what is|what's) )?(?:me )?(?:(?:the|my|our) )?plan`, () => ({ kind: 'show-plan' })],
  [`(?:done|tick off|tick|mark) ${STEPS}(?: (?:as )?(?:done|finished))?`, toDone],
  [`${STEPS} (?:is|are) (?:done|finished)`, toDone],
  [`${NEW_FILE} ?(?::|,? ?(?:saying|containing|with(?: the)?(?: (?:text|content))?) ?:?) ?(?<content>.+)`, toWrite],
  [`remember(?: that| ?:|,)? (?<content>.+)`, ({ content = '' }) => ({ kind: KEEP, text: unquote(content) })],
  [`what (?:do|can) you (?:know|remember)(?: .{1,60})?`, () => ({ kind: 'recall' })],
  [`(?:list|show|what are|which) (?:me )?(?:all )?(?:(?:the|my|your) )?files(?: .{1,60})?`, () => ({ kind: 'list' })],
  [`(?:read|show|open) (?:me )?${SOME_FILE}`, ({ file = '' }) => ({ kind: 'read', file })],
  [
    `(?:hi|hello|hey|hallo|¡?hola|good (?:morning|day|evening|afternoon))(?:,? [a-z]{1,20})?`,
    () => ({ kind: 'hello' }),
  ],
  [`(?:help|what can you do|who are you|what are you)(?: .{1,30})?`, () => ({ kind: 'help' })],
];

// The boundary between two requests in a message: only before words that certainly begin one.
const BEGIN = `(?:please )?(?:${[
  'make (?:me )?a plan',
  'plan: ',
  `(?:write|create|save|make) (?:me )?(?:a |the )?(?:new )?(?:file |${FILE})`,
  'remember ',
  'tick ',
  'done \\d',
  'step \\d+ is ',
  '(?:show|list) (?:me )?(?:the |my |all )?(?:plan|files)',
  `read (?:it|this|(?:the |my )?(?:file )?${FILE})`,
  'what do you (?:know|remember)',
].join('|')})`;
const BORDER = `(?:[.,;!?]? (?:and then|and|then) |[.!?,] )(?=${BEGIN})|\n(?=${BEGIN})`;
const COURTESY = '(?:(?:please|okay|ok|now|then|also|and|could you|can you|would you|i want you to),? ){1,4}';
/** Matches the beginning of a request for work at a set time. */
const TIME =
  '^(?:remind (?:me|us)|schedule|(?:every|each) (?:\\d|other|morning|evening|night|hour|minute|day|week|month|year|mon|tues?|wednes|thurs?|fri|satur|sun)|(?:daily|hourly|weekly|monthly|on weekdays|weekdays|(?:tomorrow|today) )\\b)|\\b(?:every|each) (?:day|morning|evening|hour|weekday|week|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\\b';
const ENDING = /,? (?:please|thanks|thank you)$/i;
const QUOTED = /```[\s\S]*?```|"[^"]*"|“[^”]*”/g;
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
const MAX_REQUESTS = 10;
const MAX_TEXT = 50_000;

const BLANKS = '[ \\t\\r\\n]{1,9}';
/** Bounded, so that long runs of spaces cost no more than short ones. */
const regExp = (source: string, flags: string): RegExp =>
  new RegExp(source.replaceAll(' ', BLANKS).replaceAll(`${BLANKS}?`, '[ \\t\\r\\n]{0,9}'), flags);

interface RequestRules {
  rules: [RegExp, Rule[1]][];
  border: RegExp;
  courtesy: RegExp;
  time: RegExp;
}
let compiled: RequestRules | undefined;

function compile(): RequestRules {
  compiled ??= {
    rules: RULES.map(([pattern, request]) => [regExp(`^(?:${pattern})$`, 'isu'), request]),
    border: regExp(BORDER, 'iu'),
    courtesy: regExp(`^${COURTESY}`, 'i'),
    time: regExp(TIME, 'iu'),
  };
  return compiled;
}

/** Returns the requests of a message in order, at most ten. */
export function parseRequests(text: string): OfflineRequest[] {
  // Quoted words are content, so they aren't searched for boundaries.
  const quotes: string[] = [];
  const masked = text
    .slice(0, MAX_TEXT)
    .replaceAll('\0', '')
    .replace(QUOTED, (quote) => `\0${quotes.push(quote) - 1}\0`);
  const restore = (part: string): string => part.replace(/\0(\d+)\0/g, (_whole, index) => quotes[Number(index)] ?? '');
  const parts = masked.split(compile().border).map((part) => restore(part).trim());
  return parts
    .filter((part) => part !== '')
    .slice(0, MAX_REQUESTS)
    .map(parseOne);
}

function parseOne(text: string): OfflineRequest {
  const { rules, courtesy } = compile();
  const bare = text.replace(courtesy, '');
  for (const candidate of [bare, withoutEnding(bare)]) {
    for (const [pattern, request] of rules) {
      const match = pattern.exec(candidate);
      const found = match && request(match.groups ?? {});
      if (found) return found;
    }
  }
  return { kind: compile().time.test(bare) ? 'schedule' : 'unknown', text };
}

function toWrite({ file = '', content = '' }: Groups): OfflineRequest {
  return { kind: 'write', name: file, content: unquote(content) };
}

function toPlan({ goal = '', items = '' }: Groups): OfflineRequest | undefined {
  // People separate a list by lines or semicolons, otherwise by commas.
  const steps = items
    .split(/[;\n]/.test(items) ? /[;\n]/ : /,/)
    .map((item) => item.replace(/^\s*(?:[-*+]|\d{1,3}[.)])?\s*(?:\[[ xX]\])?\s*/, '').replace(/[\s.]+$/, ''))
    .filter((step) => step !== '')
    .map((step) => step.slice(0, MAX_TITLE))
    .slice(0, MAX_STEPS);
  return steps.length > 0 ? { kind: 'plan', goal: withoutEnding(goal).trim(), steps } : undefined;
}

function toDone({ steps: said = '' }: Groups): OfflineRequest {
  const words = said.toLowerCase().match(/[a-z]+|\d{1,3}/g) ?? [];
  const steps = words
    .map((word) => (/^\d/.test(word) ? Number(word) : ORDINALS.indexOf(word) + 1))
    .filter((step) => step > 0);
  const isList = words.every((word) => /^\d/.test(word) || [...ORDINALS, 'and', 'step', 'steps'].includes(word));
  return steps.length > 0 && isList
    ? { kind: 'done', steps, title: '' }
    : { kind: 'done', steps: [], title: unquote(said) };
}

/** Removes punctuation at the end, and polite words before it. */
function withoutEnding(text: string): string {
  let end = text.length;
  while (end > 0 && /[.!?\s]/.test(text.charAt(end - 1))) end--;
  const kept = text.slice(0, end);
  // The length of the longest ending.
  const tail = kept.slice(-12);
  return kept.slice(0, kept.length - tail.length) + tail.replace(ENDING, '');
}

/** Removes quotation marks or a code fence around the whole text. */
function unquote(text: string): string {
  const [, body] = /^(?:"([^"]*)"|“([^”]*)”)[.!]?$/.exec(text.trim())?.filter((part) => part !== undefined) ?? [];
  const [, fenced] = /^```[^\n]*\n([\s\S]*?)\n?```$/.exec(text.trim()) ?? [];
  return body ?? fenced ?? text.trim();
}
