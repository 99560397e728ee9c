/** What is known of an event once its facts are gathered, on a gateway with people, tasks and conversations. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AccessRules } from '../../../src/access/authorise.ts';
import type { Address, InboundMessage } from '../../../src/channels/channel.ts';
import { spoolKey } from '../../../src/engine/engine.ts';
import { hashText } from '../../../src/lib/files.ts';
import { words } from '../../../src/messages/messages.ts';
import { dedupeId, taskLane, type Visit } from '../../../src/runtime/contract/entry.ts';
import { bindingAt } from '../../../src/runtime/conversations/conversations.ts';
import type { Facts } from '../../../src/runtime/intake/decide.ts';
import { gather } from '../../../src/runtime/intake/gather.ts';
import type { Gateway } from '../../../src/runtime/run/gateway.ts';
import { openTask, saveTask } from '../../../src/workspace/tasks/index.ts';
import type { TaskRecord } from '../../../src/workspace/types.ts';
import { openTestGateway } from '../../helpers/gateway.ts';
import { tempFolder } from '../../helpers/temp.ts';

const DM: Address = { channel: 'telegram', account: 'bot', chat: '1001' };
const KIMS: Address = { ...DM, chat: '1002' };
const GROUP: Address = { ...DM, chat: '-100' };
const THREAD: Address = { ...GROUP, thread: '7' };
const RULES: AccessRules = { dm: 'allowlist', groups: 'mention', allow: [], chats: ['-100'] };
const alex = { user: '1001', name: 'xX_Lex_Xx', isBot: false };
const kim = { user: '1002', name: 'Kimmy', isBot: false };
const WORDS: InboundMessage = {
  ...{ id: '7', kind: 'message', address: DM, sender: alex, text: 'milk', files: [], facts: [], quotes: [] },
  ...{ messageId: '70', isDirect: true, isMention: false, sentAt: Date.now() },
};
const inGroup = { address: GROUP, isDirect: false };
const inThread = { address: THREAD, isDirect: false, isThread: true };
const ofKim = { sender: kim, address: KIMS };

const TASK: Omit<TaskRecord, 'id' | 'viber' | 'people'> = {
  ...{ goal: 'milk', title: 'Milk', state: 'completed', conversations: [], runs: 0 },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
};

let opened: Awaited<ReturnType<typeof openTestGateway>>;
let gw: Gateway;
const ends: (() => void)[] = [];
beforeAll(async () => {
  const people = [
    { name: 'alex', role: 'owner' as const, ids: ['telegram:1001'] },
    { name: 'kim', role: 'member' as const, ids: ['telegram:1002'] },
  ];
  opened = await openTestGateway({ homeRoot: tempFolder((end) => ends.push(end)), config: { people } }, true);
  gw = { ...opened.gw, people: { ...opened.gw.people, rulesOf: () => RULES } };
});
afterAll(async () => {
  await opened.stop(0);
  await opened.close();
  for (const end of ends) end();
});

const gathered = (message: Partial<InboundMessage>, visit: Visit = {}, on = gw): Promise<Facts> =>
  gather({ message: { ...WORDS, ...message }, raw: undefined, visit }, on);

const ALLOWED = { entry: { allow: true } };
const refused = (reason: string) => ({ entry: { allow: false, reason } });
// biome-ignore format: a row is a line
test.each<[event: string, message: Partial<InboundMessage>, expected: object]>([
  ['the name that the configuration gives them', {}, { principal: { role: 'owner', person: 'alex', name: 'alex' }, message: { sender: { user: '1001', name: 'alex' }, prefix: '/' } }],
  ['the language of their platform', { sender: { ...alex, language: 'de' } }, { message: { language: 'de' } }],
  ['access to a listed group by mentioning us', { ...inGroup, isMention: true }, ALLOWED],
  ['no answer there to what was said to others', inGroup, refused('not-addressed')],
  ['no answer in a thread of others', inThread, refused('not-addressed')],
  ['an answer to a command there', { ...inGroup, kind: 'command', command: { name: 'plan', args: '' } }, ALLOWED],
  ['an answer to a press there', { ...inGroup, kind: 'button', button: { id: 'b' } }, { ...ALLOWED, pressed: 'gone' }],
  ['an answer to a command that they correct', { ...inGroup, kind: 'edit', editOf: '6', text: '/plan now' }, ALLOWED],
  ['no answer to a corrected path', { ...inGroup, kind: 'edit', editOf: '6', text: '/usr' }, refused('not-addressed')],
  ['no answer to a corrected sentence about a command', { ...inGroup, kind: 'edit', editOf: '6', text: 'use /plan' }, refused('not-addressed')],
  ['no answer to a corrected name that begins like a command', { ...inGroup, kind: 'edit', editOf: '6', text: '/plan/a' }, refused('not-addressed')],
  ['no answer to the words of a command in a message', { ...inGroup, text: '/plan' }, refused('not-addressed')],
  ['nothing if they are a bot', { sender: { ...alex, isBot: true } }, refused('bot')],
  ['the news that a group has moved, whoever reports it', { ...inGroup, kind: 'migration', sender: { ...alex, isBot: true } }, { ...ALLOWED, rate: undefined, viber: '' }],
])('somebody gets %s', async (_what, message, expected) => {
  expect(await gathered(message)).toMatchObject(expected);
});

test('an event that another part vouches for keeps its name and is let in everywhere', async () => {
  const as = { ...{ channel: 'api', account: 'x', user: 'ci', name: 'CI', via: '' }, role: 'member' } as const;
  const { principal, entry, message } = await gathered(inGroup, { as });
  expect({ principal, entry }).toEqual({ principal: { ...as, via: 'message' }, entry: { allow: true } });
  expect(message.sender).toEqual(alex);
});

test('nothing more is known of a stranger', async () => {
  const { newTaskId, ...facts } = await gathered({ sender: { ...alex, user: '9' } });
  expect(facts).toMatchObject({ isSeen: false, isUnchanged: false, isFull: false, key: '', viber: '', mode: 'steer' });
  expect([facts.isViberGone, facts.message.language, 'language' in facts.message]).toEqual([false, undefined, false]);
});

describe('an edit', () => {
  const edit = { kind: 'edit', editOf: '7', text: 'milk' } as const;
  const whichSaid = async (id: string, newest?: string, stored?: string) => {
    const of = { ...WORDS, id };
    const key = spoolKey(dedupeId(of));
    if (newest !== undefined) gw.tasks.arrivals.edits.set(key, hashText(newest));

    const queue = {
      ...gw.engine.queue,
      find: async () => (stored === undefined ? undefined : { message: { ...of, text: stored } }),
    };
    const on = { ...gw, engine: { ...gw.engine, queue } } as unknown as Gateway;
    return gathered({ ...edit, editOf: id }, {}, on);
  };
  test.each<[string, newest: string | undefined, stored: string | undefined, isUnchanged: boolean]>([
    ['of which only the preview is new changes nothing', undefined, 'milk', true],
    ['of other words counts', undefined, 'bread', false],
    ['that repeats the last edit changes nothing', 'milk', 'bread', true],
    ['that takes an edit back counts', 'bread', 'milk', false],
  ])('%s', async (name, newest, stored, isUnchanged) => {
    const facts = await whichSaid(name, newest, stored);
    expect([facts.isUnchanged, facts.viber]).toEqual([isUnchanged, isUnchanged ? '' : 'default']);
  });
});

describe('a task', () => {
  let made = 0;
  /** Begins one in a conversation. */
  async function begun(address: Address, people: string[] | undefined, viber = 'default'): Promise<string> {
    const id = `2026-01-01-task-${++made}`;
    if (people) await saveTask(gw.home, { ...TASK, id, viber, people });
    const { principal } = gw.people.resolve({ ...DM, user: '1001', name: '', via: 'message' });
    await gw.tasks.conversations.bind({ ...bindingAt(principal, address, address === DM), taskId: id, viber });
    return id;
  }

  test('is found with its place, whose it is, and at rest', async () => {
    const id = await begun(DM, ['person:alex']);
    expect(await gathered({})).toMatchObject({
      ...{ key: 'person:alex', viber: 'default', isViberGone: false, mode: 'steer', digest: undefined },
      task: { id, address: DM, isLeft: false, mayJoin: true, isBusy: false },
    });
  });

  test('of a thread needs no mention, and others may not join it', async () => {
    const id = await begun(THREAD, ['person:alex']);
    const facts = await gathered({ ...inThread, sender: kim });
    expect(facts).toMatchObject({ ...ALLOWED, task: { id, address: THREAD, mayJoin: false } });
    expect(await gathered({ ...inThread, isThread: false })).toMatchObject(refused('not-addressed'));
  });

  test('that has no record yet is nobody’s', async () => {
    const address = { ...GROUP, thread: '8' };
    await begun(address, undefined);
    expect((await gathered({ ...inThread, address })).task).toMatchObject({ mayJoin: undefined });
  });

  test('of another viber is left when the words name one', async () => {
    const id = await begun(DM, ['person:alex']);
    await begun(DM, ['person:alex'], 'news');
    expect((await gathered({ viber: 'default' })).task).toMatchObject({ id, isLeft: true });
    expect(await gathered({ viber: 'away' })).toMatchObject({ viber: 'away', isViberGone: true, task: undefined });
  });

  test.each<[string, look: { busy?: boolean; depth?: number; stopped?: number }, open: number, isBusy: boolean]>([
    ['runs', { busy: true }, 0, true],
    ['waits for a slot', { depth: 1 }, 0, true],
    ['is stopped and has more to do', { stopped: 1 }, 0, true],
    ['waits for a person', {}, 1, true],
    ['has nothing to do', {}, 0, false],
  ])('that %s is known to a word that may stop it', async (_what, look, open, isBusy) => {
    const id = await begun(DM, ['person:alex']);
    const at = async (lane: string) => (lane === taskLane(id) ? { busy: false, depth: 0, ...look } : undefined);
    const approvals = { open: (of: string) => (of === id ? Array(open) : []), refresh: async () => undefined };
    const engine = { ...gw.engine, queue: { ...gw.engine.queue, look: at } };
    const on = { ...gw, engine, consent: { ...gw.consent, approvals } } as unknown as Gateway;
    const { task } = await gathered({ text: 'halt' }, {}, on);
    expect(task).toEqual({ id, address: DM, isLeft: false, mayJoin: true, isBusy });
  });

  test('of a digest is found by a reply to it, until it is deleted', async () => {
    const id = await begun(GROUP, ['person:alex']);
    const digest = { taskId: id, viber: 'default', name: 'news', files: [] };
    await gw.tasks.digests.note({ id: 'd', address: GROUP, text: 'News', files: [], digest }, '500');
    const reply = { address: { ...GROUP, thread: '9' }, isDirect: false, isThread: true, repliesTo: '500' };
    expect(await gathered(reply)).toMatchObject({ ...ALLOWED, digest: { taskId: id, viber: 'default' } });
    expect(await gathered({ ...reply, repliesTo: '501' })).toMatchObject(refused('not-addressed'));
    const command = { name: 'plan', args: '' };
    expect((await gathered({ ...reply, kind: 'command', command })).digest).toBeUndefined();
    await openTask(gw.home, id).remove();
    expect((await gathered(reply)).digest).toBeUndefined();
  });
});

test('the mode that was chosen in a conversation counts there', async () => {
  await gw.places.settings.set(KIMS, { queue: 'collect' });
  expect([(await gathered(ofKim)).mode, (await gathered({})).mode]).toEqual(['collect', 'steer']);
});

describe('a press', () => {
  const below = (opens: boolean) => ({ address: { ...GROUP, thread: '5' }, opens });
  // biome-ignore format: a row is a line
  test.each<[string, action: object, opens: boolean, expected: object]>([
    ['under a digest continues in the thread below', { command: 'continue', args: 'x' }, false, { address: { thread: '5' }, isThread: true, opensThread: undefined }],
    ['opens that thread if it has to', { command: 'continue', args: 'x' }, true, { address: { thread: '5' }, isThread: true, opensThread: true }],
    ['of another command stays where it is', { command: 'stop', args: '' }, true, { address: GROUP, isThread: undefined, opensThread: undefined }],
    ['of a command that is gone stays as well', { command: 'no-more', args: '' }, true, { address: GROUP, isThread: undefined }],
    ['that says words stays as well', { say: 'continue' }, true, { address: GROUP, isThread: undefined }],
  ])('%s', async (_what, action, opens, expected) => {
    const [[button] = []] = await gw.consent.buttons.offer(GROUP, [[{ label: words('Go on'), ...action } as never]]);
    const press = { kind: 'button' as const, button: { id: button?.id ?? '' }, below: below(opens) };
    const { message, pressed } = await gathered({ ...inGroup, ...press });
    expect(pressed).toMatchObject(action);
    expect({ isThread: undefined, opensThread: undefined, ...message }).toMatchObject({ text: 'milk', ...expected });
  });
});

describe('an answer', () => {
  const asksMemory = {
    name: 'm',
    replied: async ({ text, repliesTo }: { text: string; repliesTo: string }) =>
      repliesTo === '300' ? { command: 'memory', args: `reword ${text}:` } : undefined,
  };
  const withQuestion = () =>
    ({
      ...gw,
      features: { ...gw.features, on: [{ name: 'x' }, { name: 'y', replied: async () => undefined }, asksMemory] },
    }) as unknown as Gateway;

  test('to a short question carries its words', async () => {
    gw.tasks.expected.set(KIMS, 'person:kim', { command: 'jobs', args: 'move j-1' });
    const answer = { command: 'jobs', args: 'move j-1 at nine' };
    expect((await gathered({ ...ofKim, text: ' at nine ' })).answer).toEqual(answer);
    expect((await gathered({ text: 'at nine' })).answer).toBeUndefined();
    gw.tasks.expected.clear(KIMS, 'person:kim');
  });

  test('of an owner to a suggestion rewords it, of a member it does not', async () => {
    const reply = { text: 'tea', repliesTo: '300' };
    const answer = { command: 'memory', args: 'reword tea: tea' };
    expect((await gathered(reply, {}, withQuestion())).answer).toEqual(answer);
    expect((await gathered({ ...reply, ...ofKim }, {}, withQuestion())).answer).toBeUndefined();
    expect((await gathered({ text: 'tea' }, {}, withQuestion())).answer).toBeUndefined();
    expect((await gathered({ ...reply, repliesTo: '301' }, {}, withQuestion())).answer).toBeUndefined();
  });

  test('of a bare yes presses the button of the one question', async () => {
    const action = { label: words('Yes'), decides: 'plan:p', means: 'yes', command: 'plan', args: 'yes p' } as const;
    const buttons = await gw.consent.buttons.offer(DM, [[action]]);
    const asking = { address: DM, messageId: '60', at: 0, buttons: [[{ ...buttons[0]?.[0], decides: 'plan:p' }]] };
    const questions = { isComing: () => false, here: async () => [{ ...asking, at: Date.now() - 1_000 }] };
    const on = {
      ...gw,
      consent: { ...gw.consent, questions: { ...gw.consent.questions, ...questions } },
    } as unknown as Gateway;
    const { answer } = await gathered({ text: 'yes', sentAt: Date.now() }, {}, on);
    expect(answer).toEqual({ command: 'plan', args: 'yes p' });
  });
});
