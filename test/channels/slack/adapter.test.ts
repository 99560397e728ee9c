/** Taking in over Socket Mode: what is acknowledged when, what comes twice, what is told at once. */
import { expect, test } from 'vitest';
import { quiet } from '../../kit/quiet.ts';
import { answer, benchOn, createLedger, eventually, startBench } from './harness.ts';

test('a mention is handed over twice as one and the same, and answered in its thread', async () => {
  const { slack, channel, got, connect } = await startBench();
  await connect();
  expect(channel.status()).toEqual({ state: 'connected' });
  const said = slack.say(slack.general, 'make a < b & c', { mention: true });
  await slack.settled();
  expect(got.map(({ message }) => message.id)).toEqual([`m:${said.ts}`, `m:${said.ts}`]);
  expect(got[1]?.message).toMatchObject({ ...got[0]?.message, sender: expect.anything() });
  expect(got[0]?.message).toMatchObject({
    kind: 'message',
    address: { channel: 'slack', account: 'U0VIBER00', workspace: 'T0EMULATE', chat: slack.general, thread: said.ts },
    text: 'make a < b & c',
    isMention: true,
    isThread: true,
    isDirect: false,
    messageId: said.ts,
  });
  const ledger = createLedger();
  const text = '**Done** <@U0ALEX000> <!channel>';
  await channel.send(answer(channel, { chat: slack.general, thread: said.ts, text }), ledger);
  const shown = await slack.wait({ channel: slack.general, thread: said.ts, from: 'bot' });
  expect(ledger.sent.get(0)).toBe(shown.ts);
  expect(shown.metadata).toEqual({ event_type: 'viber_message', event_payload: { key: 'out:0' } });
  expect(shown).toMatchObject({ unfurlLinks: false, unfurlMedia: false });
  expect(slack.pings()).toEqual([]);
});

test('nothing is acknowledged before it is stored, and what could not be stored comes again', async () => {
  const { slack, got, storing, connect } = await startBench({}, { ackTimeoutMs: 150 });
  await connect();
  const gate = Promise.withResolvers<void>();
  storing(async () => {
    await gate.promise;
    throw new Error('disk full');
  });
  slack.dm('U0ALEX000', 'keep this');
  await eventually(() => got.length === 1);
  expect(slack.counters().deliveries).toMatchObject({ acknowledged: 0, pending: 1 });
  storing(async () => 'accepted');
  gate.resolve();
  await slack.settled();
  expect(slack.counters().deliveries).toMatchObject({ acknowledged: 1, lost: 0 });
  expect(new Set(got.map(({ message }) => message.id)).size).toBe(1);
  expect(got.length).toBeGreaterThan(1);
});

test('what is said after something that could not be stored is taken in after it, once there is room', async () => {
  const { slack, storing, connect } = await startBench({}, { ackTimeoutMs: 100 });
  await connect();
  slack.dm('U0ALEX000', 'before');
  await slack.settled();
  const stored: string[] = [];
  let isFull = true;
  storing(async ({ text }) => {
    if (isFull) throw new Error('disk full');
    if (stored.includes(text)) return 'duplicate';
    stored.push(text);
    return 'accepted';
  });
  slack.dm('U0ALEX000', 'first');
  slack.dm('U0ALEX000', 'second');
  // By now Slack has given both up.
  await slack.settled();
  expect(slack.counters().deliveries.lost).toBe(2);
  isFull = false;
  slack.dm('U0ALEX000', 'third');
  await eventually(() => stored.length === 3);
  expect(stored).toEqual(['first', 'second', 'third']);
});

test('our own words and edits of them are not handed over; those of other apps are a bot’s', async () => {
  const { slack, channel, got, dropped, connect } = await startBench();
  await connect();
  const own = slack.botSays(slack.general, 'mine', { ours: true });
  await channel.send(answer(channel, { chat: slack.general, placeholder: own.ts, text: 'edited' }), createLedger());
  slack.botSays(slack.general, 'another app');
  await slack.settled();
  expect(got.map(({ message }) => [message.text, message.sender.isBot])).toEqual([['another app', true]]);
  expect(dropped.every((reason) => reason === 'own' || reason.startsWith('message_changed'))).toBe(true);
});

test('an edit names the message it changes; a removal is dropped', async () => {
  const { slack, got, dropped, connect } = await startBench();
  await connect();
  const said = slack.dm('U0SAM0000', 'helo');
  slack.edit(said.channel, said.ts, 'hello');
  slack.remove(said.channel, said.ts);
  await slack.settled();
  expect(got.map(({ message }) => [message.kind, message.text, message.editOf])).toEqual([
    ['message', 'helo', undefined],
    ['edit', 'hello', `m:${said.ts}`],
  ]);
  expect(got[0]?.message).toMatchObject({ isDirect: true, isMention: false });
  expect(got[0]?.message.isThread).toBeUndefined();
  expect(dropped).toEqual(['message.message_deleted']);
});

test('a goal given by command is acknowledged to its person and opens one thread, named and announced', async () => {
  const { slack, channel, got, connect } = await startBench();
  await connect();
  const result = await slack.slash({ text: 'find a train to Oslo', user: 'U0SAM0000' });
  expect(result).toMatchObject({ failed: false, ack: { body: { response_type: 'ephemeral', text: 'On it.' } } });
  const [first] = got;
  expect(first?.message).toMatchObject({
    id: `i:${result.triggerId}`,
    kind: 'command',
    text: 'find a train to Oslo',
    opensThread: true,
    isMention: true,
    interaction: `${result.responseUrl}#${slack.users.sam.id}`,
    address: { chat: slack.general },
  });
  expect(first?.message.command).toBeUndefined();
  if (!first || !channel.openThread) throw new Error('nothing came');
  const opened = await channel.openThread(first.message, { key: 'k1', title: 'Trip to <Oslo>' });
  expect(await channel.openThread(first.message, { key: 'k1', title: 'Trip to <Oslo>' })).toEqual(opened);
  const root = await slack.wait({ channel: slack.general, from: 'bot', text: 'Trip to <Oslo>' });
  expect(opened).toEqual({ ...first.message.address, thread: root.ts });
  expect(root.shown).toContain('find a train to Oslo');
  const [post] = await slack.responses(result.id, 1);
  expect(String(post?.body.text)).toContain(`/archives/${slack.general}/p${root.ts.replace('.', '')}`);
  expect(slack.counters().methods['chat.postMessage']).toBe(1);
});

test('a thread that an earlier process may have opened is looked for before another is', async () => {
  const { slack, channel, got, connect } = await startBench();
  await connect();
  await slack.slash({ text: 'write a poem' });
  const message = got[0]?.message;
  if (!message || !channel.openThread) throw new Error('nothing came');
  slack.fault({ method: 'chat.postMessage', kind: 'lostAnswer' });
  const thread = { key: 'k2', title: 'A poem' };
  await expect(channel.openThread(message, thread)).rejects.toMatchObject({ ambiguous: true, retryAfterMs: 1000 });
  const opened = await channel.openThread(message, thread);
  const posted = slack.channel(slack.general).messages.filter(({ from }) => from === 'bot');
  expect(posted.filter(({ ephemeralFor }) => ephemeralFor === undefined).map(({ ts }) => ts)).toEqual([opened.thread]);
  const next = await benchOn(slack);
  await next.connect();
  expect(await next.channel.openThread?.(message, thread)).toEqual(opened);
});

test('commands by name are acknowledged without words; in direct messages a goal is a new task', async () => {
  const { slack, got, connect } = await startBench();
  await connect();
  const status = await slack.slash({ text: 'Status' });
  expect(status.ack).toMatchObject({ ok: true });
  expect(status.ack.body).toEqual({});
  await slack.slash({ text: '' });
  await slack.slash({ text: 'buy milk', channel: slack.dmChannel('U0ALEX000') });
  expect(got.map(({ message }) => [message.command, message.opensThread, message.isDirect])).toEqual([
    [{ name: 'status', args: '' }, true, false],
    [{ name: 'help', args: '' }, true, false],
    [{ name: 'new', args: 'buy milk' }, undefined, true],
  ]);
});

test('what is asked in a direct message of two others belongs to the person’s own chat, and is answered where they asked', async () => {
  const { slack, channel, got, connect } = await startBench();
  await connect();
  const { alex, sam } = slack.users;
  const others = slack.addForeignDm([alex.id, sam.id]);
  const asked = await slack.slash({ text: 'status', channel: others });
  await slack.slash({ text: 'plan', channel: others });
  const own = slack.dmChannel(alex.id);
  expect(got.map(({ message }) => [message.address.chat, message.isDirect])).toEqual(Array(2).fill([own, true]));
  expect(slack.counters().methods['conversations.open']).toBe(1);
  const interaction = got[0]?.message.interaction ?? '';
  const buttons = [[{ id: 'b1', label: 'Stop' }]];
  await channel.send(answer(channel, { chat: own, text: 'At work', buttons, interaction }), createLedger());
  expect(await slack.responses(asked.id, 1)).toMatchObject([{ result: 'ok', body: { response_type: 'ephemeral' } }]);
  expect(slack.channel(own).messages).toEqual([]);
  await slack.press({ channel: others, label: 'Stop' });
  expect(got.at(-1)?.message).toMatchObject({ kind: 'button', button: { id: 'b1' }, address: { chat: own } });
  // A command takes five answers; what comes later goes to their own chat.
  for (const text of ['2', '3', '4', '5', 'late'])
    await channel.send(answer(channel, { chat: own, text, interaction }), createLedger(text));
  expect(slack.channel(own).messages.map(({ shown }) => shown)).toEqual(['late']);
});

test('whose chat a command comes from is asked of nobody who has written in private, and holds no acknowledgement up', async () => {
  const { slack, got, connect } = await startBench({ timing: { ownChatMs: 100 } });
  await connect();
  const { alex, sam } = slack.users;
  slack.dm(alex.id, 'hello');
  await slack.settled();
  await slack.slash({ text: 'status', channel: slack.dmChannel(alex.id) });
  expect(slack.counters().methods['conversations.open']).toBeUndefined();
  slack.fault({ method: 'conversations.open', kind: 'delay', delayMs: 1000 });
  const others = slack.addForeignDm([alex.id, sam.id]);
  const late = await slack.slash({ text: 'status', user: sam.id, channel: others });
  expect(late.ack.ok).toBe(true);
  expect(got.at(-1)?.message).toMatchObject({ address: { chat: others } });
  await quiet();
  await slack.slash({ text: 'status', user: sam.id, channel: others });
  expect(got.at(-1)?.message).toMatchObject({ address: { chat: slack.dmChannel(sam.id) } });
});

test('without the scope to open chats a command is taken as before', async () => {
  const { slack, got, connect } = await startBench();
  await connect();
  slack.setScopes(['chat:write', 'commands', 'im:history']);
  const others = slack.addForeignDm([slack.users.alex.id, slack.users.sam.id]);
  await slack.slash({ text: 'status', channel: others });
  expect(got.at(-1)?.message).toMatchObject({ address: { chat: others }, isDirect: true });
});

test('who is refused is told so, and nobody else sees it', async () => {
  const { slack, channel, storing, connect } = await startBench();
  await connect();
  storing(async () => 'refused');
  const result = await slack.slash({ text: 'status' });
  expect(result.ack.body).toMatchObject({
    response_type: 'ephemeral',
    text: expect.stringContaining("can't ask me to do that"),
  });
  const buttons = [[{ id: 'b1', label: 'Stop' }]];
  await channel.send(answer(channel, { chat: slack.general, text: 'Choose', buttons }), createLedger());
  const press = await slack.press({ channel: slack.general, label: 'Stop', user: 'U0SAM0000' });
  expect(press.failed).toBe(false);
  expect(await slack.responses(press.id, 1)).toMatchObject([{ body: { response_type: 'ephemeral' }, result: 'ok' }]);
});

test('a press names its button, its thread and its message', async () => {
  const { slack, channel, got, connect } = await startBench();
  await connect();
  const root = slack.say(slack.general, 'go', { mention: true });
  const labels = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven'];
  const buttons = [labels.map((label, index) => ({ id: `id${index}`, label }))];
  await channel.send(
    answer(channel, { chat: slack.general, thread: root.ts, text: 'Which?', buttons }),
    createLedger(),
  );
  const shown = await slack.wait({ channel: slack.general, from: 'bot' });
  expect(shown.buttons.map(({ label }) => label)).toEqual(labels);
  expect(shown.blocks.map(({ type }) => type)).toEqual(['markdown', 'actions', 'actions']);
  const press = await slack.press({ channel: slack.general, label: 'Six', user: 'U0SAM0000' });
  expect(press.ack).toMatchObject({ ok: true });
  expect(press.ack.body).toEqual({});
  const message = got.at(-1)?.message;
  expect(message).toMatchObject({
    id: `i:${press.triggerId}`,
    kind: 'button',
    button: { id: 'id5' },
    messageId: shown.ts,
    address: { chat: slack.general, thread: root.ts },
    sender: { user: 'U0SAM0000' },
  });
  expect(message?.interaction).toBeUndefined();
});

test('people are named once they were let in, and Slack is asked about nobody else', async () => {
  const kept = new Map<string, string>();
  const cache = {
    get: async (key: string) => kept.get(key),
    set: async (key: string, value: string) => void kept.set(key, value),
  };
  const { slack, got, storing, connect } = await startBench({ cache, timing: { saveMs: 10 } });
  await connect();
  storing(async ({ sender }) => (sender.user === 'U0SAM0000' ? 'refused' : 'accepted'));
  slack.dm('U0SAM0000', 'let me in');
  slack.dm('U0ALEX000', 'one');
  await slack.settled();
  await eventually(() => (slack.counters().methods['users.info'] ?? 0) > 0);
  await eventually(() => kept.size === 1);
  slack.dm('U0ALEX000', 'two <@U0SAM0000> <@U0ALEX000>');
  await slack.settled();
  expect(slack.counters().methods['users.info']).toBe(1);
  expect(got.at(-1)?.message).toMatchObject({ sender: { name: 'alex' }, text: 'two @U0SAM0000 @alex' });
});
