/** A conversation as files: who gets it, where it is shown, and what is not in it. */
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { writeTranscript } from '../../src/workspace/tasks/transcript.ts';
import { tempFolder } from '../helpers/temp.ts';
import { onEveryPlatform, openChat } from '../kit/kit.ts';
import { quiet } from '../kit/quiet.ts';
import { ask, type Place, type Platform, until, waitFor } from '../platforms/platform.ts';
import type { ChannelName } from '../platforms/world.ts';

const SECRET = 'sk-test-model-key-123';

async function open(on?: ChannelName) {
  const chat = await openChat({ channel: { live: 'off', injection: 'followup' } }, on);
  chat.world.llm.script(({ lastUser }) => ({ text: `re ${lastUser.replace(/^\[.*?\]: /, '')}` }));
  return chat;
}

/** All that comes in a place after so many answers, once it holds two files. */
async function collect(platform: Platform, place: Place, after: number) {
  const texts = () =>
    platform
      .answers(place)
      .slice(after)
      .map(({ text }) => text)
      .join('\n');
  const both = () => {
    const files = platform
      .answers(place)
      .slice(after)
      .flatMap((one) => one.files);
    return files.length < 2 ? undefined : files;
  };
  const files = await until(both, () => `no files came: ${texts()}`);
  const contents = files.map((file) => [file.name.replace(/^.*\./, ''), platform.bytes(file).toString()]);
  return { text: texts(), ...Object.fromEntries(contents) };
}

describe.each(onEveryPlatform)('/export on %s', (name) => {
  it('of a shared place: whoever asked alone gets it alone', async () => {
    const { platform } = await open(name);
    const said = platform.say(platform.room, 'our common work', { mention: true });
    const place = platform.answerPlace(said);
    await waitFor(platform, place, { text: /re .*our common work/ });
    const before = platform.answers(place).length;
    const dm = platform.dm('alex');
    const own = platform.answers(dm).length;
    const where = name === 'slack' ? platform.room : place;
    const task = (await platform.command(where, 'tasks')).text.match(/\d{8}-[a-z0-9]+/)?.[0] ?? '';
    const told = await platform.command(where, 'export', name === 'slack' ? task : '');
    const { text, md } = await collect(platform, name === 'slack' ? dm : place, name === 'slack' ? own : before);
    expect(md).toContain('our common work');
    const isSeen = name === 'telegram';
    expect(`${told.text}${text}`).toContain(isSeen ? 'Everybody here can read it' : 'Only you get it');
    if (name === 'slack')
      expect(
        platform
          .answers(place)
          .slice(before)
          .flatMap(({ files }) => files),
      ).toEqual([]);
  });
});

describe('/export', () => {
  it('gives both files in a direct message, without secrets', async () => {
    const { platform, dm } = await open();
    await ask(platform, dm, 'what is the capital of Chad?');
    await ask(platform, dm, `and keep ${SECRET} for me`);
    const before = platform.answers(dm).length;
    const told = await platform.command(dm, 'export');
    const { text, md, json } = await collect(platform, dm, before);
    expect(`${told.text}${text}`).toMatch(/what is the capital of Chad.*4 messages/);
    expect(md).toMatch(/what is the capital of Chad\?[\s\S]*re what is the capital of Chad\?[\s\S]*and keep/);
    expect(JSON.parse(json)).toMatchObject({
      turns: [{ who: 'person' }, { who: 'viber', text: 're what is the capital of Chad?' }, {}, {}],
    });
    expect(`${md}${json}`).not.toContain(SECRET);
  });

  it('shows nothing in a shared place that was said in private, and says who reads it', async () => {
    const { platform, world, dm } = await open();
    await ask(platform, dm, 'my private worry');
    const [task = ''] = world.tasks();
    const said = platform.say(platform.room, 'our common work', { mention: true });
    const place = platform.answerPlace(said);
    await waitFor(platform, place, { text: /re .*our common work/ });
    const before = platform.answers(place).length;
    const own = platform.answers(platform.dm('sam')).length;
    const told = await platform.command(platform.room, 'export', task, 'sam');
    expect(told).toMatchObject({ files: [], text: expect.not.stringContaining('private worry') });
    await quiet();
    expect(
      platform
        .answers(place)
        .slice(before)
        .flatMap(({ files }) => files),
    ).toEqual([]);
    expect(platform.answers(platform.dm('sam'))).toHaveLength(own);
  });
});

it('of a task that came from a private chat: the group reads what was said in the group', async () => {
  const { platform, world, dm } = await open('telegram');
  await ask(platform, dm, 'my private worry');
  const [task = ''] = world.tasks();
  await platform.command(platform.room, 'open', task);
  await ask(platform, platform.room, 'our common work', { by: 'sam', mention: true, text: /re .*common/ });
  // Only the task's people and owners get it at all.
  expect((await platform.command(platform.room, 'export', '', 'sam')).text).toContain('Only people who take part in');
  const there = platform.answers(platform.room).length;
  await platform.command(platform.room, 'export');
  const { text, md, json } = await collect(platform, platform.room, there);
  expect(text).toContain('One message said elsewhere in private is not in it.');
  expect(md).toContain('our common work');
  // Its title was shown there when it was opened.
  expect(`${md}${json}`.replace(/^# .*|"title":"[^"]*"/gm, '')).not.toContain('private worry');
  const before = platform.answers(dm).length;
  await platform.command(dm, 'export');
  expect((await collect(platform, dm, before)).md).toMatch(/my private worry[\s\S]*our common work/);
});

describe('ten thousand turns', () => {
  function session(count: number, text: (index: number) => string): string {
    const file = path.join(tempFolder(), 's.jsonl');
    const fd = fs.openSync(file, 'w');
    const at = '2026-11-20T12:00:00.000Z';
    const from = { channel: 'telegram', user: 'telegram:1001', name: 'Alex' };
    for (let index = 0; index < count; index++) {
      const run = `r${index}`;
      const message = { type: 'message', id: run, run, at, text: text(index), from, files: [] };
      const result = { type: 'result', run, at, state: 'completed', text: text(index), summary: '', artifactRefs: [] };
      fs.writeSync(
        fd,
        `${JSON.stringify(message)}\n${index % 7 === 0 ? 'half a li\n' : ''}${JSON.stringify(result)}\n`,
      );
    }
    fs.closeSync(fd);
    return file;
  }
  const write = (session: string, maxBytes: number) =>
    writeTranscript({
      ...{ session, folder: tempFolder(), name: 'x', title: 'T', viber: 'viber', maxBytes, mayTell: () => true },
    });

  it('are whole where the platform takes them, packed where that helps', async () => {
    const file = session(5_000, (index) => `turn ${index} ${'words '.repeat(20)}`);
    const before = process.memoryUsage().heapUsed;
    const whole = await write(file, 50_000_000);
    expect([whole.turns, whole.cut, whole.files.map(({ name }) => name)]).toEqual([10_000, 0, ['x.md', 'x.json']]);
    expect(JSON.parse(fs.readFileSync(whole.files[1]?.path ?? '', 'utf8')).turns).toHaveLength(10_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(150_000_000);
    const packed = await write(file, 300_000);
    expect(packed.files.map(({ name }) => name)).toEqual(['x.md.gz', 'x.json.gz']);
    expect(gunzipSync(fs.readFileSync(packed.files[0]?.path ?? '')).toString()).toContain('turn 4999');
  });

  it('lose the oldest where even that is too large', async () => {
    const noise = (index: number) =>
      `turn ${index} ${Buffer.from(crypto.getRandomValues(new Uint8Array(300))).toString('hex')}`;
    const { files, cut, turns } = await write(session(1_000, noise), 100_000);
    expect(turns).toBe(2_000);
    expect(cut).toBeGreaterThan(1_000);
    for (const { path: file } of files) {
      expect(fs.statSync(file).size).toBeLessThanOrEqual(100_000);
      expect(fs.readFileSync(file, 'utf8')).toContain('turn 999 ');
    }
    expect(JSON.parse(fs.readFileSync(files[1]?.path ?? '', 'utf8')).leftOut).toBeGreaterThan(1_000);
  });
});
