/** What is peculiar to Matrix: positions, gaps, invitations, keys of transactions, encrypted rooms, tokens. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type ChannelHost, ConfigError, DeliveryError, type OutboundMessage } from 'openviber-gateway/plugin';
import { hearing, memoryHost, memoryLedger } from 'openviber-gateway/testing';
import { expect, it, onTestFinished } from 'vitest';
import { createMatrixChannel } from '../channel.ts';
import { type Homeserver, startHomeserver } from './homeserver.ts';
import { contentIn, SERVER } from './store.ts';

const ALEX = `@alex:${SERVER}`;
const MALLORY = `@mallory:${SERVER}`;
const DM = `!dm:${SERVER}`;
const TEAM = `!team:${SERVER}`;

async function startAlone(): Promise<Homeserver> {
  const homeserver = await startHomeserver();
  onTestFinished(() => homeserver.close());
  homeserver.store.addUser('alex', 'Alex');
  homeserver.store.addUser('mallory', 'Mallory');
  return homeserver;
}

/** A direct chat and a room, both joined. */
async function start(): Promise<Homeserver> {
  const homeserver = await startAlone();
  const { store, bot } = homeserver;
  for (const id of [DM, TEAM]) {
    store.createRoom(id, ALEX);
    store.setMember(id, bot, 'invite', { by: ALEX });
    store.setMember(id, bot, 'join');
  }
  store.setMember(TEAM, MALLORY, 'join');
  store.setAccountData(bot, 'm.direct', { [ALEX]: [DM] });
  return homeserver;
}

const mayAll = () => true;

function open(homeserver: Homeserver, host: ChannelHost = memoryHost(), mayInvite: (user: string) => boolean = mayAll) {
  const { url, token } = homeserver;
  const timing = { pollMs: 2_000, backoffMs: { min: 20, max: 100 } };
  const channel = createMatrixChannel({ homeserver: url, token, host, mayInvite, timing });
  onTestFinished(() => channel.disconnect());
  return channel;
}

const say = ({ store }: Homeserver, body: string, { room = DM, by = ALEX, more = {} as object } = {}): string =>
  store.add(room, by, { type: 'm.room.message', content: { msgtype: 'm.text', body, ...more } }).event_id;

const answer = (more: Partial<OutboundMessage> = {}): OutboundMessage => ({
  ...{ id: 'answer', text: 'hello', files: [] },
  address: { channel: 'matrix', account: '', chat: DM },
  ...more,
});

const saidBy = ({ store, bot }: Homeserver, room = DM) =>
  (store.rooms.get(room)?.arrivals ?? [])
    .filter(({ event }) => event.type === 'm.room.message' && event.sender === bot)
    .map(({ event }) => event);

it('reads nothing from before its first start, and everything from between two starts, once and in order', async () => {
  const homeserver = await start();
  const host = memoryHost();
  say(homeserver, 'long ago');
  const first = open(homeserver, host);
  const before = hearing();
  await first.connect(before);
  say(homeserver, 'hello');
  await expect.poll(() => before.messages.map(({ text }) => text)).toEqual(['hello']);
  await first.disconnect();
  // More than a sync holds, and more than a page of what it leaves out.
  const words = Array.from({ length: 330 }, (_, n) => `message ${n}`);
  for (const text of words) {
    say(homeserver, text);
    homeserver.store.add(DM, ALEX, { type: 'org.example.noise', content: {} });
  }
  const after = hearing();
  await open(homeserver, host).connect(after);
  await expect.poll(() => after.messages.at(-1)?.text).toBe(words.at(-1));
  expect(after.messages.map(({ text }) => text)).toEqual(words);
  expect(homeserver.problems).toEqual([]);
});

it('keeps the position where something was not stored, and gets all of it again', async () => {
  const homeserver = await start();
  const host = memoryHost();
  let isFull = true;
  const heard = hearing(({ text }) => isFull && text === 'two');
  const channel = open(homeserver, host);
  await channel.connect(heard);
  const position = await host.cache.get(`matrix.position.${homeserver.bot}`);
  for (const text of ['one', 'two', 'three']) say(homeserver, text);
  await expect.poll(() => channel.status().detail ?? '').toContain("can't be stored");
  expect(await host.cache.get(`matrix.position.${homeserver.bot}`)).toBe(position);
  isFull = false;
  await expect.poll(() => channel.status().state).toBe('connected');
  // Repetitions have the same ID, by which the gateway knows them.
  expect([...new Set(heard.messages.map(({ id }) => id))]).toHaveLength(3);
  expect(heard.messages.slice(-3).map(({ text }) => text)).toEqual(['one', 'two', 'three']);
});

it('joins where it is invited, and hears what was said since then', async () => {
  const homeserver = await startAlone();
  const { store, bot } = homeserver;
  const host = memoryHost();
  const heard = hearing();
  await open(homeserver, host).connect(heard);
  store.createRoom(DM, ALEX);
  say(homeserver, 'not for the bot');
  store.setMember(DM, bot, 'invite', { by: ALEX, more: { is_direct: true } });
  say(homeserver, 'are you there?');
  await expect.poll(() => heard.messages.map(({ text }) => text)).toEqual(['are you there?']);
  await expect.poll(() => store.accountData.get(`${bot} m.direct`)?.content).toEqual({ [ALEX]: [DM] });
  say(homeserver, 'good');
  await expect.poll(() => heard.messages.at(-1)).toMatchObject({ text: 'good', isDirect: true, isMention: true });
  // Somebody else joins: from now on it is a room as any other.
  store.setMember(DM, MALLORY, 'join');
  say(homeserver, 'and now?');
  await expect.poll(() => heard.messages.at(-1)).toMatchObject({ text: 'and now?', isDirect: false, isMention: false });
  expect(homeserver.problems).toEqual([]);
});

it('declines an invitation of somebody who could not write to it', async () => {
  const homeserver = await start();
  const { store, bot } = homeserver;
  const host = memoryHost();
  await open(homeserver, host, (user) => user === ALEX).connect(hearing());
  const room = store.createRoom(`!spam:${SERVER}`, MALLORY);
  store.setMember(room.id, bot, 'invite', { by: MALLORY });
  await expect.poll(() => store.membershipOf(room, bot)).toBe('leave');
  expect(homeserver.requests.filter((each) => each.endsWith('/join'))).toEqual([]);
});

it('answers an invitation after a restart that came in between', async () => {
  const homeserver = await start();
  const { store, bot } = homeserver;
  const host = memoryHost();
  homeserver.break(/\/join$/, 503);
  const first = open(homeserver, host);
  await first.connect(hearing());
  const room = store.createRoom(`!late:${SERVER}`, ALEX);
  store.setMember(room.id, bot, 'invite', { by: ALEX });
  await expect.poll(() => homeserver.requests.filter((each) => each.endsWith('/join')).length).toBeGreaterThan(1);
  await first.disconnect();
  homeserver.break(/\/join$/);
  await open(homeserver, host).connect(hearing());
  await expect.poll(() => store.membershipOf(room, bot)).toBe('join');
});

it('refuses an encrypted room in one sentence', async () => {
  const homeserver = await start();
  const { store, bot } = homeserver;
  const host = memoryHost();
  const heard = hearing();
  await open(homeserver, host).connect(heard);
  const room = store.createRoom(`!secret:${SERVER}`, ALEX, { encrypted: true });
  store.setMember(room.id, bot, 'invite', { by: ALEX, more: { is_direct: true } });
  await expect.poll(() => store.membershipOf(room, bot)).toBe('leave');
  expect(saidBy(homeserver, room.id).map(({ content }) => content.body)).toEqual([
    expect.stringMatching(/can't read encrypted messages: please make a room without encryption/),
  ]);
  // A room that is encrypted later.
  const content = { algorithm: 'm.megolm.v1.aes-sha2' };
  store.add(TEAM, ALEX, { type: 'm.room.encrypted', content });
  await expect.poll(() => store.membershipOf(store.roomOf(TEAM), bot)).toBe('leave');
  expect(saidBy(homeserver, TEAM)).toHaveLength(1);
  expect(heard.messages).toEqual([]);
  expect(homeserver.problems).toEqual([]);
});

it('answers by a number only what it has asked itself, and asks once about each other message', async () => {
  const homeserver = await start();
  const { store } = homeserver;
  const heard = hearing();
  const channel = open(homeserver);
  await channel.connect(heard);
  const id = say(homeserver, 'which one?', { room: TEAM });
  const react = (under: string, by = ALEX, room = TEAM) =>
    store.add(room, by, {
      type: 'm.reaction',
      content: { 'm.relates_to': { rel_type: 'm.annotation', event_id: under, key: '1️⃣' } },
    });
  react(id);
  await expect.poll(() => heard.dropped).toContain('m.reaction');
  react(id, MALLORY);
  await expect.poll(() => heard.dropped.filter((kind) => kind === 'm.reaction')).toHaveLength(2);
  expect(homeserver.requests.filter((each) => each.includes('/event/'))).toHaveLength(1);
  const ledger = memoryLedger();
  await channel.send(answer({ buttons: [[{ id: 'b1', label: 'Yes' }]] }), ledger);
  react(ledger.sent.get(0) ?? '', ALEX, DM);
  await expect.poll(() => heard.messages.at(-1)).toMatchObject({ kind: 'button', button: { id: 'b1' } });
  say(homeserver, '1', { more: { 'm.relates_to': { 'm.in_reply_to': { event_id: ledger.sent.get(0) } } } });
  await expect.poll(() => heard.messages.filter(({ kind }) => kind === 'button')).toHaveLength(2);
  say(homeserver, '2', { more: { 'm.relates_to': { 'm.in_reply_to': { event_id: ledger.sent.get(0) } } } });
  await expect.poll(() => heard.messages.at(-1)).toMatchObject({ kind: 'message', text: '2' });
  expect(homeserver.problems).toEqual([]);
});

it('names the setting of a token that is not accepted, and waits for a new one if that happens later', async () => {
  const homeserver = await start();
  const wrong = open({ ...homeserver, token: 'of-somebody-else' });
  const problem = await wrong.connect(hearing()).catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(ConfigError);
  expect(String(problem)).toContain('channels.matrix.token');
  const host = memoryHost();
  const channel = open(homeserver, host);
  await channel.connect(hearing());
  homeserver.revoke();
  await expect.poll(() => channel.status()).toMatchObject({ state: 'failed', detail: /channels\.matrix\.token/ });
  const failure = await channel.send(answer(), memoryLedger()).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(DeliveryError);
  expect(failure).toMatchObject({ retryAfterMs: 60_000 });
});

it('waits for a homeserver that is away at the start, and says so', async () => {
  const homeserver = await start();
  await homeserver.outage(true);
  const channel = open(homeserver);
  const connected = channel.connect(hearing());
  await expect.poll(() => channel.status().state).toBe('reconnecting');
  await homeserver.outage(false);
  await connected;
  expect([channel.account, channel.status().state]).toEqual([homeserver.bot, 'connected']);
});

it('sends a part once, also when the homeserver has forgotten its key', async () => {
  const homeserver = await start();
  const channel = open(homeserver);
  await channel.connect(hearing(), { sendOnly: true });
  homeserver.fault({ kind: 'lost-answer', times: 1 });
  await expect(channel.send(answer(), memoryLedger())).rejects.toMatchObject({ ambiguous: true });
  await channel.send(answer(), memoryLedger());
  expect(saidBy(homeserver)).toHaveLength(1);
  // Sent before the homeserver was restored: it doesn't know the key, and has the message.
  const [event] = saidBy(homeserver);
  homeserver.forget();
  const ledger = Object.assign(memoryLedger(), { uncertainSince: Date.now() - 3_600_000 });
  await channel.send(answer(), ledger);
  expect(saidBy(homeserver)).toHaveLength(1);
  expect(ledger.sent.get(0)).toBe(event?.event_id);
});

it('says how long to wait, by header or by field', async () => {
  const homeserver = await start();
  const channel = open(homeserver);
  await channel.connect(hearing(), { sendOnly: true });
  homeserver.fault({ kind: 'rate-limit', times: 1, seconds: 7 });
  await expect(channel.send(answer(), memoryLedger())).rejects.toMatchObject({
    retryAfterMs: 7_000,
    rateLimited: true,
  });
});

it('answers in the room where no thread can begin, and edits what it has said', async () => {
  const homeserver = await start();
  const channel = open(homeserver);
  await channel.connect(hearing(), { sendOnly: true });
  const reaction = {
    type: 'm.reaction',
    content: { 'm.relates_to': { rel_type: 'm.annotation', event_id: say(homeserver, 'x'), key: 'x' } },
  };
  const thread = homeserver.store.add(DM, ALEX, reaction).event_id;
  const ledger = memoryLedger();
  await channel.send(answer({ address: { channel: 'matrix', account: '', chat: DM, thread } }), ledger);
  const [event] = saidBy(homeserver);
  expect(event?.content).toMatchObject({ body: 'hello' });
  expect(event?.content['m.relates_to']).toBeUndefined();
  const edits = { messageId: ledger.sent.get(0) ?? '', was: 'hello' };
  await channel.send(answer({ text: '**bye**', edits }), memoryLedger('edit'));
  expect(contentIn(saidBy(homeserver)[1]?.content['m.new_content'])).toMatchObject({
    ...{ body: 'bye', formatted_body: '<strong>bye</strong>' },
  });
  expect(homeserver.problems).toEqual([]);
});

it('takes an edit only from who has said it, into the thread where it was said', async () => {
  const homeserver = await start();
  const host = memoryHost();
  const heard = hearing();
  await open(homeserver, host).connect(heard);
  const { bot } = homeserver;
  const called = { 'm.mentions': { user_ids: [bot] } };
  const id = say(homeserver, 'Viber: meet at 5', { room: TEAM, more: called });
  const edit = (body: string) => ({
    'm.new_content': { msgtype: 'm.text', body, ...called },
    'm.relates_to': { rel_type: 'm.replace', event_id: id },
  });
  say(homeserver, '* not mine', { room: TEAM, by: MALLORY, more: edit('not mine') });
  say(homeserver, '* meet at 6', { room: TEAM, more: edit('Viber: meet at 6') });
  await expect.poll(() => heard.messages.length).toBe(2);
  expect(heard.messages.map(({ text, kind, address, editOf }) => [text, kind, address.thread, editOf])).toEqual([
    ['meet at 5', 'message', id, undefined],
    ['meet at 6', 'edit', id, id],
  ]);
  expect(heard.dropped).toContain('edit');
});

it('follows a room that is replaced', async () => {
  const homeserver = await start();
  const { store, bot } = homeserver;
  const host = memoryHost();
  const heard = hearing();
  await open(homeserver, host).connect(heard);
  const next = `!${'n'.repeat(43)}`;
  store.createRoom(next, ALEX);
  store.setMember(next, bot, 'invite', { by: ALEX });
  store.add(TEAM, ALEX, { type: 'm.room.tombstone', content: { body: 'moved', replacement_room: next }, stateKey: '' });
  await expect.poll(() => heard.messages.map(({ kind }) => kind)).toContain('migration');
  expect(heard.messages[0]?.movedTo).toMatchObject({ chat: next });
  await expect.poll(() => store.membershipOf(store.roomOf(next), bot)).toBe('join');
});

it('joins no room in the name of somebody whom the gateway refuses', async () => {
  const homeserver = await start();
  const { store } = homeserver;
  const heard = hearing();
  heard.onMessage = async ({ sender }) => (sender.user === MALLORY ? 'refused' : 'accepted');
  await open(homeserver).connect(heard);
  for (const [next, by] of [
    ['!bad', MALLORY],
    ['!good', ALEX],
  ] as const)
    store.add(TEAM, by, { type: 'm.room.tombstone', content: { replacement_room: next }, stateKey: '' });
  const joins = () => homeserver.requests.filter((each) => /join.*(bad|good)/.test(each)).join();
  await expect.poll(joins).toContain('good');
  expect(joins()).not.toContain('bad');
});

it('fetches files with its token, and says when one is gone', async () => {
  const homeserver = await start();
  const channel = open(homeserver);
  await channel.connect(hearing(), { sendOnly: true });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'matrix-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  const uri = `mxc://${SERVER}/abc`;
  homeserver.store.media.set(uri, { bytes: Buffer.from('milk'), type: 'text/plain' });
  const file = { id: uri, name: 'notes.txt', mimeType: 'text/plain', kind: 'document' as const };
  const signal = AbortSignal.timeout(10_000);
  const got = await channel.download?.(file, path.join(folder, 'a'), 1_000, signal);
  expect([got?.size, fs.readFileSync(path.join(folder, 'a'), 'utf8')]).toEqual([4, 'milk']);
  const gone = channel.download?.({ ...file, id: `mxc://${SERVER}/gone` }, path.join(folder, 'b'), 1_000, signal);
  await expect(gone).rejects.toThrow('no longer has the file');
});

it('looks up what a message replies to, and the words of its thread', async () => {
  const homeserver = await start();
  const host = memoryHost();
  const heard = hearing();
  const channel = open(homeserver, host);
  await channel.connect(heard);
  const root = say(homeserver, 'the plan', { room: TEAM });
  const inThread = { 'm.relates_to': { rel_type: 'm.thread', event_id: root, is_falling_back: true } };
  say(homeserver, 'first reply', { room: TEAM, by: MALLORY, more: inThread });
  const called = { 'm.mentions': { user_ids: [homeserver.bot] } };
  const more = {
    ...called,
    'm.relates_to': { ...inThread['m.relates_to'], is_falling_back: false, 'm.in_reply_to': { event_id: root } },
  };
  say(homeserver, '> <@alex:x> the plan\n\nViber, what do you think?', { room: TEAM, more });
  await expect.poll(() => heard.messages.length).toBe(3);
  const message = heard.messages[2];
  if (!message) throw new Error('nothing was heard');
  expect(message).toMatchObject({ text: 'what do you think?', isThread: true, repliesTo: root });
  const found = await channel.lookUp?.(message, { thread: {} }, AbortSignal.timeout(10_000));
  expect(found?.problems).toEqual([]);
  expect(found?.message.quotes).toMatchObject([{ kind: 'reply', from: 'Alex', text: 'the plan' }]);
  expect(found?.thread).toMatchObject({
    root: { text: 'the plan' },
    replies: [{ quote: { from: 'Mallory', text: 'first reply' } }],
  });
});

it('sends files, each by itself, and says which are too large, refused or gone', async () => {
  const homeserver = await start();
  const channel = open(homeserver);
  await channel.connect(hearing(), { sendOnly: true });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'matrix-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }));
  const attach = (name: string, mimeType: string, text: string) => {
    fs.writeFileSync(path.join(folder, name), text);
    return { path: path.join(folder, name), name, mimeType, size: text.length, sha256: '' };
  };
  const large = { ...attach('large.bin', 'application/zip', 'x'), size: channel.limits.uploadBytes + 1 };
  const gone = { ...attach('gone.txt', 'text/plain', 'x'), path: path.join(folder, 'nowhere') };
  const files = [attach('a.csv', 'text/csv', 'a,b'), attach('b.png', 'image/png', 'PNG'), large, gone];
  await channel.send(answer({ files }), memoryLedger());
  const said = saidBy(homeserver).map(({ content }) => [content.msgtype, content.body]);
  expect(said).toEqual([
    ['m.text', 'hello'],
    ['m.text', expect.stringMatching(/large\.bin/)],
    ['m.file', 'a.csv'],
    ['m.image', 'b.png'],
    ['m.text', expect.stringMatching(/gone\.txt/)],
  ]);
  const sent = homeserver.store.media.get(String(saidBy(homeserver)[2]?.content.url));
  expect([sent?.bytes.toString(), sent?.type, sent?.name]).toEqual(['a,b', 'text/csv', 'a.csv']);
  // One that the homeserver refuses after all goes to nobody; the next try uploads nothing again.
  homeserver.withhold(DM);
  await channel.send(answer({ files: files.slice(0, 1) }), memoryLedger('second'));
  expect(saidBy(homeserver).at(-1)?.content.body).toMatch(/a\.csv/);
  expect(homeserver.problems).toEqual([]);
});

it('finds a room that it is in, and says whether one person reads there', async () => {
  const homeserver = await start();
  const channel = open(homeserver);
  await channel.connect(hearing(), { sendOnly: true });
  const { account } = channel;
  expect(await channel.findPlace?.({ chat: DM })).toEqual({
    ...{ address: { channel: 'matrix', account, chat: DM }, isDirect: true, user: ALEX },
  });
  expect(await channel.findPlace?.({ chat: TEAM, thread: '$t' })).toEqual({
    ...{ address: { channel: 'matrix', account, chat: TEAM, thread: '$t' }, isDirect: false },
  });
  expect(await channel.findPlace?.({ chat: `!elsewhere:${SERVER}` })).toBeUndefined();
  expect(await channel.directTo?.(ALEX, { channel: 'matrix', account, chat: TEAM })).toMatchObject({ chat: DM });
  await homeserver.outage(true);
  await expect(channel.findPlace?.({ chat: DM })).rejects.toMatchObject({ name: 'DeliveryError' });
  await homeserver.outage(false);
});
