/** What is indexed of a memory: how a text is cut, by which words it is found, and which files are left out. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHUNKING, splitIntoChunks } from '../../src/features/memory/store/chunks.ts';
import { createExclusion } from '../../src/features/memory/store/patterns.ts';
import { indexWords, queryTerms } from '../../src/lib/words.ts';
import { ownTime } from '../helpers/own-time.ts';

const RUNS = Number(process.env.PROPERTY_RUNS ?? 150);

describe('splitIntoChunks', () => {
  test('a section is a piece, with its heading and line', () => {
    const text =
      '# Memory\n\n## User Preferences\n- Prefers tea\n\n## Project Context\n- Falcon\n\n### Costs\n- 5 euros\n';
    expect(splitIntoChunks(text)).toEqual([
      { text: '## User Preferences\n- Prefers tea', line: 3, section: 'User Preferences' },
      { text: '## Project Context\n- Falcon', line: 6, section: 'Project Context' },
      { text: '### Costs\n- 5 euros', line: 9, section: 'Costs' },
    ]);
    expect(splitIntoChunks('# 2024-01-15\n\n## Session Summary\n\n## Notes\n')).toEqual([]);
    expect(splitIntoChunks('')).toEqual([]);
  });

  test('a long section is cut at blank lines, then sentences, and repeats a little', () => {
    const paragraph = (n: number) => `Paragraph ${n} ${'says a thing or two. '.repeat(12)}`.trim();
    const chunks = splitIntoChunks(`## Notes\n${[1, 2, 3].map(paragraph).join('\n\n')}`);
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.every(({ text, section }) => text.length <= 500 && section === 'Notes')).toBe(true);
    const [first, second] = chunks;
    const repeated = [...Array(51).keys()].findLast(
      (n) => n > 0 && first?.text.endsWith(second?.text.slice(0, n) ?? ''),
    );
    expect(repeated).toBeGreaterThan(5);
  });

  const character = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.constantFrom('a', 'b', ' ', '\n', '. ', '\n\n', '## ', '\n## T\n', '- word ', 'longer '),
    },
    {
      weight: 3,
      // biome-ignore format: a list is filled
      arbitrary: fc.constantFrom(
        'é', 'e\u0301', '你', '好', '👩‍👩‍👧‍👦', '🇩🇪', '🇫🇷', 'น้ำ', '각', 'ᄀ', '\u200d', '©', ' \u0301',
      ),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 5 }) },
  );
  const texts = fc
    .array(character, { maxLength: 400, size: 'max' })

    // Each word stands once, so that a piece has one place.
    .map((parts) => parts.map((part, n) => (/[a-z]/.test(part) ? `${part.trim()}${n} ` : part)).join(''))
    .map((text) => text.replace(/\r\n?/g, '\n'));

  test('every piece is a stretch of the text, small enough, cut between characters; only space and bare headings are left out', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 40, max: 200 }), fc.integer({ min: 0, max: 50 }), (text, max, overlap) => {
        const chunks = splitIntoChunks(text, { ...CHUNKING, maxChunkSize: max, overlap });
        const starts = placesBetween(text, max - Math.min(overlap, Math.floor(max / 2)));
        const lines = text.split('\n');
        const covered = new Set<number>();
        let last = -1;
        for (const chunk of chunks) {
          expect(chunk.text.length).toBeLessThanOrEqual(max);
          expect(chunk.text.trim()).not.toBe('');
          const at = placeAtLine(text, chunk.text, chunk.line, last, starts);
          expect(at, JSON.stringify([chunk, last])).toBeGreaterThanOrEqual(0);
          last = at;
          expect(lines[chunk.line - 1]).toContain(chunk.text.split('\n')[0]);
          for (let i = at; i < at + chunk.text.length; i++) covered.add(i);
        }
        expect(leftOut(text, covered)).toBe('');
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: 15_000 + RUNS * 20 },
    );
  });

  test('no piece only repeats the end of the one before', () => {
    const text = `## T\n${'word '.repeat(9)}好\n\n`;
    for (let max = 40; max < 70; max++) {
      const chunks = splitIntoChunks(text, { ...CHUNKING, maxChunkSize: max, overlap: 8 });
      for (const [n, { text: piece }] of chunks.entries())
        if (n > 0) expect(chunks[n - 1]?.text.endsWith(piece), JSON.stringify([max, chunks])).toBe(false);
    }
  });

  /** Between which characters one may cut: of what a reader sees as one, if it is larger than `room`, between code points. */
  function placesBetween(text: string, room: number): Set<number> {
    const places = new Set([text.length]);
    for (const { segment, index } of new Intl.Segmenter().segment(text)) {
      places.add(index);
      let at = index;
      for (const point of segment.length > room ? segment : []) {
        at += point.length;
        places.add(at);
      }
    }
    return places;
  }

  /**
   * The first place of the piece in its line, behind where the one before began, that lies between characters: what holds a word
   * has one place, but a single character may stand there twice.
   */
  function placeAtLine(text: string, piece: string, line: number, last: number, starts: ReadonlySet<number>): number {
    const from =
      text
        .split('\n')
        .slice(0, line - 1)
        .join('\n').length + (line > 1 ? 1 : 0);
    const isBetween = (at: number) => at === -1 || (starts.has(at) && starts.has(at + piece.length));
    let at = text.indexOf(piece, Math.max(from, last + 1));
    while (!isBetween(at)) at = text.indexOf(piece, at + 1);
    return at;
  }

  function leftOut(text: string, covered: ReadonlySet<number>): string {
    let offset = 0;
    const words: string[] = [];
    for (const line of text.split('\n')) {
      const isHeading = /^\s*#{1,6}(\s.*)?$/.test(line);
      for (let i = 0; i < line.length; i++) {
        if (!isHeading && !covered.has(offset + i) && /[a-z0-9]/.test(line.charAt(i))) words.push(line.charAt(i));
      }
      offset += line.length + 1;
    }
    return words.join('');
  }

  test('the largest file, of anything, takes no long time', () => {
    for (const unit of ['a', '你', '👩‍👩‍👧‍👦', '🇩🇪', 'e\u0301', '\u0301', '## \n', '. ', '\n\n', ' ', 'word. ']) {
      const text = unit.repeat(Math.ceil(500_000 / unit.length));
      const began = ownTime();
      const chunks = splitIntoChunks(text);
      expect(ownTime() - began, JSON.stringify(unit)).toBeLessThan(3_000);
      expect(chunks.every((chunk) => chunk.text.length <= 500 && chunk.text.isWellFormed())).toBe(true);
    }
  });
});

describe('words', () => {
  test('case, accents and width do not count', () => {
    expect(indexWords('Déjà ＶＵ Straße Μέλι')).toEqual(['deja', 'vu', 'straße', 'μελι']);
  });

  test('scripts without spaces give pairs, and every character begins one', () => {
    expect(indexWords('黒猫と犬')).toEqual(['黒猫', '猫と', 'と犬', '犬']);
    expect(queryTerms('猫')).toEqual([{ text: '猫', isPrefix: true }]);
    expect(queryTerms('黒猫').map(({ text }) => text)).toEqual(['黒猫']);
  });

  /** Any code points, lone surrogates among them. */
  const anything = fc
    .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 300 })
    .map((points) => String.fromCodePoint(...points));

  test('no query is anything but words', () => {
    fc.assert(
      fc.property(anything, (query) => {
        const terms = queryTerms(query);
        expect(terms.length).toBeLessThanOrEqual(32);
        for (const { text } of terms) expect(text).toMatch(/^[\p{L}\p{N}\p{M}]{1,64}$/u);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('excludePatterns', () => {
  const table: [pattern: string, path: string, isOut: boolean][] = [
    ['*.secret.md', 'memory/bank.secret.md', true],
    ['*.secret.md', 'memory/deep/Bank.SECRET.MD', true],
    ['*.secret.md', 'memory/secret.md', false],
    ['credentials/*', 'memory/credentials/aws.md', true],
    ['credentials/*', 'credentials/aws.md', true],
    ['credentials/*', 'memory/Credentials/deep/aws.md', true],
    ['credentials/*', 'memory/credentials.md', false],
    ['credentials/*', 'memory/my-credentials/aws.md', false],
    ['private', 'memory/private/diary.md', true],
    ['private', 'memory/private.md', false],
    ['/MEMORY.md', 'memory.md', true],
    ['/MEMORY.md', 'memory/memory.md', false],
    ['memory/**/*.draft.md', 'memory/a/b/x.draft.md', true],
    ['memory/**/*.draft.md', 'memory/x.draft.md', true],
    ['202[0-3]-*', 'memory/2023-05-01.md', true],
    ['202[0-3]-*', 'memory/2024-05-01.md', false],
    ['{bank,tax}*.md', 'memory/tax2024.md', true],
    ['?.md', 'memory/a.md', true],
    ['?.md', 'memory/ab.md', false],
    ['caf\u00e9.md', 'memory/cafe\u0301.md', true],
    ['[z-a].md', 'memory/[z-a].md', true],
    ['a+(b).md', 'memory/a+(b).md', true],
    ['./memory/x.md', 'memory/x.md', true],
    ['', 'memory/x.md', false],
  ];
  test.each(table)('%s of %s', (pattern, path, isOut) => {
    expect(createExclusion([pattern])(path)).toBe(isOut);
  });

  test('no pattern fails or takes long', () => {
    const path = `memory/${'a'.repeat(200)}/${'a'.repeat(200)}.md`;
    for (const pattern of [
      '**/'.repeat(50),
      '*a'.repeat(60),
      '**a'.repeat(40),
      '{a,b'.repeat(30),
      '['.repeat(60),
      '{*a*a,*a*b}'.repeat(12),
    ]) {
      const began = ownTime();
      createExclusion([pattern])(path);
      expect(ownTime() - began, pattern).toBeLessThan(1_000);
    }
  });
});
