import { createHash } from 'node:crypto';
import type { MessageEntity } from 'grammy/types';
import { describe, expect, test } from 'vitest';
import type { Attachment, ChannelLimits, OutboundMessage } from '../../../src/channels/channel.ts';
import { plainText, renderTelegram, type TelegramPart } from '../../../src/channels/telegram/send/render.ts';
import { DeliveryError } from '../../../src/errors.ts';

const limits: ChannelLimits = { text: 4096, uploadBytes: 50 * 1024 * 1024, downloadBytes: 20 * 1024 * 1024 };
const MB = 1024 * 1024;

function message(text: string, more: Partial<OutboundMessage> & { thread?: string } = {}): OutboundMessage {
  const { thread, ...rest } = more;
  const address = { channel: 'telegram', account: '42', chat: '-1001', ...(thread === undefined ? {} : { thread }) };
  return { id: 'm1', address, text, files: [], ...rest };
}

function file(name: string, mimeType: string, size = 1000): Attachment {
  return { path: `/tmp/${name}`, name, mimeType, size, sha256: createHash('sha256').update(name).digest('hex') };
}

async function parts(text: string, more?: Parameters<typeof message>[1]): Promise<TelegramPart[]> {
  return (await renderTelegram(message(text, more), limits)).parts;
}

/** The entities of every part together. */
function entitiesOf(all: TelegramPart[]): MessageEntity[] {
  return all.flatMap((part) => (part.params.entities as MessageEntity[] | undefined) ?? []);
}

/** The text of a part and its entities as `type "covered text"`. */
async function shown(source: string): Promise<string[]> {
  const made = await parts(source);
  const text = String(made[0]?.params.text);
  const list = entitiesOf(made).map((entity) => {
    const detail = 'url' in entity ? ` ${entity.url}` : 'language' in entity ? ` ${entity.language}` : '';
    return `${entity.type}${detail} ${JSON.stringify(text.slice(entity.offset, entity.offset + entity.length))}`;
  });
  return [text, ...list];
}

describe('text', () => {
  test('a plain line is one call with nothing to spare', async () => {
    expect(await parts('Done.')).toEqual([
      {
        method: 'sendMessage',
        params: { chat_id: -1001, text: 'Done.', link_preview_options: { is_disabled: true } },
        files: [],
      },
    ]);
  });

  test.each<[string, string, string[]]>(
    // biome-ignore format: a row is a line
    [
      ['formatting', '# T\n\n**b _i_** ~~s~~ `c`', ['T\n\nb i s c', 'bold "T"', 'bold "b i"', 'italic "i"', 'strikethrough "s"', 'code "c"']],
      ['code with its language', '```ts\n  let a;\n```', ['  let a;', 'pre ts "  let a;"']],
      ['bold does not go on inside code', '**a `b` c**', ['a b c', 'bold "a"', 'code "b"', 'bold "c"']],
      ['a link keeps its target, code in it its plain look', '[see `x`](https://a.example/)', ['see x', 'text_link https://a.example/ "see x"']],
      ['bold within a heading adds nothing', '# A **b**', ['A b', 'bold "A b"']],
      ['a quotation with code', '> a\n>\n> ```\n> x\n> ```', ['a\n\nx', 'blockquote "a\\n\\nx"', 'pre "x"']],
      ['offsets count UTF-16 units', '👍 **b**', ['👍 b', 'bold "b"']],
      ['a bare URL is left for Telegram to find', 'https://a.example/x_y', ['https://a.example/x_y']],
      ['a link to this machine, which Telegram would drop', '[board](http://localhost:6009/)', ['board (http://localhost:6009/)']],
      ['a mail address', '[write](mailto:me@x.example)', ['write (me@x.example)']],
      [
        'a label that names another host',
        '[https://bank.example](https://evil.example)',
        ['https://bank.example (evil.example)', 'text_link https://evil.example "https://bank.example"'],
      ],
      ['a link that is no web link', '[x](tg://user?id=7) [y](javascript:alert(1))', ['x y']],
      ['mentions are broken, addresses and code are not', '@alice me@x.example `@alice`', ['@\u2060alice me@x.example @alice', 'code "@alice"']],
      ['a mention that the server would put together', '@\u202ealice @&#13;bob', ['@\u2060alice @\u2060bob']],
      ['a mention in a URL is none', 'https://a.example/@b', ['https://a.example/@b']],
      ['control characters and direction overrides', 'a\u0007b\u202ec', ['a bc']],
      ['half a surrogate pair', 'a\ud83d', ['a\ufffd']],
    ],
  )('%s', async (_name, source, expected) => {
    expect(await shown(source)).toEqual(expected);
  });

  test('letters that Telegram would take a mark from are composed', async () => {
    expect((await shown('A\u030angstrom'))[0]).toBe('Ångstrom');
  });

  test('long text is cut; the reply is on the first part, the keyboard under the last', async () => {
    const made = await parts(`${'word '.repeat(1500)}`, { replyTo: '9', buttons: [[{ id: 'a1', label: 'Yes' }]] });
    expect(made.map((part) => part.method)).toEqual(['sendMessage', 'sendMessage']);
    expect(made.map((part) => part.params.reply_parameters)).toEqual([
      { message_id: 9, allow_sending_without_reply: true },
      undefined,
    ]);
    expect(made.map((part) => part.params.reply_markup)).toEqual([
      undefined,
      { inline_keyboard: [[{ text: 'Yes', callback_data: 'a1' }]] },
    ]);
  });

  test('of more than 100 entities the plainest go; links are never lost', async () => {
    const many = await parts('*i* **b** [l](https://a.example) '.repeat(60));
    expect(many).toHaveLength(1);
    const types = entitiesOf(many).map(({ type }) => type);
    expect(types.filter((type) => type === 'text_link')).toHaveLength(60);
    expect(types).not.toContain('italic');
    expect(types.length).toBeLessThanOrEqual(100);
    // Without its entity a name in code would be a mention.
    const codes = entitiesOf(await parts('`@a` '.repeat(150)));
    expect(codes.filter(({ type }) => type === 'code')).toHaveLength(150);
    const links = await parts('[l](https://a.example) '.repeat(150));
    expect(entitiesOf(links)).toHaveLength(150);
    expect(links.length).toBeGreaterThan(1);
  });

  test('nothing to say is no call, unless something waits for it', async () => {
    expect(await parts('')).toEqual([]);
    expect(await parts('\u200b\n\u2060')).toEqual([]);
    expect(await parts('', { placeholder: '5' })).toMatchObject([{ method: 'editMessageText', params: { text: '—' } }]);
  });
});

describe('where it goes', () => {
  test('topics, but for the General topic', async () => {
    expect((await parts('a', { thread: '7' }))[0]?.params.message_thread_id).toBe(7);
    expect((await parts('a', { thread: '1' }))[0]?.params).not.toHaveProperty('message_thread_id');
    expect((await parts('a', { thread: 'x' }))[0]?.params).not.toHaveProperty('message_thread_id');
  });

  test('the first text replaces the placeholder, without thread and reply', async () => {
    const made = await parts('word '.repeat(1000), {
      placeholder: '77',
      replyTo: '9',
      thread: '7',
      files: [file('a.txt', 'text/plain')],
    });
    expect(made.map((part) => part.method)).toEqual(['editMessageText', 'sendMessage', 'sendDocument']);
    const { text: _text, ...params } = made[0]?.params ?? {};
    expect(params).toEqual({ chat_id: -1001, message_id: 77, link_preview_options: { is_disabled: true } });
    expect(made[1]?.params).toMatchObject({ chat_id: -1001, message_thread_id: 7 });
    expect(made[1]?.params).not.toHaveProperty('reply_parameters');
  });

  test('an id that is none is left out, a name of a chat is kept', async () => {
    const address = { channel: 'telegram', account: '42', chat: '@news' };
    const [part] = await parts('a', { address, replyTo: 'job-1' });
    expect(part?.params.chat_id).toBe('@news');
    expect(part?.params).not.toHaveProperty('reply_parameters');
  });
});

describe('buttons', () => {
  test('labels are one plain line, rows are short', async () => {
    const row = Array.from({ length: 9 }, (_, index) => ({ id: `b${index}`, label: index === 0 ? ' **a**\n@b ' : '' }));
    const [part] = await parts('a', { buttons: [row, []] });
    const markup = part?.params.reply_markup as { inline_keyboard: { text: string }[][] } | undefined;
    expect(markup?.inline_keyboard.map((buttons) => buttons.length)).toEqual([8, 1]);
    expect(markup?.inline_keyboard[0]?.slice(0, 2).map(({ text }) => text)).toEqual(['**a** @\u2060b', '—']);
  });

  test('an id that Telegram cannot carry is refused for good', async () => {
    for (const id of ['', 'ä'.repeat(33)]) {
      await expect(parts('a', { buttons: [[{ id, label: 'x' }]] })).rejects.toThrow(DeliveryError);
    }
  });
});

describe('files', () => {
  const photo = (name: string, size?: number) => file(name, 'image/png', size);
  const text = (name: string) => file(name, 'text/plain');

  test('a short text is the caption of a single file', async () => {
    expect(
      await parts('The **plan**', { files: [text('plan.md')], replyTo: '3', buttons: [[{ id: 'b', label: 'OK' }]] }),
    ).toEqual([
      {
        method: 'sendDocument',
        params: {
          chat_id: -1001,
          caption: 'The plan',
          caption_entities: [{ type: 'bold', offset: 4, length: 4 }],
          reply_markup: { inline_keyboard: [[{ text: 'OK', callback_data: 'b' }]] },
          reply_parameters: { message_id: 3, allow_sending_without_reply: true },
        },
        files: [text('plan.md')],
      },
    ]);
  });

  test('a text of 1025 units is not', async () => {
    const files = [text('a.txt')];
    expect((await parts('x'.repeat(1024), { files })).map((part) => part.method)).toEqual(['sendDocument']);
    expect((await parts('x'.repeat(1025), { files })).map((part) => part.method)).toEqual([
      'sendMessage',
      'sendDocument',
    ]);
  });

  test('nor is one that takes two messages, short as the first may be', async () => {
    const made = await parts(`Short ${'x'.repeat(4093)}`, { files: [text('a.txt')] });
    expect(made.map((part) => part.method)).toEqual(['sendMessage', 'sendMessage', 'sendDocument']);
  });

  test('pictures are photos; drawings, pages, animations and large pictures are documents', async () => {
    const methods = async (one: Attachment) => (await parts('', { files: [one] })).map((part) => part.method);
    expect(await methods(photo('a.png'))).toEqual(['sendPhoto']);
    expect(await methods(file('a.webp', 'image/webp'))).toEqual(['sendPhoto']);
    for (const other of [
      file('a.svg', 'image/svg+xml'),
      file('a.html', 'text/html'),
      file('a.gif', 'image/gif'),
      photo('a.png', 10 * MB + 1),
    ]) {
      expect(await methods(other)).toEqual(['sendDocument']);
    }
  });

  test('albums hold one kind, at most ten, and carry the caption', async () => {
    const album = await parts('Look', { files: [photo('1.png'), photo('2.png')] });
    expect(album).toMatchObject([
      { method: 'sendMediaGroup', params: { media: [{ type: 'photo', caption: 'Look' }, { type: 'photo' }] } },
    ]);
    const documents = await parts('Look', { files: [text('1.txt'), text('2.txt')] });
    expect(documents[0]?.params.media).toEqual([{ type: 'document' }, { type: 'document', caption: 'Look' }]);
    const files = [...Array.from({ length: 11 }, (_, index) => text(`${index}.txt`)), photo('p.png')];
    const mixed = await parts('Look', { files });
    expect(mixed.map((part) => [part.method, part.files.length])).toEqual([
      ['sendMessage', 0],
      ['sendPhoto', 1],
      ['sendMediaGroup', 10],
      ['sendDocument', 1],
    ]);
  });

  test('an album cannot have a keyboard, so the text stands alone', async () => {
    const buttons = [[{ id: 'b', label: 'OK' }]];
    const made = await parts('Look', { files: [photo('1.png'), photo('2.png')], buttons });
    expect(made.map((part) => [part.method, 'reply_markup' in part.params])).toEqual([
      ['sendMessage', true],
      ['sendMediaGroup', false],
    ]);
  });

  test('one request is not larger than one file may be', async () => {
    const made = await parts('', { files: [1, 2, 3].map((index) => file(`${index}.zip`, 'application/zip', 20 * MB)) });
    expect(made.map((part) => part.files.length)).toEqual([2, 1]);
  });

  test('what Telegram would refuse is told instead', async () => {
    const files = [
      file('big\n*x*.zip', 'application/zip', 50 * MB + 1),
      file('empty.txt', 'text/plain', 0),
      text('a.txt'),
    ];
    const [part] = await parts('Here', { files });
    expect(part).toMatchObject({ method: 'sendDocument', files: [{ name: 'a.txt' }] });
    expect(part?.params.caption).toBe(
      'Here\n\nNot attached: big *x*.zip is 51 MB; Telegram accepts files of up to 50 MB.\n\nNot attached: empty.txt is empty.',
    );
  });

  test('files alone still replace a placeholder', async () => {
    expect(await parts('', { files: [text('@a.txt')], placeholder: '5' })).toMatchObject([
      { method: 'editMessageText', params: { text: '📎 @\u2060a.txt' } },
      { method: 'sendDocument' },
    ]);
  });
});

describe('rich messages', () => {
  const TABLE = '| Fruit | Qty |\n|:--|--:|\n| **Apple** | 3 |';

  test('only for tables and task lists', async () => {
    expect(await renderTelegram(message('# A\n\n- b'), limits)).not.toHaveProperty('rich');
    expect(await renderTelegram(message('- [ ] a'), limits)).toHaveProperty('rich');
  });

  test('a table, with the same text as entities for servers that refuse it', async () => {
    const { parts: plain, rich } = await renderTelegram(
      message(`${TABLE}\n\n- [x] done`, { replyTo: '2', thread: '7' }),
      limits,
    );
    expect(plain[0]?.params.text).toBe('Fruit | Qty\n------+----\nApple |   3\n\n☑ done');
    const cell = (text: unknown, align: string) => ({ text, align, valign: 'middle' });
    expect(rich).toEqual([
      {
        method: 'sendRichMessage',
        params: {
          chat_id: -1001,
          message_thread_id: 7,
          reply_parameters: { message_id: 2, allow_sending_without_reply: true },
          rich_message: {
            skip_entity_detection: true,
            blocks: [
              {
                type: 'table',
                is_bordered: true,
                cells: [
                  [
                    { ...cell('Fruit', 'left'), is_header: true },
                    { ...cell('Qty', 'right'), is_header: true },
                  ],
                  [cell({ type: 'bold', text: 'Apple' }, 'left'), cell('3', 'right')],
                ],
              },
              {
                type: 'list',
                items: [{ has_checkbox: true, is_checked: true, blocks: [{ type: 'paragraph', text: 'done' }] }],
              },
            ],
          },
        },
        files: [],
      },
    ]);
  });

  test('it replaces the placeholder, and files follow it', async () => {
    const { rich } = await renderTelegram(
      message(TABLE, { placeholder: '5', files: [file('a.txt', 'text/plain')] }),
      limits,
    );
    expect(rich?.map((part) => part.method)).toEqual(['editMessageText', 'sendDocument']);
    expect(rich?.[0]?.params).toMatchObject({ message_id: 5, rich_message: { blocks: [{ type: 'table' }] } });
    expect(rich?.[0]?.params).not.toHaveProperty('text');
    expect(rich?.[1]?.params).not.toHaveProperty('caption');
  });

  test('nothing of a model’s text becomes a button, a mention, a picture or a hidden link', async () => {
    const hostile = `${TABLE}\n\n<tg-button type="callback_data" data="x">y</tg-button> ![p](https://evil.example/p.png) [u](tg://user?id=1) @alice [bank.example](https://evil.example)`;
    const { rich } = await renderTelegram(message(hostile), limits);
    const content = rich?.[0]?.params.rich_message as { blocks: unknown[] } | undefined;
    expect(content?.blocks[1]).toEqual({
      type: 'paragraph',
      text: [
        '<tg-button type="callback_data" data="x">y</tg-button> p: ',
        { type: 'url', text: 'https://evil.example/p.png', url: 'https://evil.example/p.png' },
        ' u @\u2060alice ',
        { type: 'url', text: 'bank.example', url: 'https://evil.example' },
        ' (evil.example)',
      ],
    });
  });

  test('not beyond the limits', async () => {
    const isRich = async (text: string) => 'rich' in (await renderTelegram(message(text), limits));
    const wide = (columns: number) => `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|`;
    const deep = (levels: number) =>
      `${Array.from({ length: levels }, (_, index) => `${'  '.repeat(index)}- a`).join('\n')}\n- [ ] b`;
    expect(await isRich(wide(20))).toBe(true);
    expect(await isRich(wide(21))).toBe(false);
    expect(await isRich('- [ ] a\n'.repeat(200))).toBe(true);
    expect(await isRich('- [ ] a\n'.repeat(260))).toBe(false);
    expect(await isRich(deep(6))).toBe(true);
    expect(await isRich(deep(12))).toBe(false);
    expect(await isRich(`${TABLE}\n\n${'word '.repeat(7000)}`)).toBe(false);
  });
});

test('everything is JSON', async () => {
  const rendered = await renderTelegram(
    message('# a\n\n|b|\n|-|\n|c|', { files: [file('a.png', 'image/png')] }),
    limits,
  );
  expect(JSON.parse(JSON.stringify(rendered))).toEqual(rendered);
});

test('a status line is plain, one part and cut between graphemes', () => {
  expect(plainText('Reading **notes.md** for @alice')).toBe('Reading **notes.md** for @\u2060alice');
  expect(plainText('👩‍👩‍👧‍👦'.repeat(3), 25)).toBe('👩‍👩‍👧‍👦'.repeat(2));
  expect(plainText(' \n')).toBe('');
});
