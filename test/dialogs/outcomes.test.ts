/** What a question becomes: once it is decided, every message that asked it says how, and no button of it is left. */
import { describe, expect, it } from 'vitest';
import type { LlmRequest, Turn } from '../emulators/llm.ts';
import { letTimePass, onEveryPlatform, openChat } from '../kit/kit.ts';
import { ask, type Place, type Platform, type Seen, waitFor } from '../platforms/platform.ts';
import { NAMES, openPlatforms } from '../platforms/world.ts';

const channel = { live: 'off', injection: 'followup' };
const CLOCK = /\d\d:\d\d/;

/** Writes a note, and says what came of it. */
const writes = ({ toolResults }: LlmRequest): Turn =>
  toolResults.length > 0
    ? { text: `I was told: ${toolResults.at(-1)}` }
    : { toolCalls: [{ name: 'write_file', arguments: { path: 'workspace/notes.md', content: 'milk and eggs' } }] };

/** Notes two things to be remembered. */
const noted = (...facts: string[]): string =>
  ['Noted.', ...facts]
    .map((text, n) =>
      n === 0 ? text : `<memory_suggestion>\nAdd to MEMORY.md under "People":\n- ${text}\n</memory_suggestion>`,
    )
    .join('\n\n');
const learns = (): Turn => ({ text: noted('Kim drinks tea', 'Sam drinks coffee') });

/** The message itself as it stands now. */
const now = (platform: Platform, place: Place, { id }: Seen): Seen => {
  const seen = platform.answers(place).find((each) => each.id === id);
  if (!seen) throw new Error('the question is gone');
  return seen;
};

async function becomes(platform: Platform, place: Place, question: Seen, words: RegExp): Promise<Seen> {
  await expect.poll(() => now(platform, place, question).text).toMatch(words);
  return now(platform, place, question);
}

describe.each(onEveryPlatform)('a decided question on %s', (name) => {
  it('says by whom and when, keeps its own words, and has no buttons, also when the gateway was away in between', async () => {
    const { world, platform, dm } = await openChat({ channel }, name);
    world.llm.script(writes);
    const asked = await ask(platform, dm, 'keep a note', { text: 'notes.md' });
    expect(asked.buttons.length).toBeGreaterThan(1);
    await world.restart();
    await platform.press(dm, asked.buttons[0] ?? '');
    const told = await becomes(platform, dm, asked, /Approved by alex/i);
    expect(told.text).toMatch(CLOCK);
    expect(told.text).toContain('notes.md');
    expect(told.buttons).toEqual([]);
    await waitFor(platform, dm, { text: 'I was told' });
    // Nothing else was sent for it: the question, the answer to the press, the answer.
    expect(platform.answers(dm)).toHaveLength(3);
  });

  it('loses the buttons of what was decided alone where it asks several things', async () => {
    const { world, platform, dm } = await openChat({ channel }, name);
    world.llm.script(learns);
    const asked = await ask(platform, dm, 'tea for Kim, coffee for Sam', { text: 'May I remember' });
    const rows = asked.buttons.length / 2;
    await platform.press(dm, 'Accept 1');
    const half = await becomes(platform, dm, asked, /Remembered \(alex/i);
    expect(half.buttons).toHaveLength(rows);
    expect(half.text).toContain('Noted.');
    await platform.press(dm, 'Reject 2');
    const whole = await becomes(platform, dm, asked, /Not remembered \(alex/i);
    expect(whole.buttons).toEqual([]);
    expect(whole.text).toMatch(/Remembered \(alex/i);

    // A long answer stays whole around it.
    const lines = Array.from({ length: 900 }, (_, line) => `line ${line} of a long answer`);
    world.llm.script(() => ({ text: `${lines.join('\n\n')}\n\n${noted('Kim walks', 'Sam swims')}` }));
    const last = await ask(platform, dm, 'tell me all', { text: 'May I remember' });
    const before = platform.answers(dm);
    await platform.press(dm, 'Accept 1');
    await waitFor(platform, dm, { after: before.length, text: "I'll remember" });
    await expect.poll(() => now(platform, dm, last).buttons.length).toBe(last.buttons.length / 2);
    const after = platform.answers(dm).slice(0, before.length);
    const shown = after.map(({ text }) => text).join('\n');
    expect(lines.filter((line) => !shown.includes(line))).toEqual([]);
    expect(after.slice(0, -1).map(({ text }) => text)).toEqual(before.slice(0, -1).map(({ text }) => text));
  });
});

describe('a decided question', () => {
  it('says so when nobody answered in time', async () => {
    const { world, platform, dm } = await openChat({ channel });
    world.llm.script(writes);
    const asked = await ask(platform, dm, 'keep a note', { text: 'notes.md' });
    await world.stop();
    letTimePass(world);
    await world.restart();
    const told = await becomes(platform, dm, asked, /Nobody answered in time/);
    expect(told.buttons).toEqual([]);
  });

  it('stays open when the person writes of something else, and says so once they have changed the same matter', async () => {
    const { world, platform, dm } = await openChat({ channel });
    world.llm.script(writes);
    const asked = await ask(platform, dm, 'keep a note', { text: 'notes.md' });
    world.llm.script(() => ({ text: 'half past four' }));
    await ask(platform, dm, 'what time is it in Lima', { text: 'half past four' });
    expect(now(platform, dm, asked)).toMatchObject({ text: asked.text, buttons: asked.buttons });
    // The results of this turn alone: what waits has none.
    world.llm.script(({ lastUser, toolResults }) => {
      const content = 'tea and bread';
      return lastUser.includes('rather tea') && toolResults.length === 0
        ? { toolCalls: [{ name: 'write_file', arguments: { path: 'workspace/notes.md', content } }] }
        : { text: `I was told: ${toolResults.at(-1)}` };
    });
    const after = platform.answers(dm).length;
    const again = await ask(platform, dm, 'rather tea and bread', { text: 'notes.md' });
    expect(platform.answers(dm).findIndex(({ id }) => id === again.id)).toBeGreaterThanOrEqual(after);
    const told = await becomes(platform, dm, asked, /wrote to me instead/);
    expect(told.buttons).toEqual([]);
    expect(world.read('vibers/default/notes.md')).toBe('');
  });

  it('says what was chosen, in place of the choices, after a restart as well', async () => {
    const { world, platform, dm } = await openChat({ channel });
    world.llm.script(({ toolResults }) =>
      toolResults.length > 0
        ? { text: `I was told: ${toolResults.at(-1)}` }
        : { toolCalls: [{ name: 'ask_user', arguments: { question: 'Which tea?', options: ['green', 'black'] } }] },
    );
    const asked = await ask(platform, dm, 'make tea', { text: 'Which tea?' });
    expect(asked.buttons).toEqual(['green', 'black']);
    await world.restart();
    await platform.press(dm, 'black');
    const told = await becomes(platform, dm, asked, /alex chose "black", \d\d:\d\d/i);
    expect(told.text).toContain('Which tea?');
    expect(told.buttons).toEqual([]);
    await waitFor(platform, dm, { text: 'I was told' });
  });
});

it('is decided in one chat and told in every chat that was asked, after a restart as well', async () => {
  const world = await openPlatforms({ channel });
  const all = NAMES.map((name) => world.platforms[name]);
  for (const platform of all) await platform.command(platform.dm('alex'), 'status');
  const [telegram, discord, slack] = [world.platforms.telegram, world.platforms.discord, world.platforms.slack];
  telegram.say(telegram.dm('kim'), 'hello, may I?', { by: 'kim' });
  const questions = await Promise.all(
    all.map((platform) => waitFor(platform, platform.dm('alex'), { text: /asks to be let in/ })),
  );
  await world.restart();
  await discord.press(discord.dm('alex'), 'Approve');
  for (const [index, platform] of [telegram, discord, slack].entries()) {
    const question = questions[index];
    if (!question) throw new Error('one was not asked');
    const told = await becomes(platform, platform.dm('alex'), question, /Let in by alex/i);
    expect(told.buttons).toEqual([]);
  }
});
