/** Messages and interactions as Discord writes them, and what they become: `decoded.jsonl`, and what no row can show. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandBody } from '../../../src/channels/discord/connect/commands.ts';
import { type Context, decodeMessage } from '../../../src/channels/discord/decode/decode.ts';
import {
  decodeInteraction,
  openInteraction,
  sealInteraction,
} from '../../../src/channels/discord/decode/interaction.ts';
import { Places } from '../../../src/channels/discord/decode/places.ts';
import { menuSpecs } from '../../../src/runtime/commands/table.ts';
import { COMMANDS } from '../../helpers/commands.ts';
import { ownTime } from '../../helpers/own-time.ts';
import { decodes } from '../recorded.ts';

const BOT = '700000000000000001';
const ALEX = '2002';
const GUILD = '600000000000000001';
const GENERAL = '610000000000000001';
const THREAD = '620000000000000001';
const MESSAGE = '1573758616983306241';
const INTERACTION = '1573758616983306999';
const AT = '2026-03-01T09:30:00.000000+00:00';

function context(change: Partial<Context> = {}): Context {
  const places = new Places();
  places.take(
    'GUILD_CREATE',
    {
      id: GUILD,
      channels: [
        { id: GENERAL, type: 0, name: 'general' },
        { id: '610000000000000009', type: 2, name: 'voice' },
        { id: '610000000000000015', type: 15, name: 'forum' },
      ],
      threads: [
        { id: THREAD, type: 11, name: 'a task', parent_id: GENERAL },
        { id: '620000000000000015', type: 11, name: 'a post', parent_id: '610000000000000015' },
      ],
      roles: [
        { id: '900', name: 'Viber', tags: { bot_id: BOT } },
        { id: '901', name: 'cooks' },
      ],
    },
    BOT,
  );
  return {
    bot: { account: BOT, application: BOT, name: 'viber' },
    places,
    threads: 'per-task',
    commands: new Map(['status', 'stop'].map((name) => [name, { name, description: name }])),
    now: Date.parse(AT),
    ...change,
  };
}

function message(change: object = {}): object {
  return {
    id: MESSAGE,
    channel_id: GENERAL,
    guild_id: GUILD,
    type: 0,
    author: { id: ALEX, username: 'alex', global_name: 'Alex A.' },
    member: { nick: 'Lexi' },
    content: 'hello',
    timestamp: AT,
    edited_timestamp: null,
    mentions: [],
    attachments: [],
    ...change,
  };
}

describe('recorded', () =>
  decodes(import.meta.dirname, (event, as) => {
    const [kind, threads] = as.split(' ');
    const where = context(threads === undefined ? {} : { threads: 'off' });
    return kind === 'interaction'
      ? decodeInteraction(event, where)
      : decodeMessage(event, kind as 'message' | 'edit', where);
  }));

describe('what takes its time', () => {
  it('takes long and hostile text without delay', () => {
    const started = ownTime();
    for (const bit of ['<@', '`', '<a:', '```', `<@${BOT}> `, '<:a:<:a:'])
      decodeMessage(message({ content: `x${bit.repeat(2000)}` }), 'message', context());
    expect(ownTime() - started).toBeLessThan(1500);
  });

  it('of components without end a part is quoted', () => {
    let nested: object = { type: 10, content: 'deep' };
    for (let n = 0; n < 1000; n++) nested = { type: 17, components: Array(3).fill(nested) };
    const bot = { id: '77', username: 'Grafana', bot: true };
    const endless = { id: '1', author: bot, content: 'alert', attachments: [], components: [nested] };
    const decoded = decodeMessage(message({ type: 19, referenced_message: endless }), 'message', context());
    expect(decoded).toMatchObject({ message: { quotes: [{ text: 'alert' }] } });
  });
});

describe('interactions', () => {
  const interaction = (data: object) => ({
    ...{ id: INTERACTION, application_id: BOT, type: 2, token: 'aW50ZXJhY3Rpb24.tok_en-1', guild_id: GUILD },
    ...{ channel_id: GENERAL, channel: { id: GENERAL, type: 0, guild_id: GUILD } },
    ...{ member: { user: { id: ALEX, username: 'alex' }, nick: 'Lexi' }, data },
  });

  it('the menu has a place for every command there is, each of which is that command again', () => {
    interface Option {
      type: number;
      name: string;
      options?: Option[];
    }
    const specs = menuSpecs(COMMANDS, 'auto', { mcp: { any: {} }, projects: { roots: ['/code'] } });
    const commands = new Map(specs.map((spec) => [spec.name, spec]));
    const chosen = (menu: readonly Option[], path: Option[] = []): Option[][] =>
      menu.flatMap((one) => (one.type === 2 ? chosen(one.options ?? [], [one]) : [[...path, one]]));
    const { options: menu }: { options: Option[] } = JSON.parse(JSON.stringify(commandBody(specs)));
    const found = chosen(menu).map((path) => {
      const leaf = { type: 1, name: path.at(-1)?.name, options: [{ type: 3, name: 'x', value: 'words' }] };
      const options = path.length > 1 ? [{ type: 2, name: path[0]?.name, options: [leaf] }] : [leaf];
      const decoded = decodeInteraction(interaction({ name: 'viber', options }), context({ commands }));
      if (decoded.kind !== 'message') throw new Error(JSON.stringify(decoded));
      const { command: meant, text } = decoded.message;
      return [path.map(({ name }) => name).join(' '), meant ? `${meant.name} ${meant.args}` : text];
    });
    const named = new Map(found.map(([path, meant]) => [path, meant]));
    expect(new Set(found.map(([, meant = '']) => meant.split(' ')[0]))).toEqual(
      new Set(['words', ...specs.map(({ name }) => name)]),
    );
    expect(Object.fromEntries(named)).toMatchObject({
      ...{ 'task new': 'words', 'task export': 'export words', status: 'status words' },
      ...{ 'memory search': 'memory words', 'memory add': 'memory add words', 'settings model': 'model words' },
    });
  });

  it.each([
    ['/viber memory search tea', { name: 'memory', args: 'tea' }],
    ['/viber memory tea', { name: 'memory', args: 'tea' }],
    ['/viber memory add I drink tea', { name: 'memory', args: 'add I drink tea' }],
    ['/viber settings model usual', { name: 'model', args: 'usual' }],
    ['/viber model usual', { name: 'model', args: 'usual' }],
    ['/viber task new idea', { name: 'task', args: 'new idea' }],
  ])('%s is understood as typed words too', (content, expected) => {
    const commands = new Map(menuSpecs(COMMANDS, 'auto').map((spec) => [spec.name, spec]));
    const decoded = decodeMessage(
      message({ content, guild_id: undefined, member: undefined }),
      'message',
      context({ commands }),
    );
    expect(decoded.kind === 'message' && decoded.message.command).toEqual(expected);
  });

  it('the opaque interaction comes back until it has run out', () => {
    const given = { id: INTERACTION, application: BOT, token: 'aW50.x_-=' };
    const at = Number((BigInt(INTERACTION) >> 22n) + 1_420_070_400_000n);
    expect(openInteraction(sealInteraction(given), at + 60_000)).toEqual(given);
    expect(openInteraction(sealInteraction(given), at + 15 * 60_000)).toBeUndefined();
    for (const junk of [undefined, '', '[]', '["1","2"]', '{"a":1}', '["x","y","z"]'])
      expect(openInteraction(junk, at)).toBeUndefined();
  });
});

describe('whatever comes', () => {
  const KEYS =
    `id channel_id guild_id author member type content mentions attachments embeds poll sticker_items flags timestamp
    edited_timestamp message_reference message_snapshots referenced_message webhook_id application_id token data channel user
    message url filename title username nick global_name options name value custom_id component_type question answers
    components accessory items description`.split(/\s+/);

  it('is read or dropped, and never breaks the decoder', () => {
    const { node } = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(
          null,
          '',
          MESSAGE,
          BOT,
          GENERAL,
          0,
          2,
          3,
          1,
          1e300,
          true,
          '<@1>',
          `<@${BOT}>`,
          AT,
          '\ud800',
        ),
        fc.string(),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...KEYS), tie('node'), { maxKeys: 8 }),
      ),
    }));
    fc.assert(
      fc.property(node, node, (a, b) => {
        const mixed = typeof b === 'object' && b !== null && !Array.isArray(b) ? b : {};
        for (const body of [a, { ...message(), ...mixed }]) {
          expect(decodeMessage(body, 'message', context()).kind).toMatch(/^(message|dropped)$/);
          expect(decodeMessage(body, 'edit', context()).kind).toMatch(/^(message|dropped)$/);
          expect(decodeInteraction(body, context()).kind).toMatch(/^(message|suggest|dropped)$/);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
