/** What of the memory goes into a request: within the budget, the right parts, whole lines. */
import fc from 'fast-check';
import { estimateTokenCount } from 'tokenx';
import { describe, expect, it } from 'vitest';
import { selectMemory, type TruncationStrategy, truncateTokens } from '../../src/runtime/context/inject.ts';
import { TEMPLATES } from '../../src/workspace/templates.ts';
import { ownTime } from '../helpers/own-time.ts';

const MEMORY = `# Memory

## User Preferences
- Prefers concise responses
- Uses TypeScript

## Project Context
<!-- filled by hand -->

## Learned Patterns
- Often asks for reviews
`;
const LOGS = [
  {
    date: '2026-01-03',
    text: '# 2026-01-03\n\n## Session Summary\n- Wrote the parser\n\n## Key Decisions\n\n## Notes for Future\n',
  },
  { date: '2026-01-02', text: '# 2026-01-02\n\n## Session Summary\n- Planned\n\n## Key Decisions\n- Use JWT\n' },
  { date: '2026-01-01', text: '# 2026-01-01\n\n## Session Summary\n- Began\n' },
];
const select = (more: Partial<Parameters<typeof selectMemory>[0]> = {}) =>
  selectMemory({ memory: MEMORY, logs: [], maxTokens: 2000, maxDailyLogs: 3, strategy: 'smart', ...more });
const strategies: TruncationStrategy[] = ['head', 'tail', 'smart'];

describe('selectMemory', () => {
  it('gives everything that fits, without titles, comments and empty sections', () => {
    const all =
      '## User Preferences\n- Prefers concise responses\n- Uses TypeScript\n\n## Learned Patterns\n- Often asks for reviews';
    for (const strategy of strategies) expect(select({ strategy })).toBe(all);
    expect(select({ logs: LOGS, maxDailyLogs: 2 })).toBe(
      `${all}\n\n## 2026-01-03 Session Summary\n- Wrote the parser\n\n## 2026-01-02 Session Summary\n- Planned\n\n## 2026-01-02 Key Decisions\n- Use JWT`,
    );
  });

  it('gives nothing for nothing: an untouched template costs no tokens', () => {
    expect(select({ memory: TEMPLATES['MEMORY.md'] })).toBe('');
    expect(select({ memory: undefined })).toBe('');
    expect(select({ maxTokens: 0 })).toBe('');
  });

  const big = [
    '# Memory',
    ...['Alpha', 'Beta', 'Gamma'].map(
      (name) =>
        `## ${name}\n${Array.from({ length: 60 }, (_, i) => `- ${name} fact number ${i} about ordinary things`).join('\n')}`,
    ),
  ].join('\n\n');

  it('head and tail keep whole lines of their end', () => {
    const head = select({ memory: big, maxTokens: 100, strategy: 'head' }).split('\n');
    expect(head.slice(0, 2)).toEqual(['## Alpha', '- Alpha fact number 0 about ordinary things']);
    expect(head.at(-1)).toBe('…');
    const tail = select({ memory: big, maxTokens: 100, strategy: 'tail' }).split('\n');
    expect([tail[0], tail.at(-1)]).toEqual(['…', '- Gamma fact number 59 about ordinary things']);
  });

  it('smart keeps the section the question is about, whole', () => {
    const chosen = select({ memory: big, maxTokens: 900, query: 'What about GAMMA?' });
    expect(chosen).toContain('## Gamma\n- Gamma fact number 0 ');
    expect(chosen.match(/- Gamma/g)).toHaveLength(60);
    expect(chosen).not.toContain('- Beta fact number 0 ');
  });

  it('smart finds one line in a section too large, and fills up with the newest', () => {
    const memory = big.replace(
      '- Beta fact number 7 about ordinary things',
      '- The database password rotates on Mondays',
    );
    const chosen = select({ memory, maxTokens: 150, query: 'when does the database rotate' });
    expect(chosen).toContain('## Beta\n- The database password rotates on Mondays\n');
    expect(select({ memory: big, maxTokens: 150 })).toContain('- Alpha fact number 59 about');
    expect(select({ memory: big, maxTokens: 150 })).not.toContain('- Alpha fact number 0 about');
  });

  it('smart takes the line in question before whole sections that are not', () => {
    const rows = (name: string, count: number) =>
      Array.from({ length: count }, (_, i) => `- ${name} item ${i} with some more words`);
    const large = [...rows('big', 60), '- The database password rotates on Mondays', ...rows('huge', 60)];
    const memory = `## Small\n${rows('small', 14).join('\n')}\n\n## Large\n${large.join('\n')}`;
    const whole = estimateTokenCount(memory.slice(0, memory.indexOf('## Large')));
    const chosen = select({ memory, maxTokens: whole + 3, query: 'when does the database rotate' });
    expect(chosen).toContain('- The database password rotates on Mondays');
    expect(select({ memory, maxTokens: whole + 3 })).toContain('- small item 0 ');
  });

  it('works without spaces between words', () => {
    const memory = `## 一\n${'- 天气很好今天出去玩\n'.repeat(40)}\n## 二\n- 数据库密码每周一更换\n`;
    expect(select({ memory, maxTokens: 60, query: '什么时候更换数据库密码' })).toContain('- 数据库密码每周一更换');
  });

  it('keeps what belongs to a bullet with it', () => {
    const memory = `## A\n${'- filler line of some length here\n'.repeat(50)}- key point\n  and its second line\n`;
    expect(select({ memory, maxTokens: 60, query: 'key' })).toContain('- key point\n  and its second line');
  });

  it('cuts a line only when no line fits', () => {
    const memory = `## A\n- ${'word '.repeat(2000)}`;
    for (const strategy of strategies) {
      const chosen = select({ memory, maxTokens: 50, strategy });
      expect(chosen.endsWith('…')).toBe(true);
      expect(estimateTokenCount(chosen)).toBeLessThanOrEqual(50);
      expect(chosen.length).toBeGreaterThan(60);
    }
  });

  // biome-ignore format: a list is filled
  const word = fc.constantFrom(
    'alpha', 'beta', 'gamma', 'x', '1', '数据', 'über', '🎉', 'extraordinarily', '!!!', 'a,b;c', 'https://x.org/y',
  );
  const line = fc.array(word, { minLength: 1, maxLength: 12 }).map((words) => `- ${words.join(' ')}`);
  const section = fc
    .tuple(word, fc.array(line, { maxLength: 12 }))
    .map(([head, lines]) => `## ${head}\n${lines.join('\n')}`);
  const memory = fc.array(section, { maxLength: 6 }).map((sections) => sections.join('\n\n'));

  it('never exceeds the budget, never invents, reorders or cuts a line', () => {
    fc.assert(
      fc.property(
        memory,
        fc.integer({ min: 20, max: 300 }),
        fc.constantFrom(...strategies),
        line,
        (text, maxTokens, strategy, query) => {
          const chosen = selectMemory({ memory: text, logs: LOGS, maxTokens, maxDailyLogs: 2, strategy, query });
          expect(estimateTokenCount(chosen)).toBeLessThanOrEqual(maxTokens);
          const all = selectMemory({ memory: text, logs: LOGS, maxTokens: 1e6, maxDailyLogs: 2, strategy }).split('\n');
          let at = 0;
          for (const kept of chosen.split('\n').filter((part) => part !== '' && part !== '…')) {
            if (kept.endsWith('…')) continue;
            at = all.indexOf(kept, at) + 1;
            expect(at, kept).toBeGreaterThan(0);
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('is quick with a megabyte', () => {
    const lines = Array.from(
      { length: 12_000 },
      (_, i) => `- fact ${i} about ordinary things that fill some space in the file, number ${i % 7}`,
    );
    const text = `## A\n${lines.slice(0, 6000).join('\n')}\n## B\n${lines.slice(6000).join('\n')}`;
    const started = ownTime();
    for (let i = 0; i < 3; i++)
      select({ memory: text, query: `what about fact ${i} and ordinary number things please` });
    expect(ownTime() - started).toBeLessThan(5000);
  });
});

describe('truncateTokens', () => {
  const task = `# Current Task\n\n## Goal\nBuild it\n\n## Plan\n${Array.from({ length: 80 }, (_, i) => `- [${i < 70 ? 'x' : ' '}] step number ${i} of the long plan`).join('\n')}\n\n## Blockers\nNone currently\n`;

  it('leaves a text that fits as it is', () => {
    expect(truncateTokens(task, 5000, 'smart')).toBe(task);
    expect(truncateTokens('', 10, 'head')).toBe('');
  });

  it('keeps the goal, the blockers and the last steps of a long plan', () => {
    const cut = truncateTokens(task, 200, 'smart');
    expect(cut).toMatch(/^## Goal\nBuild it\n\n## Plan\n/);
    expect(cut).toContain('- [ ] step number 79 of the long plan\n…');
    expect(cut).toContain('## Blockers\nNone currently');
    expect(estimateTokenCount(cut)).toBeLessThanOrEqual(200);
  });

  it('cuts one endless line rather than give nothing', () => {
    for (const strategy of strategies)
      expect(truncateTokens('é'.repeat(100_000), 20, strategy).length).toBeGreaterThan(5);
  });
});
