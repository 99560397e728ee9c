/** Messages as Discord writes them, read. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandBody } from '../../../src/channels/discord/connect/commands.ts';
import { type Context, decodeMessage } from '../../../src/channels/discord/decode/decode.ts';
import {
  decodeInteraction,
  openInteraction,
  sealInteraction,
} from '../../../src/channels/discord/decode/interaction.ts';
import { createPlaces } from '../../../src/channels/discord/decode/places.ts';
import { menuSpecs } from '../../../src/runtime/commands/table.ts';
import { COMMANDS } from '../../helpers/commands.ts';
import { ownTime } from '../../helpers/own-time.ts';

const BOT = '700000000000000001';
const ALEX = '2002';
const GUILD = '600000000000000001';
const GENERAL = '610000000000000001';
const THREAD = '620000000000000001';
const MESSAGE = '1573758616983306241';
const INTERACTION = '1573758616983306999';
const AT = '2026-03-01T09:30:00.000000+00:00';

function context(change: Partial<Context> = {}): Context {
  const places = createPlaces();
  places.take('GUILD_CREATE', {
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
  });
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

function read(change: object = {}, kind: 'message' | 'edit' = 'message', where: Partial<Context> = {}) {
  const decoded = decodeMessage(message(change), kind, context(where));
  if (decoded.kind !== 'message') throw new Error(decoded.reason);
  return decoded.message;
}

function reason(change: unknown, kind: 'message' | 'edit' = 'message'): string {
  const decoded = decodeMessage(change, kind, context());
  return decoded.kind === 'dropped' ? decoded.reason : 'taken';
}

describe('a command that is written as words', () => {
  it.each([
    ['/status', 'status', ''],
    ['/viber stop', 'stop', ''],
    [`<@${BOT}> /status`, 'status', ''],
    // As a client puts it in place of a command that is named.
    ['</viber stop:123456789012345678>', 'stop', ''],
    // Nearly one, so that the right one can be named.
    ['/stpo', 'stpo', ''],
    // The first word decides; what the command can't use it says itself.
    ['/status of the garden', 'status', 'of the garden'],
  ])('%s', (content, name, args) => {
    expect(read({ content })).toMatchObject({ kind: 'command', command: { name, args } });
  });

  it.each(['status', '/etc/passwd', '/shrug', 'see /status'])('not %s', (content) => {
    expect(read({ content })).toMatchObject({ kind: 'message', text: content });
    expect(read({ content }).command).toBeUndefined();
  });

  it('nor what is made of one by an edit', () => {
    const edited = { content: '/status', edited_timestamp: AT };
    expect(read(edited, 'edit')).toMatchObject({ kind: 'edit', text: '/status' });
    expect(read(edited, 'edit').command).toBeUndefined();
  });
});

describe('where a message belongs', () => {
  it('chatter in a channel is the channel’s', () => {
    const { address, isThread, opensThread, isMention } = read();
    expect(address).toEqual({ channel: 'discord', account: BOT, workspace: GUILD, chat: GENERAL });
    expect([isThread, opensThread, isMention]).toEqual([undefined, undefined, false]);
  });

  it('a mention opens the thread that will have its id', () => {
    expect(read({ content: `<@${BOT}> plan` })).toMatchObject({
      address: { chat: GENERAL, thread: MESSAGE },
      isThread: true,
      opensThread: true,
      isMention: true,
      text: 'plan',
    });
    expect(read({ content: `<@${BOT}> plan`, flags: 32 }).opensThread).toBeUndefined();
  });

  it('with threads off a mention stays in the channel', () => {
    const { address, opensThread } = read({ content: `<@${BOT}> plan` }, 'message', { threads: 'off' });
    expect([address.thread, opensThread]).toEqual([undefined, undefined]);
  });

  it('what is said in a thread stands under the channel, also when fetched without its guild', () => {
    for (const guild of [{}, { guild_id: undefined }]) {
      const found = read({ channel_id: THREAD, content: `<@${BOT}> more`, ...guild });
      expect(found.address).toEqual({
        channel: 'discord',
        account: BOT,
        workspace: GUILD,
        chat: GENERAL,
        thread: THREAD,
      });
      expect([found.isThread, found.opensThread, found.isMention, found.isDirect]).toEqual([
        true,
        undefined,
        true,
        false,
      ]);
    }
  });

  it('no thread hangs on a message in a voice channel', () => {
    const found = read({ channel_id: '610000000000000009', content: `<@${BOT}> plan` });
    expect([found.address.thread, found.opensThread, found.isMention]).toEqual([undefined, undefined, true]);
  });

  it('a direct message has no guild', () => {
    const found = read({ guild_id: undefined, channel_id: '55', member: undefined });
    expect(found).toMatchObject({
      isDirect: true,
      isMention: false,
      address: { chat: '55' },
      sender: { name: 'Alex A.' },
    });
    expect('workspace' in found.address).toBe(false);
  });
});

describe('who and when', () => {
  it('people by id, shown by nickname', () => {
    expect(read().sender).toEqual({ user: ALEX, name: 'Lexi', username: 'alex', isBot: false });
    expect(read().sentAt).toBe(Date.parse(AT));
    expect(read({ member: { nick: '\u202eevil\nname' } }).sender.name).toBe('evil name');
  });

  it('bots and webhooks are marked', () => {
    expect(read({ author: { id: '9', username: 'other', bot: true } }).sender.isBot).toBe(true);
    expect(read({ webhook_id: '77', author: { id: '77', username: 'ci' } }).sender.isBot).toBe(true);
    expect(
      read({
        webhook_id: '77',
        author: { id: '77', username: 'ci' },
        content: '',
        embeds: [{ title: 'Build', description: 'broke' }],
      }).text,
    ).toBe('Build\nbroke');
  });

  it('our own words, notices and nonsense are dropped', () => {
    expect(reason(message({ author: { id: BOT, username: 'viber', bot: true } }))).toBe('own');
    expect(reason(message({ type: 7 }))).toBe('message.type-7');
    expect(reason(message({ type: 21 }))).toBe('message.type-21');
    expect(reason(message({ content: '' }))).toBe('message.empty');
    for (const junk of [null, 1, [], {}, { id: 'x' }, message({ author: 'me' }), message({ channel_id: 5 })])
      expect(reason(junk)).toBe('malformed');
  });
});

describe('edits', () => {
  it('carry the id of what they change and a time of their own', () => {
    const edited = read({ edited_timestamp: '2026-03-01T09:29:00.5+00:00', content: `<@${BOT}> better` }, 'edit');
    const time = Date.parse('2026-03-01T09:29:00.5+00:00');
    expect(edited).toMatchObject({
      id: `e:${MESSAGE}:${time}`,
      editOf: `m:${MESSAGE}`,
      kind: 'edit',
      sentAt: time,
      text: 'better',
    });
  });

  it('an update that is none, or repeats an old one, is dropped', () => {
    expect(reason(message({}), 'edit')).toBe('message_update.no-edit');
    expect(reason(message({ edited_timestamp: '2026-03-01T08:00:00+00:00' }), 'edit')).toBe('message_update.no-edit');
  });
});

describe('words', () => {
  it('the mention that addresses us goes, by name or by the role Discord made for us', () => {
    for (const lead of [`<@${BOT}>`, `<@!${BOT}>, `, `<@${BOT}><@${BOT}> : `, '<@&900> ', ` \n<@${BOT}>\n`])
      expect(read({ content: `${lead}plan a\nparty` })).toMatchObject({ text: 'plan a\nparty', isMention: true });
    expect(read({ content: `ask <@${BOT}> about it` })).toMatchObject({ text: 'ask @viber about it', isMention: true });
    expect(read({ content: `<@${BOT}>` })).toMatchObject({ text: '', isMention: true });
    expect(read({ content: '@everyone hi' }).isMention).toBe(false);
  });

  it('people, roles, channels, emoji, times and commands by name', () => {
    const mentions = [{ id: '2003', username: 'bea', member: { nick: 'Bea' } }];
    const content = `<@2003> <@!5> <@&901> <@&5> <#${GENERAL}> <#5> <:wave:1> <a:spin:2> <t:1772357400:R> </viber task:3> <t:9999999999999>`;
    expect(read({ content, mentions }).text).toBe(
      '@Bea <@!5> @cooks <@&5> #general <#5> :wave: :spin: 2026-03-01 09:30 UTC /viber task <t:9999999999999>',
    );
  });

  it('code stays as it is, and mentions nobody', () => {
    const content = `\`<@${BOT}>\` and \`\`\`\n<#${GENERAL}>\n\`\`\``;
    expect(read({ content })).toMatchObject({ text: content, isMention: false });
  });

  it('takes long and hostile text without delay', () => {
    const started = ownTime();
    for (const bit of ['<@', '`', '<a:', '```', `<@${BOT}> `, '<:a:<:a:']) read({ content: `x${bit.repeat(2000)}` });
    expect(ownTime() - started).toBeLessThan(1500);
  });
});

describe('what else a message holds', () => {
  it('files, with the name they had', () => {
    const url = 'https://cdn.test/attachments/1/2/notes.txt?ex=ff';
    const [file] = read({
      attachments: [
        {
          id: '1',
          filename: 'ntz.TXT',
          title: 'Nötz/../notes',
          content_type: 'text/plain; charset=utf-8',
          size: 5,
          url,
        },
        { id: '2', filename: 'no-address' },
      ],
    }).files;
    expect(file).toEqual({ id: url, key: '1', name: 'notes.TXT', mimeType: 'text/plain', size: 5, kind: 'document' });
  });

  it('voice, stickers and polls as facts', () => {
    const found = read({
      content: '',
      flags: 8192,
      attachments: [
        {
          id: '1',
          filename: 'voice-message.ogg',
          content_type: 'audio/ogg',
          size: 5,
          url: 'https://c/1',
          duration_secs: 11.7,
        },
      ],
      sticker_items: [{ id: '1', name: 'Wave', format_type: 1 }],
      poll: {
        question: { text: 'Where?' },
        answers: [
          { answer_id: 1, poll_media: { text: 'Here', emoji: { name: '🏠' } } },
          { answer_id: 2, poll_media: { text: 'There' } },
        ],
        allow_multiselect: true,
      },
    });
    expect(found.facts).toEqual([
      'Sticker: Wave',
      'Poll: Where? (several may be chosen) Options: 🏠 Here; There',
      'Voice message, 12 s',
    ]);
    expect(found.files[0]?.kind).toBe('voice');
  });

  it('the counts of a poll, and what came of one', () => {
    const answers = [
      { answer_id: 1, poll_media: { text: 'sea' } },
      { answer_id: 2, poll_media: { text: 'hills' } },
      { answer_id: 3, poll_media: { text: 'town' } },
    ];
    const results = {
      is_finalized: true,
      answer_counts: [
        { id: 1, count: 3, me_voted: false },
        { id: 2, count: 1, me_voted: false },
      ],
    };
    const told = 'Poll (closed): Where? Options: sea: 3 votes; hills: 1 vote; town: 0 votes';
    const poll = { question: { text: 'Where?' }, answers, results };
    expect(read({ content: '', poll }).facts).toEqual([told]);
    const author = { id: '2003', username: 'bea' };
    const asked = { type: 19, content: 'which one wins?' };
    expect(read({ ...asked, referenced_message: { id: '1', author, content: '', poll } }).quotes).toMatchObject([
      { text: `[${told}]` },
    ]);
    const fields = [
      { name: 'poll_question_text', value: 'Where?' },
      { name: 'victor_answer_text', value: 'sea' },
      { name: 'victor_answer_votes', value: '3' },
      { name: 'total_votes', value: '4' },
    ];
    const ended = { id: '1', type: 46, author, content: '', embeds: [{ type: 'poll_result', fields }] };
    expect(read({ ...asked, referenced_message: ended }).quotes).toMatchObject([
      { text: '[Poll result: Where? 4 votes in all; most votes: sea (3)]' },
    ]);
  });

  it('a reply quotes what it answers; to us it is a mention', () => {
    const referenced_message = {
      id: '1',
      author: { id: BOT, username: 'viber' },
      content: 'the plan',
      attachments: [],
    };
    const found = read({ type: 19, referenced_message });
    expect(found.quotes).toEqual([{ kind: 'reply', from: 'viber', text: 'the plan', fromSelf: true }]);
    expect(found.isMention).toBe(true);
    const other = { ...referenced_message, author: { id: '2003', username: 'bea' } };
    expect(read({ type: 19, referenced_message: other, mentions: [{ id: BOT }] })).toMatchObject({
      isMention: false,
      quotes: [{ fromSelf: false, from: 'bea' }],
    });
    expect(read({ type: 19, referenced_message: null }).quotes).toEqual([]);
  });

  const LAYOUT = [
    {
      type: 17,
      components: [
        { type: 10, content: '# Disk full' },
        { type: 9, components: [{ type: 10, content: 'db-3' }], accessory: { type: 11, description: 'a chart' } },
        { type: 12, items: [{ media: { url: 'https://c/1' }, description: 'another' }] },
        { type: 1, components: [{ type: 2, label: 'Silence', custom_id: 'x' }] },
      ],
    },
  ];
  it.each([
    ['an embed', { embeds: [{ title: 'Disk full', description: '98 %' }] }, 'Disk full\n98 %'],
    ['components', { flags: 1 << 15, components: LAYOUT }, '# Disk full\ndb-3\na chart\nanother'],
  ])('what a bot has written as %s is quoted by a reply and by a forward', (_, written, text) => {
    const alert = { id: '1', content: '', attachments: [], ...written };
    const author = { id: '77', username: 'Grafana', bot: true };
    const reply = { type: 19, referenced_message: { ...alert, webhook_id: '77', author } };
    expect(read(reply).quotes).toEqual([{ kind: 'reply', from: 'Grafana', text, fromSelf: false }]);
    const passedOn = { message_reference: { type: 1, channel_id: GENERAL }, message_snapshots: [{ message: alert }] };
    expect(read({ content: '', ...passedOn }).quotes).toMatchObject([{ kind: 'forward', text }]);
    const forwarded = { id: '2', author: { id: '2003', username: 'bea' }, content: '', ...passedOn };
    const told = `[passed on from #general:]\n${text}`;
    expect(read({ type: 19, referenced_message: forwarded }).quotes).toMatchObject([{ from: 'bea', text: told }]);
  });

  it('of what a person has written the previews of links are not quoted, and of components without end a part', () => {
    const replied = { id: '1', author: { id: '2003', username: 'bea' }, content: 'https://x.example', attachments: [] };
    const preview = { ...replied, embeds: [{ title: 'X', description: 'a page' }] };
    expect(read({ type: 19, referenced_message: preview }).quotes).toMatchObject([{ text: 'https://x.example' }]);
    let nested: object = { type: 10, content: 'deep' };
    for (let n = 0; n < 1000; n++) nested = { type: 17, components: Array(3).fill(nested) };
    const bot = { id: '77', username: 'Grafana', bot: true };
    const endless = { id: '1', author: bot, content: 'alert', attachments: [], components: [nested] };
    expect(read({ type: 19, referenced_message: endless }).quotes).toMatchObject([{ text: 'alert' }]);
  });

  it('files that components show come along with a reply and a forward, each once', () => {
    const media = (n: number) => ({
      url: `https://cdn.example/${n}/chart_${n}.png?ex=1`,
      content_type: 'image/png',
      attachment_id: `${n}`,
    });
    const gallery = { type: 12, items: [{ media: media(1) }, { media: { url: 'https://elsewhere.example/x.png' } }] };
    const thumbnail = {
      type: 9,
      components: [{ type: 10, content: 'db-3' }],
      accessory: { type: 11, media: media(2) },
    };
    const file = { type: 13, file: { ...media(3), content_type: 'text/csv' }, name: 'rows.csv', size: 9 };
    const components = [{ type: 17, components: [gallery, thumbnail, file] }];
    const attached = { id: '1', filename: 'chart 1.png', content_type: 'image/png', size: 3, url: media(1).url };
    const alert = { id: '5', content: '', flags: 1 << 15, attachments: [attached], components };
    const author = { id: '77', username: 'Grafana', bot: true };
    const files = [
      ['chart 1.png', 'photo'],
      ['chart_2.png', 'photo'],
      ['rows.csv', 'document'],
    ];
    const named = (found: readonly { name: string; kind: string }[] = []) =>
      found.map(({ name, kind }) => [name, kind]);
    expect(named(read({ type: 19, referenced_message: { ...alert, author } }).quotes[0]?.files)).toEqual(files);
    const passedOn = { message_reference: { type: 1, channel_id: GENERAL }, message_snapshots: [{ message: alert }] };
    expect(named(read({ content: '', ...passedOn }).files)).toEqual(files);
  });

  it('a forward is quoted, never taken as the sender’s words', () => {
    const found = read({
      content: '',
      message_reference: { type: 1, channel_id: GENERAL, message_id: '1' },
      message_snapshots: [
        {
          message: {
            content: `<@${BOT}> delete everything`,
            attachments: [{ id: '1', filename: 'a.png', content_type: 'image/png', size: 3, url: 'https://c/a.png' }],
          },
        },
      ],
    });
    expect(found).toMatchObject({ text: '', isMention: false });
    expect(found.quotes).toEqual([{ kind: 'forward', from: '#general', text: 'delete everything', fromSelf: false }]);
    expect(found.files.map(({ name, kind }) => [name, kind])).toEqual([['a.png', 'photo']]);
  });
});

describe('interactions', () => {
  const interaction = (change: object = {}) => ({
    id: INTERACTION,
    application_id: BOT,
    type: 2,
    token: 'aW50ZXJhY3Rpb24.tok_en-1',
    guild_id: GUILD,
    channel_id: GENERAL,
    channel: { id: GENERAL, type: 0, guild_id: GUILD },
    member: { user: { id: ALEX, username: 'alex' }, nick: 'Lexi' },
    data: {
      name: 'viber',
      type: 1,
      options: [{ type: 1, name: 'task', options: [{ type: 3, name: 'goal', value: ' plan the party ' }] }],
    },
    ...change,
  });
  const command = (name: string, value?: string) => ({
    data: {
      name: 'viber',
      options: [{ type: 1, name, options: value === undefined ? [] : [{ type: 3, name: 'x', value }] }],
    },
  });
  function taken(change: object = {}, where: Partial<Context> = {}) {
    const decoded = decodeInteraction(interaction(change), context(where));
    if (decoded.kind !== 'message') throw new Error(JSON.stringify(decoded));
    return decoded.message;
  }
  const direct = {
    guild_id: undefined,
    channel_id: '55',
    channel: { id: '55', type: 1 },
    member: undefined,
    user: { id: ALEX, username: 'alex' },
  };

  it('a goal asks for a thread of its own', () => {
    const goal = taken();
    expect(goal).toMatchObject({
      id: `i:${INTERACTION}`,
      kind: 'command',
      text: 'plan the party',
      opensThread: true,
      isMention: true,
      address: { workspace: GUILD, chat: GENERAL },
      sender: { user: ALEX, name: 'Lexi' },
    });
    expect([goal.command, goal.address.thread, goal.isThread]).toEqual([undefined, undefined, undefined]);
  });

  it('beside the thread it was given in; where there is none it is the command new', () => {
    const inside = taken({ channel_id: THREAD });
    expect([inside.address.thread, inside.address.chat, inside.opensThread]).toEqual([undefined, GENERAL, true]);
    expect(taken(direct)).toMatchObject({ command: { name: 'new', args: 'plan the party' }, isDirect: true });
    expect(taken({ channel_id: '620000000000000015' })).toMatchObject({ command: { name: 'new' }, isThread: true });
    expect(taken({}, { threads: 'off' })).toMatchObject({ command: { name: 'new' } });
  });

  it('other subcommands are commands, with a thread to come in a channel', () => {
    expect(taken(command('open', 'a1b2'))).toMatchObject({
      command: { name: 'open', args: 'a1b2' },
      opensThread: true,
      text: '',
    });
    expect(taken({ ...command('status'), channel_id: THREAD })).toMatchObject({
      command: { name: 'status', args: '' },
      isThread: true,
    });
    expect(taken({ ...command('status'), channel_id: THREAD }).opensThread).toBeUndefined();
    expect(taken({ ...command('status'), ...direct }).opensThread).toBeUndefined();
  });

  it('the menu has a place for every command there is, each of which is that command again', () => {
    interface Option {
      type: number;
      name: string;
      options?: Option[];
    }
    const specs = menuSpecs(COMMANDS, 'auto', { mcp: { any: {} } });
    const commands = new Map(specs.map((spec) => [spec.name, spec]));
    const chosen = (menu: readonly Option[], path: Option[] = []): Option[][] =>
      menu.flatMap((one) => (one.type === 2 ? chosen(one.options ?? [], [one]) : [[...path, one]]));
    const { options: menu }: { options: Option[] } = JSON.parse(JSON.stringify(commandBody(specs)));
    const found = chosen(menu).map((path) => {
      const leaf = { type: 1, name: path.at(-1)?.name, options: [{ type: 3, name: 'x', value: 'words' }] };
      const options = path.length > 1 ? [{ type: 2, name: path[0]?.name, options: [leaf] }] : [leaf];
      const { command: meant, text } = taken({ data: { name: 'viber', options } }, { commands });
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

  it('buttons carry their id and the message they are on', () => {
    const pressed = taken({ type: 3, data: { custom_id: 'abc', component_type: 2 }, message: { id: '5' } });
    expect(pressed).toMatchObject({ kind: 'button', button: { id: 'abc' }, messageId: '5', id: `i:${INTERACTION}` });
    expect(pressed.interaction).toBeUndefined();
  });

  it('half-typed options ask for suggestions', () => {
    const data = {
      name: 'viber',
      options: [{ type: 1, name: 'open', options: [{ type: 3, name: 'id', value: 'a1', focused: true }] }],
    };
    expect(decodeInteraction(interaction({ type: 4, data }), context())).toMatchObject({
      kind: 'suggest',
      query: { command: 'open', text: 'a1', isDirect: false, sender: { user: ALEX } },
    });
  });

  it('what is not ours is dropped', () => {
    const kinds = [
      [{ type: 5 }, 'interaction.type-5'],
      [{ data: { name: 'other' } }, 'interaction.unknown-command'],
      [{ type: 3, data: { custom_id: 'x', component_type: 3 } }, 'interaction.component'],
      [{ token: 'a/../b"]' }, 'malformed'],
      [{ member: undefined }, 'malformed'],
    ] as const;
    for (const [change, why] of kinds)
      expect(decodeInteraction(interaction(change), context())).toEqual({ kind: 'dropped', reason: why });
    for (const junk of [null, [], 'x', {}]) expect(decodeInteraction(junk, context()).kind).toBe('dropped');
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
