/**
 * The handful of plain requests in English and German that the offline model understands. Pure: text in, requests out. What it is not
 * sure of is `unknown`; nothing is guessed.
 */

import { readZone } from '../../lib/timezone.ts';
import { germanPatterns } from './german.ts';
import {
  PLAN_WORDS,
  type PlanGroups,
  type PlanRequest,
  toAdd,
  toMark,
  toMove,
  toPlan,
  unquote,
  withoutEnding,
} from './plan-words.ts';

export type Change = 'upper' | 'lower' | 'sort' | 'number';

export type OfflineRequest =
  | PlanRequest
  | { kind: 'write'; name: string; content: string }
  | { kind: 'remember'; text: string }
  /** `file` is a name as said, '' for the newest file. */
  | { kind: 'send' | 'read'; file: string }
  | { kind: 'change'; file: string; change: Change }
  | { kind: 'add'; file: string; line: string }
  | { kind: 'recall' | 'list' | 'show-plan' | 'schedule' | 'hello' | 'help' }
  /** One tool does it, and its result is the answer. */
  | { kind: 'call'; tool: string; input: { [name: string]: string } }
  | { kind: 'unknown'; text: string };

const FILE = String.raw`[\p{L}\p{N}_][\p{L}\p{N}_.-]{0,80}\.[A-Za-z][A-Za-z0-9]{0,7}`;
const SOME_FILE = `(?:it|this|that|(?:the|my|this|that) (?:attached |last )?(?:file|text|document)|(?:the |my )?(?:file |document )?(?<file>${FILE}))`;
const STEPS = String.raw`(?:the )?(?:steps? )?#?(?<steps>[^:\n]{1,80}?)(?: steps?)?`;

const WEEKDAY = '(?:mon|tues|wednes|thurs|fri|satur|sun)days?';
const DAY = `(?:${WEEKDAY}(?:, and|,| and) ){0,6}${WEEKDAY}`;
const OFTEN = `(?:(?:every|each) (?:(?:[0-9]{1,4}|other|two|three|few) )?(?:minute|hour|day|week|weekday|work(?:ing )?day|month|year|morning|noon|afternoon|evening|night|${DAY})s?|daily|hourly|weekly|monthly)`;

type Groups = PlanGroups & Partial<Record<'file' | 'change', string>>;
type Rule = [pattern: string, request: (groups: Groups) => OfflineRequest | undefined];

/** The first rule that fits the whole of a request wins; one blank in a pattern stands for a few. */
const RULES: readonly Rule[] = [
  [
    `(?:(?:make|create|set|write|use) )?(?:me )?(?:(?:a|the|this|my|our) )?(?:new )?plan(?: (?:for|to) (?<goal>[^:\n]{1,200}))? ?: ?(?<items>.+)`,
    toPlan,
  ],
  [
    `(?:make|create|write|draw up|prepare|give me) (?:me )?(?:a|the) (?:[a-z]+ )?plan (?:for|to|of|about|how to) (?<goal>.+)`,
    toPlan,
  ],
  [`(?:help me )?plan (?<goal>(?:a|an|the|my|our|how) .+)`, toPlan],
  [
    `(?:(?:show|tell|read|send|what is|what's) )?(?:me )?(?:(?:the|my|our|your) )?(?:current )?plan`,
    () => ({ kind: 'show-plan' }),
  ],
  [`what(?:'s| is) (?:left|next|still to do)(?: to do)?`, () => ({ kind: 'show-plan' })],
  [
    `(?:tick off|tick|check off|mark|finish|complete|done with|done|i finished|i did) ${STEPS}(?: (?:is|as|are))?(?: (?:done|finished))?`,
    (g) => toMark(g, 'done'),
  ],
  [`${STEPS} (?:is|are) (?:done|finished|complete|ready)`, (g) => toMark(g, 'done')],
  [`(?:start|begin)(?: with)? ${STEPS}`, (g) => toMark(g, 'in_progress')],
  [`(?:untick|reopen) ${STEPS}`, (g) => toMark(g, 'pending')],
  [`skip ${STEPS}`, (g) => toMark(g, 'skipped')],
  [
    `(?:drop|remove|delete|take out) (?:the )?steps? #?(?<steps>[^:\n]{1,80}?)(?: from (?:the|my|our) plan)?`,
    (g) => toMark(g, 'dropped'),
  ],
  ...[...PLAN_WORDS.addOne, ...PLAN_WORDS.addSome].map((pattern): Rule => [pattern, toAdd]),
  ...PLAN_WORDS.move.map((pattern): Rule => [pattern, toMove]),
  [
    `(?:write|create|make|save) (?:me )?(?:(?:a|the) )?(?:new )?(?:(?:text|markdown) )?(?:file )?(?:called |named )?(?<file>${FILE}) ?(?::|,? ?(?:saying|containing|that says|which says|with(?: the)?(?: (?:text|content|words))?) ?:?) ?(?<content>.+)`,
    toWrite,
  ],
  [`(?:write|create|make|save) (?:me )?(?:a|the) (?:new )?(?:text )?(?:file|note) ?: ?(?<content>.+)`, toWrite],
  [
    `add (?:(?:a|the) line ?:? ?)?(?<content>.{1,500}) to ${SOME_FILE}`,
    ({ content = '', file = '' }) => ({ kind: 'add', line: unquote(content), file }),
  ],
  [
    `(?:remember|note|keep in mind|don't forget)(?: that| ?:|,)? (?<content>.+)`,
    ({ content = '' }) => ({ kind: 'remember', text: unquote(content) }),
  ],
  [
    `what (?:do|did|can) you (?:know|remember|recall)(?: .{1,60})?|show (?:me )?(?:your |the |my )?memory`,
    () => ({ kind: 'recall' }),
  ],
  [
    `(?:(?:list|show|what are|which|what) )(?:me )?(?:all )?(?:(?:the|my|your|our) )?(?:files|artifacts)(?: .{1,60})?`,
    () => ({ kind: 'list' }),
  ],
  [
    `(?:make|turn|change|convert|put|rewrite) ${SOME_FILE} (?:all )?(?:(?:to|into|in) )?(?<change>upper|lower)(?: |-)?case`,
    toChange,
  ],
  [`(?<change>sort|number) (?:(?:all )?(?:the )?lines (?:of|in) )?${SOME_FILE}`, toChange],
  [
    `(?:send|attach|give|get) (?:me )?${SOME_FILE}(?: (?:again|back|once more))*`,
    ({ file = '' }) => ({ kind: 'send', file }),
  ],
  [
    `(?:read|show|open|print|what is in|what's in) (?:me )?${SOME_FILE}(?: (?:to me|aloud))?`,
    ({ file = '' }) => ({ kind: 'read', file }),
  ],
  [
    `(?:forget|stop remembering)(?: that| about| the fact that)? (?!it$|that$|about it$)(?<content>.+)`,
    ({ content = '' }) => called('forget', { words: unquote(content) }),
  ],
  [
    `(?:(?:list|show|what are|which are)(?: me)? (?:all )?(?:(?:my|the|our) )?tasks|what (?:am i|are we) working on)`,
    () => called('list_tasks'),
  ],
  [
    `(?:let's )?(?:start|begin|open|make)? ?(?:a )?(?:new task|another task|something (?:new|else))`,
    () => called('new_task'),
  ],
  [
    `(?:go )?(?:back to|go on with|continue with|return to|switch to) (?:the )?(?:task )?(?<content>.{2,80})`,
    ({ content = '' }) => called('open_task', { task: unquote(content) }),
  ],
  [
    `(?:my time ?zone is(?: now)?|i(?:'m| am)(?: now)? in|i live in|i moved to|set my (?:time ?zone|clock) to) (?<content>.{2,60})`,
    toZone,
  ],
  [
    `what (?:did (?:we|i|you) do|have (?:we|you) done|was done|happened) (?<content>yesterday|today)`,
    ({ content = '' }) => called('what_was_done', { day: content.toLowerCase() }),
  ],
  [
    `(?:cancel|delete|remove) (?:the |my )?(?:reminder|job)(?: (?:to|for|about|called))? (?<content>.{1,80})`,
    ({ content = '' }) => called('delete_scheduled_job', { name: unquote(content) }),
  ],
  [`remind me(?: .+)?`, () => ({ kind: 'schedule' })],
  [
    `(?:schedule|(?:make|create|set up|set|add)(?: me)? (?:a|an|the|my) (?:new )?(?:[a-z]+ )?(?:job|reminder|alarm|cron ?job))(?: .+)?`,
    () => ({ kind: 'schedule' }),
  ],
  [`${OFTEN},? .+|.+ ${OFTEN}(?:,? (?:at|on|in|from|until) .{1,80})?`, () => ({ kind: 'schedule' })],
  [`(?:hi|hello|hey|hallo|good (?:morning|day|evening|afternoon))(?:,? [a-z]{1,20})?`, () => ({ kind: 'hello' })],
  [`(?:help|what can you do|who are you|what are you)(?: .{1,30})?`, () => ({ kind: 'help' })],
];

const GERMAN = germanPatterns({ file: FILE });
const MEANS: Readonly<Record<keyof typeof GERMAN, Rule[1]>> = {
  plan: toPlan,
  showPlan: () => ({ kind: 'show-plan' }),
  done: (g) => toMark(g, 'done'),
  skipped: (g) => toMark(g, 'skipped'),
  dropped: (g) => toMark(g, 'dropped'),
  add: toAdd,
  move: toMove,
  write: toWrite,
  remember: ({ content = '' }) => ({ kind: 'remember', text: unquote(content) }),
  recall: () => ({ kind: 'recall' }),
  list: () => ({ kind: 'list' }),
  send: ({ file = '' }) => ({ kind: 'send', file }),
  read: ({ file = '' }) => ({ kind: 'read', file }),
  forget: ({ content = '' }) => called('forget', { words: unquote(content) }),
  tasks: () => called('list_tasks'),
  newTask: () => called('new_task'),
  timezone: toZone,
  yesterday: () => called('what_was_done', { day: 'yesterday' }),
  today: () => called('what_was_done', { day: 'today' }),
  cancel: ({ content = '' }) => called('delete_scheduled_job', { name: unquote(content) }),
  schedule: () => ({ kind: 'schedule' }),
  hello: () => ({ kind: 'hello' }),
  help: () => ({ kind: 'help' }),
};

const GERMAN_RULES = Object.entries(MEANS).flatMap(([kind, request]): Rule[] =>
  Object.entries(GERMAN).flatMap(([name, patterns]) =>
    name === kind ? patterns.map((pattern): Rule => [pattern, request]) : [],
  ),
);

function toZone({ content = '' }: Groups): OfflineRequest | undefined {
  return readZone(content) === undefined ? undefined : called('set_timezone', { timezone: content });
}

function called(tool: string, input: { [name: string]: string } = {}): OfflineRequest {
  return { kind: 'call', tool, input };
}

// Where one request of a message ends and the next begins: only before words that surely begin one.
const ANY_FILE = SOME_FILE.replace('?<file>', '?:');
const BEGIN = `(?:please )?(?:${[
  'make (?:me )?a plan ',
  'plan: ',
  `(?:write|create|save|make) (?:me )?(?:a |the )?(?:new )?(?:file |note ?:|${FILE})`,
  'remember ',
  '(?:un)?tick ',
  'done \\d',
  'mark (?:step )?\\d',
  'step \\d+ is ',
  '(?:add|append) (?:a |another )?(?:new )?step ?:',
  '(?:move|put) step \\d',
  '(?:show|list) (?:me )?(?:the |my |all )?(?:plan|files)',
  `send (?:me )?${ANY_FILE}`,
  `read ${ANY_FILE}`,
  `(?:make|turn|change|convert) ${ANY_FILE} `,
  'what do you (?:know|remember)',
].join('|')})`;
const BORDER = `(?:[.,;!?]? (?:and then|and|then) |[.!?,] )(?=${BEGIN})|\n(?=${BEGIN})`;
const COURTESY =
  '(?:(?:please|okay|ok|now|then|also|and|could you|can you|would you|i want you to|bitte|jetzt|dann|auch|und),? ){1,4}';
const QUOTED = /```[\s\S]*?```|"[^"]*"|“[^”]*”/g;
const MAX_REQUESTS = 10;
const MAX_TEXT = 50_000;

const BLANKS = '[ \\t\\r\\n]{1,9}';
/** Bounded, so that long runs of blanks cost no more than others. */
const regExp = (source: string, flags: string): RegExp =>
  new RegExp(source.replaceAll(' ', BLANKS).replaceAll(`${BLANKS}?`, '[ \\t\\r\\n]{0,9}'), flags);

interface Compiled {
  rules: [RegExp, Rule[1]][];
  border: RegExp;
  courtesy: RegExp;
}
let compiled: Compiled | undefined;

function compile(): Compiled {
  compiled ??= {
    rules: [...RULES, ...GERMAN_RULES].map(([pattern, request]) => [regExp(`^(?:${pattern})$`, 'isu'), request]),
    border: regExp(BORDER, 'iu'),
    courtesy: regExp(`^${COURTESY}`, 'i'),
  };
  return compiled;
}

/** The requests of a message in its order, at most ten. */
export function parseRequests(text: string): OfflineRequest[] {
  // Words in quotes are content: no border is looked for in them.
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
  return { kind: 'unknown', text };
}

function toWrite({ file = 'note.md', content = '' }: Groups): OfflineRequest {
  return { kind: 'write', name: file, content: unquote(content) };
}

const CHANGES: readonly Change[] = ['upper', 'lower', 'sort', 'number'];

function toChange({ file = '', change = '' }: Groups): OfflineRequest | undefined {
  const known = CHANGES.find((name) => name === change.toLowerCase());
  return known && { kind: 'change', file, change: known };
}
