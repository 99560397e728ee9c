/** That a message was seen: a sign of the platform's own, soon, gone with the answer; and on Telegram the answer as a draft. */
import { describe, expect, it } from 'vitest';
import { quiet } from '../kit/quiet.ts';
import { waitFor } from '../platforms/platform.ts';
import { slackPlatform } from '../platforms/slack.ts';
import { openPlatforms } from '../platforms/world.ts';
import { ALEX, lastId, openWorld, STRANGER } from './harness.ts';

const BLOCK = '```artifact_deltas\n[{"title":"data.csv","type":"text/csv","content":"a,b"}]\n```';

describe('on Telegram', () => {
  it('a message that takes a while has eyes on it until the answer is there', async () => {
    const world = await openWorld();
    world.llm.script(() => ({ text: 'There it is.', delayMs: 1_500 }));
    const said = world.telegram.say(ALEX, 'take your time');
    const reactions = () =>
      world.telegram.chat(ALEX).messages.find((message) => message.id === said.message_id)?.reactions;
    await expect.poll(reactions).toEqual(['👀']);
    await world.telegram.wait({ chat: ALEX, from: 'bot', text: 'There it is.' });
    await expect.poll(reactions).toEqual([]);
  });

  it('the answer grows as a draft, in which no block is ever seen, and comes as one message', async () => {
    const world = await openWorld();
    const text = `Here is **all of it**.\n\n${BLOCK}\n\nBye, everybody!`;
    world.llm.script(() => ({ chunks: text.match(/[\s\S]{1,6}/g) ?? [], chunkDelayMs: 150 }));
    const said = world.telegram.say(ALEX, 'go');
    const answer = await world.telegram.wait({ chat: ALEX, from: 'bot', text: 'everybody!' });
    const drafts = world.telegram.requests().filter(({ method }) => method === 'sendMessageDraft');
    expect(drafts.length).toBeGreaterThan(0);
    expect(JSON.stringify(drafts)).not.toMatch(/artifact_deltas|data\.csv/);
    expect(answer.editedCount).toBe(0);
    expect(world.telegram.chat(ALEX).messages.filter(({ from }) => from === 'bot')).toHaveLength(1);
    expect(answer.id).toBeGreaterThan(said.message_id);
  });

  it('the button under the draft stops the work', async () => {
    const world = await openWorld();
    world.llm.script(() => ({ chunks: Array.from({ length: 400 }, (_, n) => `word${n} `), chunkDelayMs: 100 }));
    world.telegram.say(ALEX, 'go on for long');
    await expect.poll(() => world.telegram.requests().some(({ method }) => method === 'sendMessageDraft')).toBe(true);
    world.telegram.stopDraft(ALEX);
    const answer = await world.telegram.wait({ chat: ALEX, from: 'bot' });
    expect(answer.text).toMatch(/[Ss]topp/);
    await quiet();
    expect(world.telegram.chat(ALEX).messages.filter(({ from }) => from === 'bot')).toHaveLength(1);
  });

  it('the button under the draft in a private topic stops the work of that topic alone', async () => {
    const world = await openWorld({ telegram: { access: { dm: 'open' } } });
    await world.ask('hello', STRANGER);
    const after = lastId(world.telegram, STRANGER);
    const topic = world.telegram.topic(STRANGER, 'Cooking');
    world.llm.script(({ lastUser }) =>
      lastUser === 'a recipe'
        ? { chunks: Array.from({ length: 400 }, (_, n) => `word${n} `), chunkDelayMs: 100 }
        : { text: 'There it is.', delayMs: 4_000 },
    );
    world.telegram.say(STRANGER, { text: 'a recipe', thread: topic });
    world.telegram.say(STRANGER, 'take your time');
    await world.llm.waitFor(({ lastUser }) => lastUser === 'take your time');
    await expect.poll(() => world.telegram.chat(STRANGER).draft).toContain('word');
    world.telegram.stopDraft(STRANGER);
    const stopped = await world.telegram.wait({ chat: STRANGER, from: 'bot', after });
    expect([stopped.thread, stopped.text]).toEqual([topic, expect.stringMatching(/[Ss]topp/)]);
    const answer = await world.telegram.wait({ chat: STRANGER, from: 'bot', text: 'There it is.' });
    expect(answer.thread).toBeUndefined();
  });

  it('where the server knows no drafts the message is edited as it grows', async () => {
    const world = await openWorld();
    world.telegram.fault({ method: 'sendMessageDraft', kind: 'status', status: 404, times: 100 });
    world.llm.script(() => ({ chunks: Array.from({ length: 40 }, (_, n) => `word${n} `), chunkDelayMs: 120 }));
    world.telegram.say(ALEX, 'go');
    const answer = await world.telegram.wait({ chat: ALEX, from: 'bot', text: 'word39' });
    expect(answer.editedCount).toBeGreaterThan(0);
    expect(world.telegram.requests().filter(({ method }) => method === 'sendMessageDraft')).toHaveLength(1);
  });
});

it('in a channel’s thread on Slack it is said by the agent’s status, once', async () => {
  const slack = await slackPlatform();
  const world = await openPlatforms({ on: ['slack'], given: { slack } });
  world.llm.script(() => ({ text: 'There it is.', delayMs: 1_500 }));
  const said = slack.say(slack.room, 'take your time', { mention: true });
  await waitFor(slack, slack.answerPlace(said), { text: 'There it is.' });
  const signs = slack.emulator.requests().filter(({ method }) => method === 'assistant.threads.setStatus');
  expect(signs.map(({ params }) => params.status)).toEqual(['is thinking…']);
});

it('in a direct message on Slack it is eyes on the message, before the model has answered, until the answer is there', async () => {
  const slack = await slackPlatform();
  const world = await openPlatforms({ on: ['slack'], given: { slack } });
  const isAsked = Promise.withResolvers<void>();
  world.llm.script(async () => {
    await isAsked.promise;
    return { text: 'There it is.' };
  });
  const place = slack.dm('alex');
  const said = slack.say(place, 'take your time');
  const eyes = () =>
    slack.emulator
      .channel(place.chat)
      .messages.find(({ ts }) => ts === said)
      ?.reactions.map(({ name }) => name);
  await expect.poll(eyes).toEqual(['eyes']);
  isAsked.resolve();
  await waitFor(slack, place, { text: 'There it is.' });
  await expect.poll(eyes).toEqual([]);
});
