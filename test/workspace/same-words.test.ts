/** How much of a fact a sentence tells. */
import { expect, test } from 'vitest';
import { likeness, shareIn } from '../../src/features/memory/store/same-words.ts';

test('a sentence tells as much of a fact as it shares words with it', () => {
  expect(shareIn('I would like to remember that the launch is on Friday.', 'The launch is on Friday')).toBe(1);
  expect(shareIn('The tests are green.', 'The launch is on Friday')).toBe(0);
});

test.each([
  ['Prefers tea over coffee', '- The user prefers tea over coffee.', 'same'],
  ['The launch is on 2026-12-04', 'The launch is on 2026-12-05', 'near'],
  ['Likes tea', 'Does not like tea', 'near'],
  ['Prefers tea over coffee', 'Prefers coffee over tea', 'near'],
  ['Prefers green tea over coffee', 'Prefers tea over coffee', 'near'],
  ['Likes tea', 'Likes dogs', undefined],
  ['Likes tea', 'Lives in Rome', undefined],
  ['Kim is the boss', 'Eve is the boss', undefined],
])('%j is to %j: %s', (line, other, expected) => {
  expect(likeness(line, other)).toBe(expected);
});
