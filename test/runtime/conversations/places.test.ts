/** How the places of a task are called to people. */
import { expect, test } from 'vitest';
import { messagesIn } from '../../../src/messages/messages.ts';
import { addressName, placesOf } from '../../../src/runtime/conversations/places.ts';

test('what somebody has begun on the Board is told as that, whatever chat they are known from', () => {
  const place = (...conversations: string[]) => placesOf(conversations, messagesIn('en'));
  expect(place('api@api:telegram-1001')).toBe('the Board');
  expect(place('api@api:person-alex:20261123-abcde')).toBe('the Board');
  expect(place('api@api:builder:20261123-abcde')).toBe('a program');
  expect(place('telegram@1:1001', 'api@api:person-alex')).toBe('the Board, Telegram');
});

test('a place that stands by itself is named as such, where a language tells that apart', () => {
  const german = messagesIn('de');
  expect(placesOf(['terminal@t:me', 'api@api:builder:20261123-abcde'], german)).toBe('ein Programm, das Terminal');
  expect(addressName({ channel: 'terminal', account: 't', chat: 'me' }, german)).toBe('dem Terminal');
});
