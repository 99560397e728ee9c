/** Pictures as people send them, against a model that refuses what providers refuse. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { messagesIn } from '../../../src/messages/messages.ts';
import { lookAtPicture } from '../../../src/runtime/agent/picture.ts';
import type { AgentOutcome } from '../../../src/runtime/contract/agent.ts';
import type { Prompt } from '../../../src/runtime/contract/model.ts';
import type { InputFile, TaskMessage } from '../../../src/runtime/contract/task.ts';
import { fitFiles } from '../../../src/runtime/model/files-room.ts';
import { createRedrawing, type Redrawing, redrawn } from '../../../src/runtime/reading/pictures.ts';
import { startLlm } from '../../emulators/llm.ts';
import { corners, gif, HEIC, JPEG, png, turned, WEBP } from '../../helpers/made-pictures.ts';
import { tempFolder } from '../../helpers/temp.ts';
import { PATIENT, record, runWith, tool } from './fixtures.ts';

const llm = await startLlm({ pictures: true });
const dir = tempFolder(afterAll);
afterAll(() => llm.close());
beforeEach(() => llm.reset());

const local = () => ({ local: { baseURL: llm.url } });
const noisy = (width: number, height: number) => png(width, height, randomBytes);

async function file(name: string, bytes: Buffer, mimeType: string): Promise<InputFile> {
  const path = join(dir, `${randomBytes(4).toString('hex')}-${name}`);
  await writeFile(path, bytes);
  return { path, name, mimeType };
}

const asking = (...files: InputFile[]): { messages: TaskMessage[] } => ({
  messages: [{ role: 'user', text: 'what is it?', files }],
});
const ask = (...files: InputFile[]) => runWith(local(), asking(...files), record(), PATIENT);
const told = ({ unseen = [] }: AgentOutcome) => unseen.map(({ name, why }) => `${name}: ${messagesIn('en').said(why)}`);
/** Types of the pictures in the last request. */
const sent = () =>
  [...JSON.stringify(llm.requests().at(-1)?.body).matchAll(/data:(image\/[a-z]+);base64/g)].map(([, type]) => type);

describe('by its bytes', () => {
  it.each([
    ['shot.png', JPEG, 'image/png', 'image/jpeg'],
    ['pic.jpg', WEBP, 'image/jpeg', 'image/webp'],
    ['photo.webp', png(3, 3), 'image/webp', 'image/png'],
    ['download', png(3, 3), 'application/octet-stream', 'image/png'],
    ['still.gif', gif(1), 'image/gif', 'image/png'],
    ['moving.gif', gif(3), 'image/gif', 'image/png'],
    ['moving.png', gif(2), 'image/png', 'image/png'],
  ])('%s is shown as what it is, without a refusal', async (name, bytes, claimed, type) => {
    const outcome = await ask(await file(name, bytes, claimed));
    expect({ sent: sent(), refused: llm.refused(), told: told(outcome) }).toEqual({
      sent: [type],
      refused: 0,
      told: [],
    });
  });

  it.each([
    ['IMG_0001.jpg', HEIC, 'image/jpeg', /HEIC/],
    ['IMG_0002.HEIC', HEIC, 'image/heic', /HEIC/],
    ['a.avif', Buffer.from('\0\0\0\x1cftypavif\0\0\0\0avifmif1', 'latin1'), 'image/avif', /AVIF/],
    ['scan.tif', Buffer.from('II*\0\x08\0\0\0', 'latin1'), 'image/tiff', /TIFF/],
    ['old.bmp', Buffer.from('BM\x46\0\0\0\0\0\0\0\x36', 'latin1'), 'image/png', /BMP/],
    ['error.jpg', Buffer.from('<!DOCTYPE html><title>Not found</title>'), 'image/jpeg', /HTML/],
    ['logo.png', Buffer.from('<?xml version="1.0"?>\n<svg width="9"/>'), 'image/png', /SVG/],
    ['clip.png', Buffer.from('\0\0\0\x18ftypisom\0\0\0\0isom', 'latin1'), 'image/png', /MP4/],
    ['favicon.png', Buffer.from('\0\0\x01\0\x01\0\x10\x10', 'latin1'), 'image/x-icon', /ICO/],
    ['large.png', png(1, 1).fill(0xff, 16, 19), 'image/png', /too large/],
  ])('%s is named to the person, not sent, and the one beside it is shown', async (name, bytes, claimed, why) => {
    const outcome = await ask(await file(name, bytes, claimed), await file('good.png', png(2, 2), 'image/png'));
    expect(told(outcome)).toEqual([expect.stringMatching(new RegExp(`^${name}: .*${why.source}`))]);
    expect({ sent: sent(), refused: llm.refused() }).toEqual({ sent: ['image/png'], refused: 0 });
  });

  it.each([
    ['closed.pdf', '%PDF-1.7\n<< /Encrypt 5 0 R >>', /password/],
    ['long.pdf', '%PDF-1.7\n<< /Type /Pages /Count 101 >>', /101 pages/],
  ])('%s is named where the model looks at pages, and is not news where it does not', async (name, text, why) => {
    const pdf = await file(name, Buffer.from(text), 'application/pdf');
    expect(told(await ask(pdf))).toEqual([]);
    const anthropic = { anthropic: { baseURL: `${llm.url}`, apiKey: 'k' } };
    const outcome = await runWith(anthropic, { ...asking(pdf), model: 'anthropic/claude-sonnet-5-5' });
    expect(told(outcome)).toEqual([expect.stringMatching(why)]);
  });

  it.each([
    ['an edge of more than 8,000 pixels', png(9_000, 20)],
    ['more base64 than a provider takes', noisy(1_500, 900)],
  ])('one with %s is drawn anew, smaller', async (_what, bytes) => {
    const outcome = await ask(await file('big.png', bytes, 'image/png'));
    expect({ sent: sent(), refused: llm.refused(), told: told(outcome) }).toEqual({
      ...{ sent: ['image/png'], refused: 0, told: [] },
    });
    const [, base64 = ''] = /data:image\/png;base64,([^"]+)/.exec(JSON.stringify(llm.requests()[0]?.body)) ?? [];
    expect(lookAtPicture(Buffer.from(base64, 'base64'))).toMatchObject({ type: 'image/png', width: 1_200 });
  });
});

async function redraw(
  path: string,
  picture: Redrawing,
  { signal } = new AbortController(),
): Promise<Buffer | undefined> {
  const handle = await open(path);
  try {
    return await redrawn(handle, picture, signal);
  } finally {
    await handle.close();
  }
}

it('one that was drawn anew is not drawn again for the next message', async () => {
  const { path } = await file('big.png', png(9_000, 20), 'image/png');
  const picture = { type: 'image/png', width: 900, height: 2 };
  const drawn = await redraw(path, picture);
  expect(drawn && lookAtPicture(drawn)).toMatchObject({ width: 900, height: 2 });
  expect(await redraw(path, picture)).toBe(drawn);
  await writeFile(path, png(9_000, 21));
  expect(await redraw(path, picture)).not.toBe(drawn);
});

it('one that could not be drawn is not tried again, and those beside it are drawn', async () => {
  const picture = { type: 'image/png', width: 900, height: 2 };
  const good = png(9_000, 20);
  const broken = async (name: string) => (await file(name, Buffer.alloc(good.length), 'image/png')).path;
  const [one, two] = [await broken('one.png'), await broken('two.png')];
  const run = new AbortController();
  await utimes(one, 1, 1);
  expect([await redraw(one, picture, run), await redraw(two, picture, run)]).toEqual([undefined, undefined]);
  const { path } = await file('good.png', good, 'image/png');
  expect(await redraw(path, picture, run)).toBeInstanceOf(Buffer);
  // The same file to whoever looks at its size and time.
  await writeFile(one, good);
  await utimes(one, 1, 1);
  expect(await redraw(one, picture)).toBeUndefined();
  await utimes(one, 2, 2);
  expect(await redraw(one, picture)).toBeInstanceOf(Buffer);
});

it('those of a run are not drawn any more once two have used up their time', async () => {
  const drawnLate = createRedrawing({ timeoutMs: 1 });
  const picture = { type: 'image/png', width: 900, height: 2 };
  const { signal } = new AbortController();
  const of = async (name: string) => open((await file(name, png(9_000, 20), 'image/png')).path);
  for (const handle of [await of('one.png'), await of('two.png')]) {
    expect(await drawnLate(handle, picture, signal)).toBeUndefined();
    await handle.close();
  }
  const next = await of('three.png');
  // A process gets the file by its descriptor, which looking at its size asks for too.
  const asked = vi.spyOn(next, 'fd', 'get').mock.calls;
  expect(await drawnLate(next, picture, signal)).toBeUndefined();
  const before = asked.length;
  await drawnLate(next, picture, new AbortController().signal);
  expect(asked.length - before).toBe(before + 1);
  await next.close();
});

it('one that is drawn anew stands upright, as whoever took it has seen it', async () => {
  const edges = { width: 16, height: 8 };
  const isRed = ([red = 0, , blue = 0]: number[]) => red > blue;
  // Where red, which is left in the file, is to be seen: at the first pixel, at the last, and how wide that is.
  const seen = [
    [1, true, 16],
    [2, false, 16],
    [3, false, 16],
    [4, true, 16],
    [5, true, 8],
    [6, true, 8],
    [7, false, 8],
    [8, false, 8],
  ];
  for (const [turn, isFirst, width] of seen) {
    const bytes = turned(Number(turn), Number(turn) % 2 === 0);
    const looked = lookAtPicture(bytes);
    expect(looked).toEqual({ type: 'image/jpeg', ...edges, ...(turn !== 1 && { turn }) });
    const { path } = await file('photo.jpg', bytes, 'image/jpeg');
    const picture = { type: 'image/jpeg', ...edges, ...(looked?.turn !== undefined && { turn: looked.turn }) };
    const drawn = (await redraw(path, picture)) as Buffer;
    const { first, last } = corners(drawn);
    expect([turn, isRed(first), isRed(last), lookAtPicture(drawn)?.width]).toEqual([turn, isFirst, !isFirst, width]);
  }
});

describe('one that is made to fill memory', () => {
  const vast = (bytes: Buffer, at: number, write: 'writeUInt32BE' | 'writeUInt16LE', edge: number): Buffer => {
    const size = write === 'writeUInt32BE' ? 4 : 2;
    bytes[write](edge, at);
    bytes[write](edge, at + size);
    return bytes;
  };
  const frames = (count: number) => {
    const frame = Buffer.concat([
      Buffer.from('ANMF', 'latin1'),
      Buffer.from([30, 0, 0, 0, ...Array(12).fill(0), 1, 0, 0, 0]),
      WEBP.subarray(12),
    ]);
    const head = Buffer.from([10, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    const control = Buffer.from([6, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    const body = Buffer.concat([
      Buffer.from('WEBPVP8X', 'latin1'),
      head,
      Buffer.from('ANIM', 'latin1'),
      control,
      ...Array<Buffer>(count).fill(frame),
    ]);
    const riff = Buffer.from('RIFF\0\0\0\0', 'latin1');
    riff.writeUInt32LE(body.length, 4);
    return Buffer.concat([riff, body]);
  };
  it.each<[string, string, () => Buffer]>([
    ['a PNG of 60,000 by 60,000 pixels', 'image/png', () => vast(png(1, 1), 16, 'writeUInt32BE', 60_000)],
    ['a PNG of 30,000 by 30,000 pixels that are there', 'image/png', () => png(30_000, 30_000 / 64)],
    ['a GIF of 60,000 by 60,000 pixels', 'image/gif', () => vast(gif(1), 6, 'writeUInt16LE', 60_000)],
    ['a GIF whose one frame has 60,000 by 60,000', 'image/gif', () => vast(gif(1), 24, 'writeUInt16LE', 60_000)],
    ['a GIF of 200,000 frames', 'image/gif', () => gif(200_000)],
    ['an animated WebP of 20,000 frames', 'image/webp', () => frames(20_000)],
    [
      'a drawing within drawings',
      'image/svg+xml',
      () =>
        Buffer.from(
          `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><g id="a0"><path d="M0 0h9v9z"/></g>${Array.from(
            { length: 12 },
            (_, at) => `<g id="a${at + 1}">${`<use href="#a${at}"/>`.repeat(10)}</g>`,
          ).join('')}</svg>`,
        ),
    ],
  ])('%s harms nothing', async (_what, type, make) => {
    const hostile = await file('hostile', make(), type);
    const before = process.memoryUsage().rss;
    // Whatever it is drawn as, and as it is shown.
    await redraw(hostile.path, { type, width: 1_200, height: 1_200 });
    await ask(hostile);
    // What says nothing of its size outside is shown as it is, and left out once it is refused.
    expect(llm.refused()).toBeLessThanOrEqual(1);
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
  });

  it('is none for the one after it', async () => {
    const good = await file('good.png', png(9_000, 20), 'image/png');
    expect(await redraw(good.path, { type: 'image/png', width: 900, height: 2 })).toBeDefined();
  });
});

it('an empty one is named, and nobody is asked about it', async () => {
  const good = await file('good.png', noisy(2, 2), 'image/png');
  const outcome = await ask(await file('empty.png', Buffer.alloc(0), 'image/png'), good);
  expect({ sent: sent(), refused: llm.refused(), told: told(outcome) }).toEqual({
    ...{ sent: ['image/png'], refused: 0, told: ['empty.png: it is empty.'] },
  });
});

describe('of many', () => {
  it('pictures that a tool gives one after the other the newest are shown, and none is refused', async () => {
    const steps = 25;
    const shots = await Promise.all(
      Array.from({ length: steps }, (_, n) => file(`shot${n}.png`, png(2_400, 20), 'image/png')),
    );
    const shoot = tool('shoot', 'read', async () => 'shot');
    const shown: InputFile[] = [];
    llm.script(() => {
      const shot = shots.shift();
      if (!shot) return { text: 'Done.' };
      shown.push(shot);
      return { toolCalls: [{ name: 'shoot', arguments: { text: shot.name } }] };
    });
    const hooks = record({ takeShown: () => shown.splice(0) });
    const asked = { ...asking(await file('own.png', noisy(2, 2), 'image/png')), tools: [shoot], maxSteps: 60 };
    const outcome = await runWith(local(), asked, hooks, PATIENT);
    expect([outcome.text, llm.refused(), told(outcome)]).toEqual(['Done.', 0, []]);
    expect(sent().length).toBeLessThanOrEqual(20);
    const last = JSON.stringify(llm.requests().at(-1)?.body);
    expect(last).toContain('[shot0.png is not shown to you any more');
    expect(last).not.toContain(`[shot${steps - 1}.png`);
    expect(last).not.toContain('[own.png');
  });

  it.each([
    ['groq' as const, 100, 5],
    ['anthropic' as const, 100, 20],
    ['groq' as const, 1_000_000, 2],
    ['anthropic' as const, 3_000_000, 6],
  ])('%s of %d bytes has %d at most, the newest', (dialect, size, most) => {
    const shot = (n: number) => ({
      role: 'user' as const,
      content: [
        {
          type: 'file' as const,
          data: { type: 'data' as const, data: Buffer.alloc(size) },
          mediaType: 'image/png',
          filename: `${n}.png`,
        },
      ],
    });
    const words = { role: 'user' as const, content: [{ type: 'text' as const, text: 'and now?' }] };
    const left: (string | undefined)[] = [];
    const shots = Array.from({ length: 30 }, (_, n) => shot(n + 1));
    const kept = fitFiles([...shots, words], { dialect, most: undefined }, ({ filename }) => void left.push(filename));
    const files = kept.flatMap((message) =>
      message.role === 'user' ? message.content.filter(({ type }) => type === 'file') : [],
    );
    expect(files.length).toBeLessThanOrEqual(most);
    expect(files.at(-1)).toMatchObject({ filename: '30.png' });
    expect(left).toContain('1.png');
    expect(left.length + files.length).toBe(30);
  });

  it('a model that takes fewer has the newest, the others are named, and nothing is remembered against them', async () => {
    const few = await startLlm({ pictures: { most: 1 } });
    try {
      const [a, b] = [await file('a.png', noisy(2, 2), 'image/png'), await file('b.png', noisy(3, 3), 'image/png')];
      const providers = { few: { baseURL: few.url } };
      const model = 'few/m';
      const shown = () => JSON.stringify(few.requests().at(-1)?.body).match(/data:image/g)?.length ?? 0;
      const first = await runWith(providers, { model, ...asking(a, b) });
      expect([told(first), shown(), few.refused()]).toEqual([
        ['a.png: the model looks at 1 picture at a time at most.'],
        ...[1, 1],
      ]);
      const alone = await runWith(providers, { model, ...asking(a) });
      expect([told(alone), shown(), few.refused()]).toEqual([[], 1, 1]);
    } finally {
      await few.close();
    }
  });

  it('pages of a PDF its list counts them, and no outline does', () => {
    const pdf = (rest: string) => lookAtPicture(Buffer.from(`%PDF-1.4\n1 0 obj <</Type/Catalog>> endobj ${rest}`));
    const outline = '9 0 obj <</Type/Outlines/Count 180>> endobj';
    expect(pdf(`2 0 obj <</Count 12/Kids[3 0 R]/Type/Pages>> endobj ${outline}`)?.pages).toBe(12);
    expect(pdf(`${outline} 2 0 obj <</Type /Pages /Kids [3 0 R] /Count 300>> endobj`)?.pages).toBe(300);
    expect(pdf(`${outline} 3 0 obj <</Type/Page>> endobj`)?.pages).toBe(1);
    expect(pdf('trailer <</Encrypt<</Filter/Standard>>>>')?.isLocked).toBe(true);
  });
});

describe('one that is refused', () => {
  const broken = () => noisy(4, 4).subarray(0, -8);

  it.each([1, 2, 3])('is found among %d others, named, and costs itself alone', async (others) => {
    const good = await Promise.all(
      Array.from({ length: others }, (_, n) => file(`good${n}.png`, noisy(2, 2), 'image/png')),
    );
    const outcome = await ask(...good, await file('bad.png', broken(), 'image/png'));
    expect(told(outcome)).toEqual([expect.stringMatching(/^bad\.png: the model refused it/)]);
    expect(sent()).toHaveLength(others);
    expect(llm.refused()).toBe(1);
  });

  it.each([
    ['WebP', 'photo.webp', WEBP, 'image/webp'],
    ['WebP under another name', 'photo.jpg', WEBP, 'image/jpeg'],
  ])('by xAI, as it takes no %s, costs itself alone and is sent to nobody twice', async (_what, name, bytes, type) => {
    const xai = await startLlm({ pictures: 'xai' });
    try {
      // As no other test has sent it there.
      const own = Buffer.concat([bytes, randomBytes(8)]);
      const [bad, good] = [await file(name, own, type), await file('good.png', noisy(2, 2), 'image/png')];
      const order = { model: 'xai/grok-4-5', ...asking(bad, good) };
      const providers = { xai: { baseURL: xai.url, apiKey: 'k' } };
      const outcome = await runWith(providers, order, record(), PATIENT);
      expect(told(outcome)).toEqual([expect.stringMatching(new RegExp(`^${name}: the model refused it`))]);
      const refused = xai.refused();
      expect(JSON.stringify(xai.requests().at(-1)?.body).match(/data:image\/\w+/g)).toEqual(['data:image/png']);
      await runWith(providers, order, record(), PATIENT);
      expect(xai.refused()).toBe(refused);
    } finally {
      await xai.close();
    }
  });

  it('is not sent again, neither in later messages nor when it comes once more', async () => {
    const bad = await file('bad.png', broken(), 'image/png');
    await ask(bad);
    const refused = llm.refused();
    const good = await file('good.png', noisy(2, 2), 'image/png');
    const [first] = asking(bad).messages;
    const later: TaskMessage[] = [
      first as TaskMessage,
      { role: 'assistant', text: 'ok' },
      { role: 'user', text: 'and this?', files: [good] },
    ];
    expect(told(await runWith(local(), { messages: later }))).toEqual([]);
    expect(sent()).toEqual(['image/png']);
    expect(told(await ask({ ...bad, name: 'again.png' }))).toEqual([expect.stringMatching(/^again\.png: /)]);
    expect({ sent: sent(), refused: llm.refused() }).toEqual({ sent: [], refused });
  });

  it('is remembered over a restart, and by that provider alone', async () => {
    const at = join(dir, 'cache', 'refused-files');
    const prompt = (name: string, data: Uint8Array): Prompt => [
      {
        role: 'user',
        content: [{ type: 'file', data: { type: 'data', data }, mediaType: 'image/png', filename: name }],
      },
    ];
    const fresh = async () => {
      vi.resetModules();
      const files = await import('../../../src/runtime/model/refused-files.ts');
      files.keepRefused(at);
      return files.createRefusedFiles;
    };
    const bytes = broken();
    const first = (await fresh())('here.chat');
    expect(first.suspect(first.without(prompt('bad.png', bytes)))).toBe(true);
    first.worked(first.without(prompt('bad.png', bytes)), false);
    const create = await fresh();
    const isSent = (provider: string) =>
      JSON.stringify(create(provider).without(prompt('again.png', bytes))).includes('image/png');
    expect([isSent('here.chat'), isSent('there.chat')]).toEqual([false, true]);
    // Whatever stands in its place, it goes on.
    await rm(at);
    await mkdir(at);
    expect((await fresh())('here.chat').without(prompt('x.png', bytes))).toHaveLength(1);
  });

  it('is found beside one that was taken before, which is above suspicion', async () => {
    const good = await file('good.png', noisy(2, 2), 'image/png');
    await ask(good);
    await ask(good, await file('bad.png', broken(), 'image/png'));
    expect({ sent: sent(), refused: llm.refused() }).toEqual({ sent: ['image/png'], refused: 1 });
  });

  it('is not alone: two bad ones are both found', async () => {
    const outcome = await ask(await file('a.png', broken(), 'image/png'), await file('b.png', broken(), 'image/png'));
    expect(
      told(outcome)
        .map((each) => each.slice(0, 5))
        .sort(),
    ).toEqual(['a.png', 'b.png']);
    expect(outcome.text).not.toBe('');
  });
});
