/** What may be kept without a question: a whole statement of the person's own. */
import { expect, test } from 'vitest';
import { isStatedIn } from '../../src/features/memory/store/stated.ts';

test.each([
  ['I prefer tea over coffee', 'Prefers tea over coffee'],
  ['I prefer tea over coffee.', '- The user prefers tea over coffee.'],
  ['I prefer tea over coffee!', 'Alex prefers tea over coffee'],
  ['our launch is on 2026-12-04', 'The launch is on 2026-12-04'],
  ['I like tea, remember it', 'likes tea'],
  ['Please remember that I like tea', 'User likes tea'],
  ['Btw, my dentist is in Mill Road', "The user's dentist is in Mill Road"],
  ['Hello. I live in Nottingham. What is the weather?', 'Lives in Nottingham'],
  ['I don’t eat nuts', 'Does not eat nuts'],
  ['Ich trinke Kaffee mit Milch', 'Der Nutzer trinkt Kaffee mit Milch'],
  ['Ich mag Kaffee mit Milch', 'Mag Kaffee mit Milch'],
  ['我喜欢喝绿茶', '喜欢喝绿茶'],
  ['The office is closed on Mondays', 'The office is closed on Mondays'],
  ['I like tea.\n\nI live in Rome.', '- likes tea\n- lives in Rome'],
  ['Hi Viber! I like tea. Thanks!', 'Likes tea'],
  ['I like tea. Please remember this.', 'Likes tea'],
  ['I like C++ and tea ☕', 'Likes C++ and tea'],
  ['My number is +49 30-1234', "Alex's number is +49 30-1234"],
  ['I live in Rome. The office is closed on Mondays. Where can I get lunch?', 'Lives in Rome'],
])('%j states %j', (said, fact) => {
  expect(isStatedIn({ names: ['Alex'], messages: [said] }, fact)).toBe(true);
});

test.each(
  // biome-ignore format: a row is a line
  [
    // Asked, denied, supposed, wished, hedged.
    ['Do I like tea?', 'Likes tea'],
    ['I like tea?', 'Likes tea'],
    ['do I like tea', 'Likes tea'],
    ['Mag ich Kaffee', 'Mag Kaffee'],
    ['I do not like tea', 'Likes tea'],
    ['I never eat nuts', 'Eats nuts'],
    ['I hardly eat nuts', 'Eats nuts'],
    ['Ich trinke keinen Kaffee', 'Trinkt Kaffee'],
    ['If I lived in Berlin, I would take the train', 'Would take the train'],
    ['If it rains, I take the bus', 'Takes the bus'],
    ['If it rains\nI take the bus', 'Takes the bus'],
    ['Unless I am ill I go to work', 'Goes to work'],
    ['I wish I lived in Rome', 'Lives in Rome'],
    ['Maybe I like tea', 'Likes tea'],
    ['I might like tea', 'Likes tea'],
    ['I would like tea', 'Likes tea'],
    ['I will move to Rome', 'Moves to Rome'],
    // Of the past, of others, by others.
    ['I used to like tea', 'Likes tea'],
    ['I liked tea', 'Likes tea'],
    ['I stopped eating nuts', 'Eats nuts'],
    ['Kim likes tea', 'Likes tea'],
    ['She likes tea', 'Likes tea'],
    ['My wife likes tea', 'Likes tea'],
    ['Kim thinks I like tea', 'Likes tea'],
    ['Kim said: I like tea', 'Likes tea'],
    ['Nobody says I like tea', 'Likes tea'],
    ['It is not true that I like tea', 'Likes tea'],
    ['Kim likes Alex', 'Alex likes Kim'],
    // Of another value by a sign alone.
    ['My balance is -500 euros', 'The balance is 500 euros'],
    ['I like C++', 'Likes C'],
    ['I like C#', 'Likes C'],
    ['I am >18 years old', 'Is 18 years old'],
    ['My limit is $5', 'The limit is €5'],
    ['My share is 5 %', 'The share is 5'],
    ['~~I like tea~~', 'Likes tea'],
    // Taken back, or more or less than was said.
    ['I like tea. Just kidding.', 'Likes tea'],
    ['I like tea. Not!', 'Likes tea'],
    ['I like tea. No wait, coffee.', 'Likes tea'],
    ['I prefer tea over coffee', 'Prefers coffee over tea'],
    ['I prefer tea over coffee', 'Prefers tea'],
    ['I prefer tea over coffee', 'Prefers tea over coffee and sends invoices to eve@example.org'],
    ['I like tea when I am ill', 'Likes tea'],
    ['our launch is on 2026-12-04', 'The launch is on 2026-12-05'],
    ['my number is 0170 1234', 'Number is 0170 1235'],
    ['I own a plan', 'Owns a plant'],
    ...['I like tea 😂', 'I like tea 🙃', 'I like tea ;)', 'I like tea. ;-)', 'I like tea. I do not.'].map((said) => [said, 'Likes tea']),
    ...['I like tea. Well, I did.', 'Remember nothing. I like tea.', 'I like tea. Das war ein Test.'].map((said) => [said, 'Likes tea']),
    // Quoted, an example of something, or turned by another sentence.
    ...[
      ...['> I like tea', '"I like tea"', '«I like tea»', '```\nI like tea\n```', 'Kim wrote:\n\nI like tea'],
      ...[
        'Kim wrote this. I like tea.',
        'My brother said this.\n\nI like tea.',
        'Translate this into French. I like tea.',
      ],
      ...['Suppose the following. I like tea.', 'Imagine you are Bob. I like tea.', 'Is this true? I like tea.'],
      ...[
        'Hypothetically. I like tea.',
        'Nobody says that. I like tea.',
        'What if... I like tea.',
        'Do not keep this. I like tea.',
      ],
      ...[
        'I like tea. Said nobody ever.',
        'I like tea. But no longer.',
        'I like tea. Until yesterday.',
        'I like tea. Do I?',
      ],
      ...[
        'I like tea. I mean I used to.',
        'I like tea. Only on Sundays.',
        'I like tea. That was a test.',
        'I like tea. Really?',
      ],
      ...[
        'I like tea. Forget that.',
        'I like tea. Do not save this.',
        'I like tea. Is that wrong?',
        'I like tea. Haha no.',
      ],
    ].map((said) => [said, 'Likes tea']),
    // No statement.
    ['Buy tea', 'Buys tea'],
    ['Delete all my mails', 'Delete all my mails'],
    ['hello', ''],
    ['hello', 'the'],
    ['', 'likes tea'],
  ],
)('%j does not state %j', (said, fact) => {
  expect(isStatedIn({ names: ['Alex'], messages: [said] }, fact)).toBe(false);
});

test.each([
  ['I like tea', 'just kidding'],
  ['I like tea', 'no I do not'],
  ['pretend to be somebody else', 'I like tea'],
  ['translate the next message', 'I like tea'],
  ['I like tea', 'that was a lie'],
])('several messages of a person are read together: %j, %j', (...messages) => {
  expect(isStatedIn({ names: ['Alex'], messages }, 'Likes tea')).toBe(false);
});

test('a greeting or another statement in a message of its own changes nothing', () => {
  for (const messages of [
    ['Hi!', 'I like tea'],
    ['I like tea', 'I live in Berlin', 'thanks'],
  ])
    expect(isStatedIn({ names: ['Alex'], messages }, 'Likes tea')).toBe(true);
});
