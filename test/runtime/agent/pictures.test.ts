/** Pictures as people send them, against a model that refuses what providers refuse. */
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { lookAtPicture } from '../../../src/lib/picture.ts';
import { messagesIn } from '../../../src/messages/messages.ts';
import type { AgentOutcome } from '../../../src/runtime/agent/agent.ts';
import type { Prompt } from '../../../src/runtime/contract/model.ts';
import type { InputFile, TaskMessage } from '../../../src/runtime/contract/task.ts';
import { redrawn } from '../../../src/runtime/reading/pictures.ts';
import { type Llm, startLlm } from '../../emulators/llm.ts';
import { gif, HEIC, JPEG, png, WEBP } from '../../helpers/made-pictures.ts';
import { runWith } from './fixtures.ts';

let llm: Llm;
let dir: string;
beforeAll(async () => {
  llm = await startLlm({ pictures: true });
  dir = await mkdtemp(join(tmpdir(), 'pictures-'));
});
afterAll(async () => {
  await llm.close();
  await rm(dir, { recursive: true });
});
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
const ask = (...files: InputFile[]) => runWith(local(), asking(...files));
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

it('one that was drawn anew is not drawn again for the next message', async () => {
  const { path } = await file('big.png', png(9_000, 20), 'image/png');
  const { signal } = new AbortController();
  const picture = { path, type: 'image/png', width: 900, height: 2 };
  const drawn = await redrawn(picture, signal);
  expect(drawn && lookAtPicture(drawn)).toMatchObject({ width: 900, height: 2 });
  expect(await redrawn(picture, signal)).toBe(drawn);
  await writeFile(path, png(9_000, 21));
  expect(await redrawn(picture, signal)).not.toBe(drawn);
});

describe('one that is refused', () => {
  const broken = () => noisy(4, 4).subarray(0, -8);

  it.each([1, 2, 3])('is found among %d others, named, and costs itself alone', async (others) => {
    const good = await Promise.all(
      Array.from({ length: others }, (_, n) => file(`good${n}.png`, noisy(2, 2), 'image/png')),
    );
    const outcome = await ask(...good, await file('bad.png', broken(), 'image/png'));
    expect(told(outcome)).toEqual([expect.stringMatching(/^bad\.png: the model did not take it/)]);
    expect(sent()).toHaveLength(others);
    expect(llm.refused()).toBe(1);
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
