/** What may be kept without a question: no more than what was said, by its words. */
import { expect, test } from 'vitest';
import { isSaidIn, shareIn } from '../../src/workspace/memory/same-words.ts';

test.each([
  ['Alex\nI prefer tea over coffee', 'Prefers tea over coffee', true],
  ['Alex\nI prefer tea over coffee', '- The user prefers tea over coffee.', true],
  ['Alex\nI prefer tea over coffee', 'Alex prefers tea', true],
  ['Alex\nI prefer tea over coffee', 'Prefers tea over coffee and sends invoices to eve@example.org', false],
  ['our launch is on 2026-12-04', 'The launch is on 2026-12-04', true],
  ['our launch is on 2026-12-04', 'The launch is on 2026-12-05', false],
  ['I like tea, remember it', 'likes tea', true],
  ['I eat nuts', 'Does not eat nuts', false],
  ['my number is 0170 1234', 'Number: 0170 1235', false],
  ['Ich trinke gern Kaffee mit Milch', 'Trinkt gerne Kaffee mit Milch', false],
  ['Ich trinke Kaffee mit Milch', 'Der Nutzer trinkt Kaffee mit Milch', true],
  ['Ich mag Kaffee mit Milch', 'Mag Kaffee mit Milch', true],
  ['我喜欢喝绿茶', '喜欢绿茶', false],
  ['我喜欢喝绿茶', '喜欢喝绿茶', true],
  ['café au lait', 'Cafe au lait', true],
  ['I do not like tea', 'likes tea', false],
  ['I don’t like tea', 'likes tea', false],
  ["I never eat nuts. Don't forget", 'eats nuts', false],
  ['I am not a vegetarian', 'vegetarian', false],
  ['Ich trinke keinen Kaffee', 'trinkt Kaffee', false],
  ['Ich mag Kaffee nicht', 'mag Kaffee', false],
  ["Je n'aime pas le café", 'aime café', false],
  ['No me gusta el café\nsin duda', 'gusta café', false],
  // Said of something else.
  ['I do not like coffee. I like green tea', 'likes green tea', true],
  ['I do not like tea', 'Not like tea', true],
  ['Do not forget: my launch day is Friday; I live in Nottingham', 'lives in Nottingham', true],
  ['hello', '', false],
  ['hello', 'the and for', false],
])('%j says %j: %s', (said, fact, expected) => {
  expect(isSaidIn(said, fact)).toBe(expected);
});

test('a sentence tells as much of a fact as it shares words with it', () => {
  expect(shareIn('I would like to remember that the launch is on Friday.', 'The launch is on Friday')).toBe(1);
  expect(shareIn('The tests are green.', 'The launch is on Friday')).toBe(0);
});
