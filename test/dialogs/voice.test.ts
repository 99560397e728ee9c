/** Voice messages on every platform: what was said is quoted, kept, and answered as if it had been written. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { m4a, oggOpus } from '../emulators/llm/audio.ts';
import type { LlmRequest, Turn } from '../emulators/llm.ts';
import { onEveryPlatform, openChat } from '../kit/kit.ts';
import { ask, type GivenFile, type Place, type Platform, type SeenFile, waitFor } from '../platforms/platform.ts';
import type { ChannelName, PlatformWorld } from '../platforms/world.ts';

const bytesFor = (name: ChannelName): Buffer => (name === 'slack' ? m4a() : oggOpus());
const note = (name: ChannelName, more: Partial<NonNullable<GivenFile['voice']>> = {}): GivenFile => ({
  ...{ name: 'voice', bytes: bytesFor(name), voice: { seconds: 3, ...more } },
});
const WORDS = 'please remind me to call mum';

async function open(
  name: ChannelName,
  config: Record<string, unknown> = {},
): Promise<[PlatformWorld, Platform, Place]> {
  const voice = { model: 'local/whisper-1', ...(config.voice as object) };
  const { world, platform, dm } = await openChat({ channel: { live: 'off' }, config: { ...config, voice } }, name);
  world.llm.audio.hears(WORDS);
  return [world, platform, dm];
}

const session = (world: PlatformWorld): string => {
  const folder = path.join(world.home, 'agents', 'default', 'sessions');
  const file = fs.existsSync(folder) ? fs.readdirSync(folder).find((each) => each.endsWith('.jsonl')) : undefined;
  return file === undefined ? '' : fs.readFileSync(path.join(folder, file), 'utf8');
};

describe.each(onEveryPlatform)('on %s', (name) => {
  it('a voice message is quoted, kept and answered', async () => {
    const [world, platform, dm] = await open(name);
    platform.say(dm, '', { files: [note(name)] });
    const echo = await waitFor(platform, dm, { text: WORDS });
    expect(echo.text.replace(/^(> ?|&gt; ?)/, '')).toContain(WORDS);
    const answer = await waitFor(platform, dm, { after: 1 });
    expect(answer.text).toContain(WORDS);
    const [sent] = world.llm.audio.transcriptions();
    expect(sent).toMatchObject({ model: 'whisper-1', size: 400, authorization: 'Bearer sk-test-model-key-123' });
    expect(sent?.fileName).toMatch(name === 'slack' ? /\.m4a$/ : /\.ogg$/);
    const [task = ''] = world.tasks();
    const kept = fs.readdirSync(path.join(world.home, 'artifacts', task)).filter((each) => /\.(ogg|m4a)$/.test(each));
    expect(kept).toHaveLength(1);
    expect(fs.readFileSync(path.join(world.home, 'artifacts', task, kept[0] ?? ''))).toEqual(bytesFor(name));
    const [request] = world.llm.requests();
    expect(request?.lastUser).toContain(WORDS);
    expect(request?.lastUser).toContain('Spoken in a voice message');
    expect(request?.lastUser).not.toContain('Attached files');
    const usage = world.read(path.join('usage', fs.readdirSync(path.join(world.home, 'usage'))[0] ?? ''));
    expect(usage).toContain('"model":"local/whisper-1"');
    expect(usage).toContain('"seconds":3');
    expect(JSON.parse(world.read(`artifacts/${task}/task.json`))).toMatchObject({ goal: WORDS });
  });
});

describe('a voice message', () => {
  const name = 'loopback';
  it('what cannot be heard is said in one line, and heard when it is tried again', async () => {
    const [world, platform, dm] = await open(name);
    world.llm.audio.fault('server-error', 9);
    platform.say(dm, '', { files: [note(name)] });
    const told = await waitFor(platform, dm);
    expect(told.text).toContain("I couldn't listen to your voice message");
    expect(told.buttons).toEqual(['Retry']);
    expect(world.llm.requests()).toHaveLength(0);
    world.llm.audio.clear();
    world.llm.audio.hears(WORDS);
    world.llm.script((request: LlmRequest): Turn => {
      if (request.messages.at(-1)?.role === 'tool')
        return { text: `you said: ${/call mum/.exec(JSON.stringify(request.messages))?.[0]}` };
      const id = /read_file with path \\?"([\w-]+)/.exec(JSON.stringify(request.messages))?.[1] ?? '';
      return { toolCalls: [{ name: 'read_file', arguments: { path: id } }] };
    });
    await platform.press(dm, 'Retry');
    await waitFor(platform, dm, { text: 'you said: call mum' });
  });

  it('without anybody who writes it down the owner is told what to set, others are not', async () => {
    const { platform } = await openChat({ channel: { live: 'off' } });
    platform.say(platform.dm('alex'), '', { files: [note(name)] });
    const owner = await waitFor(platform, platform.dm('alex'));
    expect(owner.text.replaceAll('\\', '')).toMatch(/OPENAI_API_KEY, GROQ_API_KEY or DEEPGRAM_API_KEY/);
    platform.say(platform.dm('sam'), '', { by: 'sam', files: [note(name)] });
    const told = await waitFor(platform, platform.dm('sam'));
    expect(told.text).toContain('write it to me');
    expect(told.text).not.toContain('KEY');
  });

  it('a busy provider is asked again, and a group message is heard when it is for us', async () => {
    const [world, platform] = await open(name);
    world.llm.audio.fault('rate-limited', 2);
    const said = platform.say(platform.room, 'listen to this', { mention: true, files: [note(name)] });
    const place = platform.answerPlace(said);
    await waitFor(platform, place, { text: 'listen to this' });
    expect(world.llm.requests()[0]?.lastUser).toContain(WORDS);
    expect(world.llm.audio.transcriptions()).toHaveLength(3);
  });
});

it('words that Slack has written down itself cost nothing', async () => {
  const [world, platform, dm] = await open('slack');
  platform.say(dm, '', { files: [note('slack', { transcript: 'from Slack itself' })] });
  await waitFor(platform, dm, { text: 'from Slack itself', count: 2 });
  expect(world.llm.audio.transcriptions()).toHaveLength(0);
});

it('a crash between the sound and its words repeats nothing that was said, and pays once', async () => {
  const { world, platform, dm } = await openChat({
    process: true,
    channel: { live: 'off' },
    config: { voice: { model: 'local/whisper-1' } },
    env: { OPENVIBER_CRASH_AT: 'run-files-read' },
  });
  world.llm.audio.hears(WORDS);
  platform.say(dm, '', { files: [note('telegram')] });
  await world.ended();
  await world.restart();
  await waitFor(platform, dm, { after: 1 });
  expect(platform.answers(dm)).toHaveLength(2);
  expect(world.llm.audio.transcriptions()).toHaveLength(1);
  expect(session(world).match(/"type":"message"/g)).toHaveLength(1);
});

describe('voice.reply: same', () => {
  const voice = { reply: 'same', speech: 'local/gpt-4o-mini-tts' };

  it.each(onEveryPlatform)(
    'on %s answers a voice message by voice with its text, and a written one in writing',
    async (name) => {
      const [world, platform, dm] = await open(name, { voice });
      world.llm.script(() => ({ text: '**Done**: see [the list](https://example.org/list).' }));
      platform.say(dm, '', { files: [note(name)] });
      const answer = await waitFor(platform, dm, { file: 'answer.ogg' });
      await waitFor(platform, dm, { text: 'Done' });
      expect(
        platform
          .bytes(answer.files[0] as SeenFile)
          .subarray(0, 4)
          .toString(),
      ).toBe('OggS');
      expect(world.llm.audio.speeches()).toMatchObject([
        { model: 'gpt-4o-mini-tts', input: 'Done: see the list.', voice: 'alloy', format: 'opus' },
      ]);
      const [usage = ''] = fs.readdirSync(path.join(world.home, 'usage'));
      const spoken = world
        .read(path.join('usage', usage))
        .split('\n')
        .find((line) => line.includes('gpt-4o-mini-tts'));
      expect(JSON.parse(spoken ?? '{}')).toMatchObject({ seconds: 3, unpricedTokens: 30, isEstimate: true });
      expect((await platform.command(dm, 'status')).text).toContain('price not known');
      await ask(platform, dm, 'and in writing', { text: 'Done' });
      expect(world.llm.audio.speeches()).toHaveLength(1);
    },
  );

  it('falls back to the text', async () => {
    const [world, platform, dm] = await open('telegram', { voice });
    world.llm.script(() => ({ text: 'in words then' }));
    platform.say(dm, '', { files: [note('telegram')] });
    await waitFor(platform, dm, { text: WORDS });
    world.llm.audio.fault('wrong-key', 3);
    expect((await waitFor(platform, dm, { text: 'in words then' })).files).toEqual([]);
  });
});
