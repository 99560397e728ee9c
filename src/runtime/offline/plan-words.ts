/** What people say of a plan and its steps, in English and German, out of the groups of a pattern. Pure; what is not sure is undefined. */
import type { StepStatus } from '../../workspace/types.ts';

/** Where a step goes; `n` is the place itself, or the step beside it, or nothing. */
export interface Place {
  at: 'first' | 'last' | 'up' | 'down' | 'place' | 'before' | 'after';
  n: number;
}

export type PlanRequest =
  | { kind: 'plan'; goal: string; steps: string[] }
  /** `steps` are positions from 1, or the words of a title. */
  | { kind: 'mark'; steps: number[]; title: string; status: StepStatus | 'dropped' }
  | { kind: 'add-steps'; titles: string[]; to: Place }
  | { kind: 'move-step'; step: number; to: Place };

export type PlanGroups = Partial<Record<'steps' | 'goal' | 'items' | 'content' | 'place', string>>;

const COURTESY = /,? (?:please|thanks|thank you|bitte|danke)$/i;
const MAX_STEPS = 50;
const MAX_TITLE = 200;

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];
/** Without their endings: `erste`, `ersten`, `erster`. */
const STEMS = ['erst', 'zweit', 'dritt', 'viert', 'fünft', 'sechst', 'siebt', 'acht', 'neunt', 'zehnt'];
const NUMBER = `(?:#?[0-9]{1,3}|${ORDINALS.join('|')}|(?:${STEMS.join('|')})e[nrs]?)`;

const TO_PLAN = '(?: to (?:the|my|our|this) plan)?';
const ADD = '(?:add|append|insert)';
const ONE_STEP = '(?:(?:a|an|another|one more|this) )?(?:new |further |extra )?step';
const BESIDE = `(?<place> (?:before|after|above|below|behind|at|to) (?:the )?(?:(?:very )?(?:top|start|beginning|front|end|bottom)|(?:step )?${NUMBER}(?: step)?))?`;

/** Patterns of `requests.ts` that add steps and move them. */
export const PLAN_WORDS = {
  addOne: [
    `${ADD} ${ONE_STEP}${TO_PLAN}${BESIDE} ?: ?(?<content>.+)`,
    `${ADD} ${ONE_STEP} (?:to|that says|called) (?!(?:the|my|our|this) plan|the (?:top|start|beginning|front|end|bottom))(?<content>.+)`,
    `${ADD} (?:the step )?(?<content>[^:\n]{1,300}?) to (?:the|my|our|this) plan`,
    '(?:new|next|one more|another) step ?: ?(?<content>.+)',
  ],
  addSome: [
    `${ADD} (?:these |the following |some )?(?:new |more )?steps${TO_PLAN} ?: ?(?<items>.+)`,
    `${ADD} to (?:the|my|our|this) plan ?: ?(?<items>.+)`,
  ],
  move: [`(?:move|put|bring|shift) (?:the )?(?:step )?(?:number )?(?<steps>${NUMBER})(?: step)? (?<place>.{2,50})`],
  addOneGerman: [
    `(?:füg|häng|setz)(?:e)? (?:bitte )?(?:noch )?einen(?: neuen| weiteren)? schritt(?: hinzu| an| ein)?(?<place> (?:vor|nach|hinter|an|am) [^:\n]{2,30}?)?(?: hinzu| an| ein)? ?: ?(?<content>.+)`,
    '(?:(?:ein )?(?:neuer|weiterer|nächster)|noch ein) schritt ?: ?(?<content>.+)',
    '(?:nimm|setz|schreib)(?:e)? (?<content>[^:\n]{1,300}?) (?:mit )?(?:in|auf) (?:den|meinen|unseren) plan(?: auf)?',
  ],
  addSomeGerman: [
    '(?:ergänz|erweiter)(?:e)? (?:den|meinen|unseren) plan um ?:? ?(?<items>.+)',
    '(?:füg|häng)(?:e)? (?:bitte )?(?:diese |neue |weitere )?schritte (?:hinzu|an) ?: ?(?<items>.+)',
  ],
  moveGerman: [
    `(?:verschieb|schieb|setz|stell|zieh|leg|rück)(?:e)? (?:bitte )?(?:den )?(?:schritt )?(?:nummer )?(?<steps>${NUMBER})(?: schritt)? (?<place>.{2,50})`,
    `schritt (?<steps>${NUMBER}) (?<place>.{2,50})`,
  ],
} as const;

type Found = [pattern: RegExp, place: (n: number) => Place];
const beside = (at: 'place' | 'before' | 'after') => (n: number) => ({ at, n });
const to = (at: 'first' | 'last' | 'up' | 'down') => (): Place => ({ at, n: 0 });
const STEP_THERE = `(?:the |den |dem |das )?(?:step |schritt )?(?:number |nummer )?(?<n>${NUMBER})(?: step| schritt)?`;
const PLACES: readonly Found[] = (
  [
    [
      '(?:to |at |on )?(?:the )?(?:very )?(?:top|beginning|start|front)(?: of (?:the|my|our) (?:plan|list))?|(?:to )?first|(?:ganz )?(?:am|an den|zum) anfang|(?:nach )?ganz (?:nach )?(?:oben|vorne?)|nach vorne?|an die erste stelle',
      to('first'),
    ],
    [
      '(?:to |at |on )?(?:the )?(?:very )?(?:bottom|end)(?: of (?:the|my|our) (?:plan|list))?|(?:to )?last|(?:ganz )?(?:am|ans|an das|zum) (?:ende|schluss)|(?:nach )?ganz (?:nach )?(?:unten|hinten)|nach hinten|an die letzte stelle',
      to('last'),
    ],
    [
      '(?:one |a )?(?:step |place )?up(?: (?:one|by one|a place))?|(?:(?:eins|einen|eine stelle) )?(?:weiter )?nach oben|hoch',
      to('up'),
    ],
    [
      '(?:one |a )?(?:step |place )?down(?: (?:one|by one|a place))?|(?:(?:eins|einen|eine stelle) )?(?:weiter )?nach unten|runter',
      to('down'),
    ],
    [`(?:before|above|ahead of|in front of|vor|über) ${STEP_THERE}`, beside('before')],
    [`(?:after|below|behind|under|nach|hinter|unter) ${STEP_THERE}`, beside('after')],
    [
      `(?:to|at|as|an|auf|zu)(?: the| die| den)?(?: place| position| number| stelle| platz| nummer)? (?<n>${NUMBER})(?: place| position| stelle| platz)?`,
      beside('place'),
    ],
  ] satisfies [string, Found[1]][]
).map(([pattern, place]) => [new RegExp(`^(?:${pattern})$`, 'iu'), place]);

/** From 1; undefined for what is no number. */
function numberOf(said: string): number | undefined {
  const word = said.toLowerCase().replace('#', '');
  if (/^\d+$/.test(word)) return Number(word);
  const german = STEMS.indexOf(word.replace(/e[nrs]?$/, ''));
  const at = Math.max(ORDINALS.indexOf(word), german);
  return at === -1 ? undefined : at + 1;
}

function placeOf(said: string): Place | undefined {
  const text = withoutEnding(said).replace(/\s+/g, ' ').trim();
  for (const [pattern, place] of PLACES) {
    const match = pattern.exec(text);
    const n = match && numberOf(match.groups?.n ?? '1');
    if (n !== undefined && n !== null) return place(n);
  }
  return undefined;
}

export function toMove({ steps = '', place = '' }: PlanGroups): PlanRequest | undefined {
  const step = numberOf(steps);
  const where = placeOf(place);
  return step === undefined || !where ? undefined : { kind: 'move-step', step, to: where };
}

export function toAdd({ content, items, place }: PlanGroups): PlanRequest | undefined {
  const titles = content === undefined ? listed(items ?? '') : [titleOf(content)];
  const where = place === undefined ? { at: 'last' as const, n: 0 } : placeOf(place);
  const filled = titles.filter((title) => title !== '');
  return filled.length === 0 || !where ? undefined : { kind: 'add-steps', titles: filled, to: where };
}

const titleOf = (said: string): string => unquote(withoutEnding(said)).slice(0, MAX_TITLE).trim();

/** A list as people write one: lines, or between semicolons, or else between commas. */
function listed(items: string): string[] {
  const separator = items.includes(';') || items.includes('\n') ? /[;\n]/ : /,/;
  return items
    .split(separator)
    .map((item) => item.replace(/^\s*(?:[-*+]|\d{1,3}[.)])?\s*(?:\[[ xX]\])?\s*/, '').replace(/[\s.]+$/, ''))
    .filter((step) => step !== '')
    .map((step) => step.slice(0, MAX_TITLE))
    .slice(0, MAX_STEPS);
}

export function toPlan({ goal = '', items = '' }: PlanGroups): PlanRequest | undefined {
  const cleanGoal = withoutEnding(goal).trim();
  const filled = listed(items);
  if (filled.length > 0) return { kind: 'plan', goal: cleanGoal, steps: filled };
  return cleanGoal === '' ? undefined : { kind: 'plan', goal: cleanGoal.slice(0, MAX_TITLE), steps: [] };
}

export function toMark({ steps: said = '' }: PlanGroups, status: StepStatus | 'dropped'): PlanRequest | undefined {
  const words = said.toLowerCase().match(/[a-z]+|\d{1,3}/g) ?? [];
  const steps = words
    .map((word) => (/^\d/.test(word) ? Number(word) : ORDINALS.indexOf(word) + 1))
    .filter((step) => step > 0);
  const isList = words.every(
    (word) => /^\d/.test(word) || ORDINALS.includes(word) || ['and', 'off', 'step', 'steps', 'und'].includes(word),
  );
  if (steps.length > 0 && isList) return { kind: 'mark', steps, title: '', status };
  return status === 'done' || status === 'skipped'
    ? { kind: 'mark', steps: [], title: unquote(said), status }
    : undefined;
}

/** Without the marks at its end and a courtesy before them. */
export function withoutEnding(text: string): string {
  let end = text.length;
  while (end > 0 && /[.!?\s]/.test(text.charAt(end - 1))) end--;
  const kept = text.slice(0, end);
  // No further back than the longest of them.
  const tail = kept.slice(-12);
  return kept.slice(0, kept.length - tail.length) + tail.replace(COURTESY, '');
}

/** Without the quote marks or the code fence around the whole. */
export function unquote(text: string): string {
  const [, body] = /^(?:"([^"]*)"|“([^”]*)”)[.!]?$/.exec(text.trim())?.filter((part) => part !== undefined) ?? [];
  const [, fenced] = /^```[^\n]*\n([\s\S]*?)\n?```$/.exec(text.trim()) ?? [];
  return body ?? fenced ?? text.trim();
}
