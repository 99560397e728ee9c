/** Plans as Markdown and back: what people and models write, and nothing lost on the way. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatPlan, parsePlan, planProgress, stepAtWork } from '../../src/workspace/tasks/index.ts';
import type { Plan, StepStatus } from '../../src/workspace/types.ts';
import { ownTime } from '../helpers/own-time.ts';

const SEED = `# Current Task

## Goal
Build a landing page with contact form

## Plan
- [x] Set up Next.js project
- [x] Create hero section
- [ ] Add contact form (in progress)
- [ ] Deploy to Vercel

## Context
- Using Tailwind CSS for styling
- Form should validate email before submit
- User wants dark theme only

## Blockers
None currently
`;

const plan = (goal: string, ...steps: (readonly [StepStatus, string])[]): Plan => ({
  goal,
  steps: steps.map(([status, title], index) => ({ id: String(index + 1), title, status })),
});
const SEED_PLAN = plan(
  'Build a landing page with contact form',
  ['done', 'Set up Next.js project'],
  ['done', 'Create hero section'],
  ['in_progress', 'Add contact form'],
  ['pending', 'Deploy to Vercel'],
);

describe('code in a plan', () => {
  const sh = '```sh\n# install deps\n\n- [ ] no step\nnpm i\n```';
  const text = `## Goal\nShip it\n\n## Plan\n- [ ] Install\n${sh}\n- [ ] Deploy\n`;
  const SHIP = plan('Ship it', ['pending', 'Install'], ['pending', 'Deploy']);

  it('is neither heading nor step, and stays below its step as it is', () => {
    expect(parsePlan(text)).toEqual(SHIP);
    const done = plan('Ship it', ['done', 'Install'], ['pending', 'Deploy']);
    const written = formatPlan(done, text);
    expect(written).toContain(`- [x] Install\n${sh}\n- [ ] Deploy`);
    expect(parsePlan(written)).toEqual(done);
  });

  it.each([
    ['without an end', text.replace('# install deps', '').replace('npm i\n```', 'npm i')],
    ['around a section', text.replace('Ship it', 'Ship it\n```').replace(sh, 'Like this:\n```')],
  ])('%s hides no step', (_what, written) => {
    expect(parsePlan(written).steps.map(({ title }) => title)).toEqual(expect.arrayContaining(['Install', 'Deploy']));
  });

  it('costs little, however many fences have no end', () => {
    const many = Array.from({ length: 20_000 }, (_, n) => `${'`'.repeat(3 + (n % 50))}sh`).join('\n');
    const started = ownTime();
    expect(parsePlan(`## Plan\n- [ ] Install\n${many}`).steps).toHaveLength(1);
    expect(ownTime() - started).toBeLessThan(2_000);
  });
});

describe('the documented layout', () => {
  it('is read and written back to the letter', () => {
    expect(parsePlan(SEED)).toEqual(SEED_PLAN);
    expect(formatPlan(SEED_PLAN, SEED)).toBe(SEED);
    expect(planProgress(SEED_PLAN)).toEqual({ done: 2, total: 4 });
    expect(stepAtWork(parsePlan('## Plan\n- [-] a\n- [x] b\n- [ ] c (in progress)\n- [ ] d\n'))).toEqual({
      n: 2,
      title: 'c',
    });
    expect(stepAtWork(parsePlan('## Plan\n- [x] b\n- [ ] c\n'))).toBeUndefined();
  });

  it('is what a new plan gets', () => {
    expect(formatPlan(plan('Ship it', ['in_progress', 'Build'], ['pending', 'Test']))).toBe(
      '# Current Task\n\n## Goal\nShip it\n\n## Plan\n- [ ] Build (in progress)\n- [ ] Test\n\n## Context\n\n## Blockers\nNone currently\n',
    );
  });
});

describe('what people write', () => {
  // biome-ignore format: a row is a line
  const cases: [string, string, Plan][] = [
    [
      'other marks',
      '## Plan\n* [X] a\n+ [ ] b\n1. [~] c\n  - [/] d\n- [>] e',
      plan('', ['done', 'a'], ['pending', 'b'], ['in_progress', 'c'], ['in_progress', 'd'], ['in_progress', 'e']),
    ],
    [
      'marks without their spaces',
      '## Plan\n- [] a\n-[ ] b\n- [x]c\n- [ x ] d\n• [ ] e\n- [✓] f\n1.[x] g\n- [x](h)\n- [](i)\n- [x]: j\n- [x][k]',
      plan(
        '',
        ...[['pending', 'a'] as const, ['pending', 'b'] as const, ['done', 'c'] as const, ['done', 'd'] as const],
        ...[['pending', 'e'] as const, ['done', 'f'] as const, ['done', 'g'] as const],
      ),
    ],
    [
      'steps below steps, by tabs and spaces',
      '## Plan\n- [ ] a\n\t- [X] b\n\t\t1) [ ] c\n   * [ ] d\n- [ ] e',
      plan('', ['pending', 'a'], ['done', 'b'], ['pending', 'c'], ['pending', 'd'], ['pending', 'e']),
    ],
    ['a mark at the beginning', '\uFEFF## Goal\nGo\n## Plan\n- [ ] a', plan('Go', ['pending', 'a'])],
    ['Windows line ends', '## Goal\r\nGo\r\n\r\n## Plan\r\n- [x] a\r\n', plan('Go', ['done', 'a'])],
    ['no headings', 'Ship the thing\n\n- [x] a\n- [ ] b (In Progress)', plan('Ship the thing', ['done', 'a'], ['in_progress', 'b'])],
    ['a title as the goal', '# Ship the thing\n\n- [ ] a', plan('Ship the thing', ['pending', 'a'])],
    ['a plain list under the heading', '## Plan\n1. first\n2. second\n', plan('', ['pending', 'first'], ['pending', 'second'])],
    ['phases', '## Plan\n### Phase 1\n- [x] a\n### Phase 2\n- [ ] b', plan('', ['done', 'a'], ['pending', 'b'])],
    ['steps', '### Steps:\n- [ ] a\n## Context\n- [ ] not a step', plan('', ['pending', 'a'])],
    ['a goal of several lines', '## Goal\n\nOne\n\n- two\n- [ ] three\n\n## Plan\n- [ ] a', plan('One\n\n- two\n- [ ] three', ['pending', 'a'])],
    ['boxes without text', '## Plan\n- [ ]\n- [x] \n- [ ] a', plan('', ['pending', 'a'])],
    ['links, which are no boxes', '## Plan\n- [a](b)\n- [ ] [x](y)', plan('', ['pending', '[x](y)'])],
    ['a done step that says it is going on', '## Plan\n- [x] a (in progress)', plan('', ['done', 'a'])],
    ['nothing', '', plan('')],
    ['something else', 'Just a note.\n\nAnd more.', plan('Just a note.')],
  ];
  it.each(cases)('%s', (_, markdown, expected) => expect(parsePlan(markdown)).toEqual(expected));
});

it('steps below others stay there when one is ticked, as long as the same one stands above', () => {
  const text = '## Goal\nGo\n\n## Plan\n- [ ] a\n\t- [ ] b\n\t- [ ] c\n- [ ] d\n';
  const { goal, steps } = parsePlan(text);
  const ticked = steps.map((step) => (step.title === 'b' ? { ...step, status: 'done' as const } : step));
  expect(formatPlan({ goal, steps: ticked }, text)).toBe(text.replace('[ ] b', '[x] b'));
  const [a, b, c, d] = steps;
  const moved = [a, d, b, c].flatMap((step) => step ?? []);
  expect(formatPlan({ goal, steps: moved }, text)).toContain('- [ ] a\n- [ ] d\n- [ ] b\n\t- [ ] c\n');
});

const title = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc
      .array(
        // biome-ignore format: a list is filled
        fc.constantFrom(
          '[x]', '[ ]', '- ', '# ', '(in progress)', '\\', 'مرحبا', 'שלום', '👩‍👩‍👧', '🇩🇪', ' ', '`', '|', '*',
          '<!--', '1.', 'İ', 'a',
        ),
        { maxLength: 8 },
      )
      .map((parts) => parts.join('')),
  )
  .map((text) =>
    text
      .replace(/[\p{Cc}\u2028\u2029]/gu, '')
      .toWellFormed()
      .trim(),
  )
  .filter((text) => text !== '');
const goal = fc
  .array(fc.oneof(title, fc.constantFrom('', '## Plan', '\\## Goal', '- [ ] x', '# a', '####### b')), { maxLength: 4 })
  .map((lines) => lines.join('\n').trim());
const status = fc.constantFrom<StepStatus>('pending', 'in_progress', 'done');
const anyPlan = fc
  .tuple(goal, fc.array(fc.tuple(status, title), { maxLength: 8 }))
  .map(([text, steps]) => plan(text, ...steps));
const document = fc
  .array(
    fc.oneof(
      title,
      // biome-ignore format: a list is filled
      fc.constantFrom(
        '# Current Task', '## Goal', '## Plan', '- [ ] a', '- [x] b (in progress)', '## Context', '## Blockers',
        '## Mine', '### Sub', '', '  note', '1. c',
      ),
    ),
    { maxLength: 20 },
  )
  .map((lines) => lines.join('\n'));

describe('round trip', () => {
  it('parse(format(plan)) is the plan', () => {
    fc.assert(
      fc.property(anyPlan, (value) => {
        expect(parsePlan(formatPlan(value))).toEqual(value);
      }),
      { numRuns: 2000 },
    );
  });

  it('also over any earlier text', () => {
    fc.assert(
      fc.property(anyPlan, document, (value, previous) => {
        expect(parsePlan(formatPlan(value, previous))).toEqual(value);
      }),
      { numRuns: 2000 },
    );
  });

  it('formatting again changes nothing', () => {
    fc.assert(
      fc.property(anyPlan, document, (value, previous) => {
        const once = formatPlan(value, previous);
        expect(formatPlan(parsePlan(once), once)).toBe(once);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('a structured change', () => {
  it('keeps Context, Blockers, unknown sections, their order and notes under steps', () => {
    const previous = [
      '# Landing page',
      'A note at the top.',
      '## Blockers',
      'Waiting for the logo.',
      '## Plan',
      'In this order:',
      '- [x] Hero',
      '  - keep it small',
      '- [ ] Form',
      '  see the ticket',
      '- [ ] Old idea',
      '  dropped with it',
      '## Links',
      '- [ ] https://example.org',
      '## Goal',
      'Old goal',
      '## Context',
      'Dark theme.',
    ].join('\n');
    const next = formatPlan(
      plan('New goal', ['done', 'Hero'], ['in_progress', 'Form'], ['pending', 'Deploy']),
      previous,
    );
    expect(next).toBe(
      [
        '# Landing page\nA note at the top.',
        '## Blockers\nWaiting for the logo.',
        '## Plan\nIn this order:\n- [x] Hero\n  - keep it small\n- [ ] Form (in progress)\n  see the ticket\n- [ ] Deploy',
        '## Links\n- [ ] https://example.org',
        '## Goal\nNew goal',
        '## Context\nDark theme.\n',
      ].join('\n\n'),
    );
  });

  it('makes one line of a title and says something for an empty one', () => {
    const text = formatPlan({
      goal: 'g',
      steps: [
        { id: 'x', title: ' a\n## Goal\u0000b\u2028c ', status: 'done' },
        { id: 'y', title: ' ', status: 'pending' },
      ],
    });
    expect(parsePlan(text).steps.map((step) => step.title)).toEqual(['a ## Goal b c', 'untitled']);
  });

  it('is quick with hostile texts', () => {
    const long = '\\'.repeat(100_000);
    const started = ownTime();
    parsePlan(
      `## Plan\n- [ ] ${long}(in progress)\n${'#'.repeat(100_000)}\n## ${'# '.repeat(50_000)}\n- [ ] ${' '.repeat(100_000)}x`,
    );
    formatPlan(
      plan(`# ${long}`, ['pending', `${long}(in progress)`]),
      `## ${'#'.repeat(100_000)}\n${'- [ '.repeat(20_000)}`,
    );
    expect(ownTime() - started).toBeLessThan(5000);
  });
});
