/** Files of the message that is answered or forwarded come along as if attached, and count as what others have said. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { oggOpus } from '../emulators/llm/audio.ts';
import { onEveryPlatform, openChat } from '../kit/kit.ts';
import { ask, type GivenFile, type Person, type Platform } from '../platforms/platform.ts';
import type { slackPlatform } from '../platforms/slack.ts';
import type { telegramPlatform } from '../platforms/telegram.ts';
import { openPlatforms, type PlatformWorld } from '../platforms/world.ts';

type Slack = Awaited<ReturnType<typeof slackPlatform>>;
type Telegram = Awaited<ReturnType<typeof telegramPlatform>>;

const REPORT = { name: 'report.txt', type: 'text/plain', text: 'Sales fell by a third in May.' };

/** On Slack nobody answers a message: they pass it on, with the file in it. */
function shareOf(platform: Platform, id: string, text: string, by: Person): void {
  const { emulator } = platform as Slack;
  const shared = emulator.channel(platform.room.chat).messages.find((message) => message.ts === id);
  const base = `${new URL(emulator.url).origin}/files-pri/${emulator.team.id}`;
  const files = (shared?.files ?? []).map((file) => ({
    ...{ id: file.id, mode: 'hosted', name: file.name, size: file.size, mimetype: file.mimeType },
    url_private_download: `${base}-${file.id}/download/${file.name}`,
    ...(file.name.endsWith('.m4a') && { subtype: 'slack_audio', duration_ms: 3000 }),
  }));
  const from = platform.identity(by).split(':').at(-1);
  const ts = (Date.now() / 1000).toFixed(6);
  emulator.sendEvent({
    ...{ type: 'app_mention', channel: platform.room.chat, user: from, ts, event_ts: ts },
    text: `<@${emulator.bot.userId}> ${text}`,
    attachments: [{ is_share: true, author_id: 'U0KIM0000', author_name: 'Kim', text: '', files }],
  });
}

/** Kim, whom nobody has let in, sends files to everybody; somebody else asks about them. */
async function askAbout(
  world: PlatformWorld,
  platform: Platform,
  files: GivenFile[],
  { text = 'sum it up', by = 'alex', of }: { text?: string; by?: Person; of?: string } = {},
): Promise<{ of: string; request: string }> {
  const id = of ?? platform.say(platform.room, '', { by: 'kim', files });
  const before = world.llm.requests().length;
  if (platform.name === 'slack') shareOf(platform, id, text, by);
  else platform.say(platform.room, text, { by, mention: true, replyTo: id });
  await expect
    .poll(() =>
      world.llm
        .requests()
        .slice(before)
        .some((each) => each.lastUser.includes(text)),
    )
    .toBe(true);
  const request = world.llm.requests().findLast((each) => each.lastUser.includes(text));
  return { of: id, request: request?.lastUser ?? '' };
}

const kept = (world: PlatformWorld, ending: string): string[] =>
  world.tasks().flatMap((task) => {
    const folder = path.join(world.home, 'artifacts', task);
    return fs
      .readdirSync(folder)
      .filter((name) => name.endsWith(ending))
      .map((name) => path.join(folder, name));
  });

describe.each(onEveryPlatform)('on %s', (name) => {
  const kim = name === 'discord' ? 'carl' : 'Kim';

  it('a picture is shown to the model; a document is attached, named as quoted, and fetched once', async () => {
    const { world, platform } = await openChat({ channel: { live: 'off' } }, name);
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await askAbout(world, platform, [{ name: 'plot.png', type: 'image/png', bytes: png }], { text: 'what is this?' });
    const shown = world.llm.requests().findLast((each) => each.lastUser.includes('what is this?'));
    expect(JSON.stringify(shown?.messages)).toContain(png.toString('base64'));
    const { of, request } = await askAbout(world, platform, [REPORT]);
    expect(request).toContain('[document report.txt]');
    expect(request).toMatch(
      new RegExp(`^- in-\\w+: "report\\.txt" \\(text/plain, 29 bytes\\), quoted from "${kim}"$`, 'm'),
    );
    const [file = ''] = kept(world, '.txt');
    expect(fs.readFileSync(file, 'utf8')).toBe(REPORT.text);
    if (name === 'slack') return;
    await askAbout(world, platform, [], { of, text: 'and by month?' });
    if (name === 'telegram') {
      expect(kept(world, '.txt')).toEqual([file]);
      // The picture, and the document once.
      expect((platform as Telegram).emulator.requests('file')).toHaveLength(2);
    }
  });

  it('a voice note is heard as what somebody else has said', async () => {
    const voice = { model: 'local/whisper-1' };
    const world = await openPlatforms({ on: [name], channel: { live: 'off' }, config: { voice } });
    world.llm.audio.hears('I will be late');
    const platform = world.platforms[name];
    const note = { name: 'voice', bytes: oggOpus(), voice: { seconds: 3 } };
    const { request } = await askAbout(world, platform, [note], { text: 'what does he say?' });
    expect(request).toMatch(new RegExp(`<recording name="[^"]+" from="${kim}">\nI will be late\n</recording>`));
    expect(request).not.toContain('Spoken in a voice message');
  });
});

describe('of files that are quoted', () => {
  it('own files come first, and the limit holds for all together', async () => {
    const config = { limits: { filesPerMessage: 2, freeBytes: 0, messagesPerMinute: 1000 } };
    const { world, platform } = await openChat({ channel: { live: 'off' }, config }, 'telegram');
    const many = ['a', 'b', 'c'].map((each) => ({ ...REPORT, name: `${each}.txt`, text: each }));
    const { request } = await askAbout(world, platform, many);
    expect(request.match(/^- in-/gm)).toHaveLength(2);
    expect(request).toContain('"c.txt" was left out: at most 2 files a message');
  });

  it('a guest may ask about one as well, and one that is too large is named', async () => {
    const limits = { downloadBytes: 10, freeBytes: 0, messagesPerMinute: 1000 };
    const { world, platform } = await openChat({ channel: { live: 'off' }, config: { limits } }, 'telegram');
    const { request } = await askAbout(world, platform, [REPORT, { ...REPORT, name: 's.txt', text: 'small' }], {
      by: 'kim',
    });
    expect(request).toContain('"report.txt" could not be fetched: The file report.txt is too large');
    expect(request).toContain(`"s.txt" (text/plain, 5 bytes), quoted from "Kim"`);
  });
});

describe('albums on Telegram', () => {
  const pages = ['a', 'b', 'c'].map((each) => ({ ...REPORT, name: `${each}.txt`, text: each }));

  it('come along whole when one of their parts is answered', async () => {
    const world = await openPlatforms({ on: ['telegram'], channel: { live: 'off' } });
    const { request } = await askAbout(world, world.platforms.telegram, pages);
    for (const each of pages) expect(request).toContain(`"${each.name}" (text/plain, 1 bytes), quoted from "Kim"`);
  });

  it('that answer something quote it once', async () => {
    const { world, platform } = await openChat({ channel: { live: 'off' } }, 'telegram');
    const of = platform.say(platform.room, '', { by: 'kim', files: [REPORT] });
    platform.say(platform.room, 'compare', { mention: true, replyTo: of, files: pages });
    await expect.poll(() => world.llm.requests().length).toBeGreaterThan(0);
    const request = world.llm.requests().find((each) => each.lastUser.includes('compare'))?.lastUser ?? '';
    expect(request.match(/<quoted/g)).toHaveLength(1);
    expect(request.match(/^- in-\w+: "(\w+)\.txt"/gm)).toHaveLength(4);
  });
});

it("the viber's own file is known, not kept a second time", async () => {
  const { world, platform } = await openChat({ channel: { live: 'off' } }, 'telegram');
  const input = { title: 'plan.txt', type: 'text/plain', content: 'one two' };
  world.llm.script((asked) =>
    asked.messages.at(-1)?.role === 'tool' || !asked.lastUser.includes('write it')
      ? { text: 'Here it is.' }
      : { toolCalls: [{ name: 'create_artifact', arguments: input }] },
  );
  const { id } = await ask(platform, platform.room, 'write it', { mention: true, file: 'plan.txt' });
  const made = kept(world, '.txt');
  await ask(platform, platform.room, 'make it longer', { replyTo: id });
  const request = world.llm.requests().findLast((each) => each.lastUser.includes('make it longer'))?.lastUser ?? '';
  expect(request).toMatch(/"plan\.txt" \(text\/plain, 7 bytes\), quoted from you$/m);
  expect(kept(world, '.txt')).toEqual(made);
});
