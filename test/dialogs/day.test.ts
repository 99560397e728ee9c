/** One day with a viber, played on each platform: the parts that have tests of their own, one after the other in one conversation. */
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { m4a, oggOpus } from '../emulators/llm/audio.ts';
import type { LlmRequest, ToolCall, Turn } from '../emulators/llm.ts';
import { startSearch } from '../emulators/search.ts';
import { manualClock } from '../jobs/manual-clock.ts';
import { onEveryPlatform, openChat, press } from '../kit/kit.ts';
import { ask, type Place, type Platform, type Seen, waitFor } from '../platforms/platform.ts';
import type { PlatformName } from '../platforms/world.ts';
import { docx } from '../runtime/reading/made.ts';

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** One call of a tool, and then what it gave; without a call what was said. */
const calls =
  (name?: string, args: object = {}) =>
  ({ toolResults, model, lastUser }: LlmRequest): Turn => {
    if (name === undefined) return { text: `${model} heard ${lastUser}` };
    return toolResults.length > 0
      ? { text: `Told: ${toolResults.at(-1)}` }
      : { toolCalls: [{ name, arguments: args } as ToolCall] };
  };

async function wakeUp(name: PlatformName) {
  const point = await startSearch();
  const options = {
    // Sunday, 12:00 in Berlin.
    ...{ clock: manualClock('2026-01-11T11:00:00Z'), channel: { live: 'off', injection: 'followup' } },
    config: {
      ...{ jobs: { timezone: 'Europe/Berlin' }, voice: { model: 'local/whisper-1' } },
      ...{ search: { by: 'searxng', url: point.url }, models: ['local/big-model'] },
    },
    files: { 'workspace/MEMORY.md': '# Memory\n\n- Kim drinks tea\n- Sam drinks milk\n' },
  };
  return { point, ...(await openChat(options, name)) };
}

const now = (platform: Platform, place: Place, { id }: Seen) => platform.answers(place).find((seen) => seen.id === id);

describe.each(onEveryPlatform)('a day on %s', (name) => {
  it('has a voice note, a document, a search, a reminder moved by a button, a fact forgotten, another model and a restart', async () => {
    const { point, world, platform, dm } = await wakeUp(name);

    // A voice note is quoted and answered.
    world.llm.audio.hears('what is on today');
    world.llm.script(calls());
    const bytes = name === 'slack' ? m4a() : oggOpus();
    platform.say(dm, '', { files: [{ name: 'voice', bytes, voice: { seconds: 3 } }] });
    await waitFor(platform, dm, { text: 'what is on today' });
    await waitFor(platform, dm, { text: 'test-model heard', after: 1 });

    // A document is read, and stays known on the next turn.
    world.llm.script(({ messages }) => ({ text: `It says: ${/at nine/.exec(JSON.stringify(messages))?.[0]}` }));
    const files = [{ name: 'invitation.docx', bytes: docx('The meeting is at nine.'), type: DOCX }];
    await ask(platform, dm, 'what does it say?', { files, text: 'It says: at nine' });

    // Words leave in a search only after a yes: the memory and the document are private.
    world.llm.script(calls('web_search', { query: 'capital of Chad' }));
    const search = await ask(platform, dm, 'look up the capital of Chad', { text: 'Search the web for' });
    expect(search.text).toContain('capital of Chad');
    expect(point.queries).toEqual([]);
    const found = await press(platform, dm, search.buttons[0] ?? '', 'Told:');
    expect(point.queries).toMatchObject([{ of: 'searxng', query: 'capital of Chad' }]);
    expect(found.text).toContain('geo.example.org');

    // A reminder in words, at another time by a button.
    const reminder = { name: 'Call mum', schedule: 'tomorrow at 9', prompt: 'Remind Alex to call mum' };
    world.llm.script(calls('create_scheduled_job', reminder));
    await ask(platform, dm, 'remind me to call mum tomorrow at 9', {
      text: 'Remind you tomorrow (Mon) at 09:00 Berlin time: call mum?',
    });
    await press(platform, dm, 'Another time', 'When instead?');
    await ask(platform, dm, 'tomorrow at 10:30', { text: 'Remind you tomorrow (Mon) at 10:30 Berlin time: call mum?' });
    await press(platform, dm, 'Yes', 'Told:');
    expect(parse(world.read('jobs/call-mum.yaml'))).toMatchObject({ schedule: '2026-01-12T09:30:00Z' });

    // A fact is forgotten in words, once it was shown which; the question outlives a restart.
    world.llm.script(calls('forget', { words: 'Kim tea' }));
    const question = await ask(platform, dm, "don't keep that about Kim", { text: 'Forget this: Kim drinks tea?' });
    await world.restart();
    await press(platform, dm, 'Forget it', 'Told:');
    expect(world.read('workspace/MEMORY.md')).not.toContain('Kim');
    expect(world.read('workspace/MEMORY.md')).toContain('Sam drinks milk');

    // The model is changed in words, and answers from then on.
    world.llm.script(calls('set_model', { model: 'big' }));
    await ask(platform, dm, 'use the big model here', { text: 'Told:' });
    world.llm.script(calls());
    await ask(platform, dm, 'hello', { text: 'big-model heard' });

    // After another restart what was decided says so and has no buttons, and pressing it on a client that lags changes nothing.
    await world.restart();
    await expect.poll(() => now(platform, dm, question)?.text).toMatch(/Approved by alex.*\d\d:\d\d/is);
    expect(now(platform, dm, question)?.buttons).toEqual([]);
    for (const seen of platform.answers(dm)) expect(seen.buttons, seen.text).toEqual([]);
    const memory = world.read('workspace/MEMORY.md');
    await platform.press(dm, 'Forget it', 'alex', true);
    await ask(platform, dm, 'still there?', { text: 'big-model heard' });
    expect(world.read('workspace/MEMORY.md')).toBe(memory);
    expect(world.tasks()).toHaveLength(1);
    expect(point.queries).toHaveLength(1);
    const said = platform.answers(dm).filter(({ text }) => !/^(Told: |\S+-model heard)/.test(text));
    for (const { text } of said)
      expect(text).not.toMatch(/web_search|create_scheduled_job|set_model|\bruns?\b|\btrace\b/);
  });
});
