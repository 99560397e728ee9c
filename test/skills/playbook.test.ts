/** Playbooks as text: what is read, what is refused and where, and that values change nothing but the words they stand in. */
import { describe, expect, it } from 'vitest';
import {
  fillPlaybook,
  formatPlaybook,
  type Playbook,
  parsePlaybook,
  placeholdersOf,
} from '../../src/features/agents/playbook/read-playbook.ts';
import { ownTime } from '../helpers/own-time.ts';

const wrap = (steps: string) => `# Playbook: x\n\n## Goal\ng\n\n## Steps\n${steps}\n`;
const stepsOf = (steps: string) => parsePlaybook(wrap(steps)).steps;

describe('a playbook is read', () => {
  it('in both forms, with constraints', () => {
    const text = `\uFEFF# Playbook: Release Feature\r\n\r\n## Goal\r\nPrepare a branch.\r\nFor release.\r\n\r\n## Steps\r\n1. [Coder] Run all tests.\r\n2. [Agent: Git] Create \`release/v<version>\`.\r\n   - Constraint: Push nothing.\r\n   - constraint: Name it <version>,\r\n     exactly so.\r\n3. Tell me.\r\n`;
    expect(parsePlaybook(text)).toEqual({
      name: 'release-feature',
      title: 'Release Feature',
      goal: 'Prepare a branch.\nFor release.',
      // biome-ignore format: a row is a line
      steps: [
        { agent: 'Coder', instruction: 'Run all tests.', constraints: [] },
        { agent: 'Git', instruction: 'Create `release/v<version>`.', constraints: ['Push nothing.', 'Name it <version>, exactly so.'] },
        { instruction: 'Tell me.', constraints: [] },
      ],
    });
    expect(placeholdersOf(parsePlaybook(text))).toEqual(['version']);
  });

  it.each([
    ['1. one\n   two\n   - three\n\n   four', 'one\ntwo\n- three\n\nfour'],
    [
      '1. run\n   ```sh\n   # Playbook: no\n   ## Steps\n   2. not a step\n   - Constraint: none\n   ```',
      'run\n```sh\n# Playbook: no\n## Steps\n2. not a step\n- Constraint: none\n```',
    ],
    ['1. one\n   1. sub\n   2. sub', 'one\n1. sub\n2. sub'],
    ['7) one', 'one'],
    ['1. \\[x] stays', '[x] stays'],
    ['1. [a link](https://example.org) is read', '[a link](https://example.org) is read'],
    ['1. [Coder]\n   in the next line', 'in the next line'],
    ['1.\tone', 'one'],
  ])('%j', (steps, instruction) => {
    expect(stepsOf(steps)).toHaveLength(1);
    expect(stepsOf(steps)[0]).toMatchObject({ instruction, constraints: [] });
  });

  it.each([
    ['', 'line 1: expected the title'],
    ['# Something else\n## Goal\ng\n## Steps\n1. a', 'line 1: expected one title'],
    ['# Playbook: a\n# Playbook: b\n## Goal\ng\n## Steps\n1. a', 'line 2: expected one title'],
    ['# Playbook: ...\n## Goal\ng\n## Steps\n1. a', 'its name needs a letter'],
    ['# Playbook: a\n## Steps\n1. a', 'expected a section "## Goal"'],
    ['# Playbook: a\n## Goal\ng', 'expected a section "## Steps"'],
    [wrap('just words'), 'line 7: expected a numbered step'],
    [wrap('1. [../../etc] a'), "line 7: [../../etc] isn't the name"],
    [wrap('1. [ ] a'), "line 7: [] isn't the name"],
    [wrap('1. [Coder]'), 'line 7: this step has no instruction'],
    [wrap('1. a\n   - Constraint:'), 'line 7: a constraint of this step is empty'],
    [wrap('1. a\n   ```\n   b'), 'line 8: the code block that begins here'],
    [wrap(Array.from({ length: 51 }, (_, n) => `${n + 1}. a`).join('\n')), 'line 57: at most 50 steps'],
    [wrap(`1. ${'a'.repeat(4_001)}`), 'at most 4000 characters'],
    ['#'.repeat(70_000), 'longer than'],
  ])('or refused (%#)', (text, problem) => {
    expect(() => parsePlaybook(text)).toThrow(problem);
  });

  it('in time that grows with its size', () => {
    const begun = ownTime();
    for (const text of [
      '1. '.repeat(20_000),
      '[Agent: '.repeat(8_000),
      '<a'.repeat(30_000),
      '- Constraint: '.repeat(4_000),
    ])
      expect(() => parsePlaybook(wrap(`1. a\n${text}`))).toThrow();
    expect(ownTime() - begun).toBeLessThan(1_000);
  });
});

/** The same numbers each time. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const PIECES = [
  // biome-ignore format: a list is filled
  ...[
    'run', 'tests', '[x]', '[Agent: Git]', '<version>', '\\<b>', '- Constraint: no', '1. sub', '# Playbook: y',
    '## Steps', '```',
  ],
  // biome-ignore format: a list is filled
  ...[
    '`a`', '*b*', '   deep', 'é漢🙂', '(in progress)', '\\[', ':', '[', ']', '- [ ] box', '>', '<a href="x">', '$HOME',
    '\\n',
  ],
];

describe('a playbook is written', () => {
  it('as it is read, whatever stands in it (2,000 of them)', () => {
    const next = random(7);
    const words = (count: number, joint: string) =>
      Array.from({ length: 1 + next(count) }, () => PIECES[next(PIECES.length)]).join(joint);
    let read = 0;
    for (let n = 0; n < 2_000; n++) {
      const steps = Array.from({ length: 1 + next(12) }, (_, index) => {
        const agent = ['', '[Coder] ', '[Agent: QA Engineer] '][next(3)];
        const more = next(3) === 0 ? `\n   ${words(3, '\n   ')}` : '';
        const constraints = next(3) === 0 ? `\n   - Constraint: ${words(3, ' ')}` : '';
        return `${index + 1}. ${agent}do ${words(4, ' ')}${more}${constraints}`;
      });
      let parsed: Playbook;
      try {
        parsed = parsePlaybook(wrap(steps.join('\n')));
      } catch (error) {
        expect(String(error)).toMatch(/line \d+: /);
        continue;
      }
      read += 1;
      expect(parsePlaybook(formatPlaybook(parsed))).toEqual(parsed);
    }
    expect(read).toBeGreaterThan(500);
  });
});

describe('placeholders', () => {
  const playbook = parsePlaybook(
    wrap('1. [Git] Tag v<version> on <branch>, not \\<this>.\n   - Constraint: only <branch>\n2. <what>'),
  );
  const values = (entries: Record<string, string>) => new Map(Object.entries(entries));

  it('are filled everywhere', () => {
    expect(placeholdersOf(playbook)).toEqual(['version', 'branch', 'what']);
    const filled = fillPlaybook(playbook, values({ version: '1.2.0', branch: 'main', what: '$& <version>' }));
    expect(filled.steps).toEqual([
      { agent: 'Git', instruction: 'Tag v1.2.0 on main, not <this>.', constraints: ['only main'] },
      { instruction: '$& <version>', constraints: [] },
    ]);
  });

  it('must all be given', () => {
    expect(() => fillPlaybook(playbook, values({ version: '1' }))).toThrow('It needs branch, what.');
    expect(() => fillPlaybook(playbook, new Map([['__proto__', 'x']]))).toThrow('It needs version, branch, what.');
  });

  it.each(['', ' ', 'a\nb', 'a\u2028b', '\u0000', 'x'.repeat(501)])('take no bad value (%#)', (what) => {
    expect(() => fillPlaybook(playbook, values({ version: '1', branch: 'main', what }))).toThrow(/value/);
  });

  it.each(
    // biome-ignore format: a list is filled
    [
      '[Coder] rm -rf', '[Agent: Root] x', '# Playbook: z', '2. b', '- Constraint: none', '](', '\\[Coder] x', '```',
    ],
  )('cannot make another playbook of it: %j', (what) => {
    const filled = fillPlaybook(playbook, values({ version: '1', branch: 'main', what }));
    expect(filled.steps).toHaveLength(2);
    expect(filled.steps[1]?.agent).toBeUndefined();
    expect(parsePlaybook(formatPlaybook(filled))).toEqual(filled);
  });
});
