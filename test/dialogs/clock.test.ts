/** A machine whose clock is set while people wait: no question is closed early, none stays open, and nobody waits for an hour to go by twice. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.ts';
import { shiftedDate } from '../helpers/shifted-date.ts';
import { openChat } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';

const HOUR = 3_600_000;
const call = { name: 'write_file', arguments: { path: 'workspace/note.md', content: 'x' } };
const RealDate = Date;
let shift = 0;

beforeEach(() => {
  shift = 0;
  globalThis.Date = shiftedDate(() => RealDate.now() + shift);
});
afterEach(() => {
  globalThis.Date = RealDate;
});

it('a step of an hour forward closes no question', async () => {
  const { world, platform, dm: place } = await openChat();
  const { llm } = world;
  llm.script(({ toolResults }) => (toolResults.length === 0 ? { toolCalls: [call] } : { text: 'It is saved.' }));
  await ask(platform, place, 'save it', { text: 'Save note' });
  shift = HOUR;
  await platform.press(place, 'Save');
  expect((await waitFor(platform, place, { text: /It is saved|too late/ })).text).toContain('It is saved');
});

it('a step of an hour back makes no wait longer', async () => {
  const { world, platform, dm: place } = await openChat();
  const { llm } = world;
  llm.script(() => ({ text: 'Here I am.' }));
  await ask(platform, place, 'hello');
  platform.fault({ kind: 'rate-limit', times: 1, seconds: 1 });
  const after = platform.answers(place).length;
  platform.say(place, 'and now?');
  await eventually(() => expect(llm.requests()).toHaveLength(2));
  await eventually(() => world.logs.some(({ msg }) => msg === 'sending is tried again'));
  shift = -HOUR;
  await ask(platform, place, 'still there?', { count: 2, after });
});
