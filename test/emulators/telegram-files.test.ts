/** Files in both directions, with the real grammY client. */
import { createHash } from 'node:crypto';
import { InputFile } from 'grammy';
import { beforeEach, describe, expect, test } from 'vitest';
import { createMultipartReader } from './base/multipart.ts';
import { ALEX, apiOf, freshTelegram, refused, refuses } from './grammy-helpers.ts';
import { pngOf } from './telegram/image.ts';
import { startTelegram } from './telegram.ts';

const sha = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const fresh = freshTelegram({ webhookRetryMs: 20 });

describe('files', () => {
  beforeEach(() => void fresh.tg.say(ALEX, 'hi'));
  const download = async (id: string) => {
    const { file_path } = await fresh.api.getFile(id);
    return Buffer.from(await (await fetch(`${fresh.tg.url}/file/bot${fresh.tg.token}/${file_path}`)).arrayBuffer());
  };

  test('a document arrives byte for byte under its own name', async () => {
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, i) => (i * 31) % 256));
    const tricky = Buffer.concat([bytes, Buffer.from('\r\n--'), bytes]);
    const sent = await fresh.api.sendDocument(ALEX, new InputFile(tricky, 'Bericht über 2 Läufe.csv'), {
      caption: 'the *report*',
    });
    expect(sent.document).toMatchObject({
      file_name: 'Bericht über 2 Läufe.csv',
      mime_type: 'text/csv',
      file_size: 600_004,
    });
    const shown = fresh.tg.chat(ALEX).messages.at(-1);
    expect(shown?.files).toMatchObject([{ size: 600_004, sha256: sha(tricky) }]);
    expect(shown?.text).toBe('the *report*');
    expect(await download(sent.document.file_id)).toEqual(tricky);
    const again = await fresh.api.sendDocument(ALEX, sent.document.file_id);
    expect(again.document.file_unique_id).toBe(sent.document.file_unique_id);
    await refuses(fresh.api.sendDocument(ALEX, 'nonsense'), 'wrong file identifier/HTTP URL specified');
    await refuses(fresh.api.sendDocument(ALEX, new InputFile(Buffer.alloc(0), 'empty.txt')), 'file must be non-empty');
    const long = { caption: 'x'.repeat(1025) };
    await refuses(
      fresh.api.sendDocument(ALEX, new InputFile(bytes, 'a.txt'), long),
      '400 Bad Request: message caption is too long',
    );
  });

  test('a photo must be an image; its largest size is the original', async () => {
    const png = pngOf(640, 480);
    const { photo } = await fresh.api.sendPhoto(ALEX, new InputFile(png, 'a.png'));
    expect(photo.at(-1)).toMatchObject({ width: 640, height: 480, file_size: png.length });
    expect(photo.length).toBeGreaterThan(1);
    await refuses(
      fresh.api.sendPhoto(ALEX, new InputFile(Buffer.from('not an image at all, sorry'), 'a.png')),
      'IMAGE_PROCESS_FAILED',
    );
    await refuses(fresh.api.sendPhoto(ALEX, new InputFile(pngOf(2100, 100), 'a.png')), 'PHOTO_INVALID_DIMENSIONS');
  });

  test('an album appears whole, in order, of one kind', async () => {
    const part = (name: string, caption?: string) => ({
      type: 'document' as const,
      media: new InputFile(Buffer.from(name), name),
      ...(caption && { caption }),
    });
    const sent = await fresh.api.sendMediaGroup(ALEX, [part('a.txt', 'both files'), part('b.txt')]);
    expect(new Set(sent.map((message) => 'media_group_id' in message && message.media_group_id)).size).toBe(1);
    const shown = fresh.tg.chat(ALEX).messages.slice(-2);
    expect(shown.map(({ text, files }) => [text, files[0]?.name, files[0]?.sha256])).toEqual([
      ['both files', 'a.txt', sha(Buffer.from('a.txt'))],
      ['', 'b.txt', sha(Buffer.from('b.txt'))],
    ]);
    await refuses(fresh.api.sendMediaGroup(ALEX, [part('a.txt')]), '2-10');
    const photo = { type: 'photo' as const, media: new InputFile(pngOf(10, 10), 'p.png') };
    await refuses(fresh.api.sendMediaGroup(ALEX, [part('a.txt'), photo] as never), "document can't be mixed");
    expect(fresh.tg.chat(ALEX).messages).toHaveLength(3);
  });

  test('files of people are fetched up to 20 MB, and never more', async () => {
    const text = fresh.tg.sendFile(ALEX, { name: 'notes.md', text: '# Notes', caption: '/file this' });
    expect(text.caption_entities?.[0]?.type).toBe('bot_command');
    expect((await download(text.document?.file_id ?? '')).toString()).toBe('# Notes');
    const large = fresh.tg.sendFile(ALEX, { name: 'film.mp4', size: 25 * 1024 * 1024 });
    expect(large.document?.file_size).toBe(26_214_400);
    await refuses(fresh.api.getFile(large.document?.file_id ?? ''), '400 Bad Request: file is too big');
    const lying = fresh.tg.sendFile(ALEX, { name: 'bomb.bin', bytes: Buffer.alloc(5000), size: 10 });
    expect(await download(lying.document?.file_id ?? '')).toHaveLength(5000);
    expect(await refused(fresh.api.getFile('nonsense'))).toContain('400 Bad Request');
    expect((await fetch(`${fresh.tg.url}/file/bot${fresh.tg.token}/documents/nothing`)).status).toBe(404);
    const album = fresh.tg.sendAlbum(
      ALEX,
      [
        { kind: 'photo', bytes: pngOf(400, 300) },
        { kind: 'photo', bytes: pngOf(4, 3) },
      ],
      { caption: 'two' },
    );
    expect(album.map((message) => message.caption)).toEqual(['two', undefined]);
    expect(await download(album[0]?.photo?.at(-1)?.file_id ?? '')).toEqual(pngOf(400, 300));
  });

  test('an upload over the limit is 413', async () => {
    const strict = await startTelegram({ uploadLimit: 100_000 });
    strict.say(ALEX, 'hi');
    const small = apiOf(strict);
    await small.sendDocument(ALEX, new InputFile(Buffer.alloc(100_000, 1), 'fits.bin'));
    for (const size of [100_001, 3_000_000]) {
      const call = small.sendDocument(ALEX, new InputFile(Buffer.alloc(size, 1), 'large.bin'));
      await refuses(call, '413 Request Entity Too Large');
    }
    await strict.close();
  });

  test('every kind of file has its own field', async () => {
    const file = (name: string) => new InputFile(Buffer.from(name), name);
    expect((await fresh.api.sendVoice(ALEX, file('a.ogg'))).voice.mime_type).toBe('audio/ogg');
    expect((await fresh.api.sendAudio(ALEX, file('a.mp3'))).audio.file_name).toBe('a.mp3');
    expect((await fresh.api.sendVideo(ALEX, file('a.mp4'))).video.file_size).toBe(5);
    const { animation, document } = await fresh.api.sendAnimation(ALEX, file('b.gif'));
    expect(document?.file_id).toBe(animation.file_id);
    await refuses(fresh.api.sendVoice(ALEX, animation.file_id), 'type of file mismatch');
    const kinds = fresh.tg.chat(ALEX).messages.flatMap((message) => message.files.map((each) => each.kind));
    expect(kinds).toEqual(['voice', 'audio', 'video', 'animation']);
  });

  test('an emulator that keeps no files still knows their size and hash', async () => {
    const lean = await startTelegram({ keepFiles: false });
    lean.say(ALEX, 'hi');
    const bytes = Buffer.alloc(500_000, 'ab');
    const sent = await apiOf(lean).sendDocument(ALEX, new InputFile(bytes, 'a.bin'));
    expect(lean.chat(ALEX).messages.at(-1)?.files).toMatchObject([{ size: 500_000, sha256: sha(bytes) }]);
    expect(() => lean.bytes(sent.document.file_id)).toThrow('not kept');
    await lean.close();
  });
});

describe('the multipart reader', () => {
  const body = Buffer.from(
    [
      '--xyz',
      'Content-Disposition: form-data; name="caption"',
      '',
      'two\r\nlines --xyz',
      '--xyz',
      'content-disposition:form-data;name="document";filename=../a b;c.txt',
      '',
      'x\r\n--xy\r\n',
      '--xyz',
      'Content-Disposition: form-data; name=f2; filename="q\\"uote.txt"',
      'Content-Type: text/plain',
      '',
      '',
      '--xyz--',
      '',
    ].join('\r\n'),
  );
  const read = (step: number, source = body) => {
    const reader = createMultipartReader('xyz', true, 1000);
    for (let at = 0; at < source.length; at += step) reader.push(source.subarray(at, at + step));
    return reader.end();
  };

  test.each([1, 2, 3, 7, 64, 10_000])('gives the same whether it comes in pieces of %i bytes or at once', (step) => {
    const { values, files } = read(step);
    expect(values).toEqual({ caption: 'two\r\nlines --xyz' });
    expect([...files].map(([field, file]) => [field, file.name, file.bytes?.toString()])).toEqual([
      ['document', 'a b', 'x\r\n--xy\r\n'],
      ['f2', 'q"uote.txt', ''],
    ]);
  });

  test('refuses a body that ends too early and a name that does not end', () => {
    expect(() => read(64, body.subarray(0, -12))).toThrow('unexpected end');
    const open = Buffer.from('--xyz\r\ncontent-disposition:form-data;name="a";filename="b\r\n\r\nx\r\n--xyz--');
    expect(() => read(64, open)).toThrow('unclosed quoted string');
  });
});
