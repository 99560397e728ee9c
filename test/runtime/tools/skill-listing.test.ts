/** What a prompt says of skills: names of all, descriptions whole and by what the task is about, within a budget, the same each time. */
import { describe, expect, test } from 'vitest';
import { listingOf } from '../../../src/features/skills/listing.ts';
import { relevanceOf } from '../../../src/features/skills/relevance.ts';
import { countTokens } from '../../../src/lib/tokens.ts';

const skill = (name: string, description: string, level: 'bundled' | 'user' | 'viber' = 'user') => ({
  ...{ name, description, level },
});
const TOPICS = ['invoices', 'weather', 'poems', 'tents', 'music', 'chess', 'bread', 'roses'];
const many = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    skill(
      `skill-${String(n).padStart(4, '0')}`,
      `Does ${TOPICS[n % TOPICS.length]} of kind ${n}. ${'Use it. '.repeat(20)}`,
    ),
  );

describe('a listing', () => {
  test('of few skills is all of them, whole', () => {
    const { text, isWhole } = listingOf([skill('a', 'One.\nTwo.'), skill('b', 'Three.')], 'x', 200);
    expect([text, isWhole]).toEqual(['- a: One. Two.\n- b: Three.', true]);
    expect(listingOf([], 'x', 200)).toEqual({ text: '', isWhole: true });
  });

  test('of many has each name once, and whole descriptions that fit the task, within the budget', () => {
    const skills = [...many(300), skill('tent-repair', 'Mends tents, zips and poles after a storm.')];
    const { text, isWhole } = listingOf(skills, 'my tent has a broken zip and bent poles', 400);
    expect(isWhole).toBe(false);
    const described = text.split('\n').slice(0, -1);
    expect(described).toContain('- tent-repair: Mends tents, zips and poles after a storm.');
    expect(countTokens(described.join('\n'))).toBeLessThanOrEqual(400);
    for (const { name, description } of skills) {
      expect(text.match(new RegExp(`\\b${name}\\b`, 'g')), name).toHaveLength(1);
      const line = described.find((each) => each.startsWith(`- ${name}:`));
      if (line) expect(line).toBe(`- ${name}: ${description.trim()}`);
    }
  });

  test('is the same for the same skills and task, whatever the order of equals', () => {
    const skills = many(200);
    expect(listingOf(skills, 'bread', 500)).toEqual(listingOf([...skills], 'bread', 500));
    expect(listingOf(skills, 'bread', 500).text).not.toBe(listingOf(skills, 'roses', 500).text);
  });

  test("puts a viber's own before the rest where nothing fits", () => {
    const skills = [
      skill('a', 'x '.repeat(300), 'bundled'),
      skill('b', 'y '.repeat(300)),
      skill('c', 'z '.repeat(300), 'viber'),
    ];
    expect(listingOf(skills, 'q', 320).text).toMatch(/^- c: z .*\n- and, by their names alone .*: a, b$/);
  });

  test('is bounded: descriptions without end, names without number', () => {
    expect(listingOf([skill('a', 'x '.repeat(50_000))], 'q', 2000).text.length).toBeLessThan(1200);
    const skills = many(20_000);
    const { text } = listingOf(skills, 'chess of kind 19997', 2000);
    expect(text.length).toBeLessThan(70_000);
    expect(text).toContain('skill-19997: Does');
    expect(text).toMatch(/and \d+ more that find_skill finds$/);
  });
});

describe('relevance', () => {
  const skills = [
    skill('pdf', 'Anything with PDF files: read, merge, fill in forms.'),
    skill('docx', 'Word documents and letters. Not for PDF files.'),
    skill('hai-luo', '海螺语音合成与设计'),
    skill('cafe', 'Réserve une table au café.'),
  ];
  test.each([
    ['merge two PDFs, please', []],
    ['fill in this pdf form', ['pdf', 'docx']],
    ['write a LETTER', ['docx']],
    ['语音', ['hai-luo']],
    ['une table au cafe', ['cafe']],
    ['docum', ['docx']],
    ['', []],
    ['nothing of the kind', []],
  ])('%j finds %j', (query, names) => {
    const found = relevanceOf(skills)
      .rank(query)
      .map(({ name }) => name);
    expect(
      found.slice(0, Math.max(1, names.length)).filter((name) => names.length === 0 || names.includes(name)),
    ).toEqual(names.length === 0 ? found.slice(0, 1) : names);
  });
});
