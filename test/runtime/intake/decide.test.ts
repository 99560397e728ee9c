/** What becomes of an event: one row for each kind of event and each decision. */
import { describe, expect, test } from 'vitest';
import type { Principal } from '../../../src/access/principal.ts';
import type { Address, InboundMessage } from '../../../src/channels/channel.ts';
import { say, words } from '../../../src/messages/messages.ts';
import { type BoundTask, type Decision, decide, type Facts } from '../../../src/runtime/intake/decide.ts';
import { COMMANDS } from '../../helpers/commands.ts';

const DM: Address = { channel: 'telegram', account: 'bot', chat: '1001' };
const GROUP: Address = { channel: 'telegram', account: 'bot', chat: '-100' };
const OWNER: Principal = {
  ...{ channel: 'telegram', account: 'bot', user: '1001', name: 'Alex', via: 'message', role: 'owner' },
};
const MEMBER: Principal = { ...OWNER, user: '1002', name: 'Sam', role: 'member' };
const WORDS: InboundMessage = {
  ...{ id: '7', kind: 'message', address: DM, sender: { user: '1001', name: 'Alex', isBot: false }, text: 'milk' },
  ...{ files: [], facts: [], quotes: [], messageId: '70', isDirect: true, isMention: false, sentAt: 0 },
};
const TASK: BoundTask = { id: 'old-1', address: DM, mayJoin: true, isBusy: false, isLeft: false };
// biome-ignore format: a row is a line
const KNOWN: Facts = {
  ...{ message: WORDS, principal: OWNER, viber: 'default', isViberGone: false, newTaskId: 'new-2', entry: { allow: true } },
  ...{ isSeen: false, isUnchanged: false, isFull: false, rate: undefined, pressed: undefined, answer: undefined, key: 'here' },
  ...{ task: TASK, digest: undefined, mode: 'followup' },
};

type Changed = Partial<Omit<Facts, 'message'>> & { message?: Partial<InboundMessage> };
const factsOf = ({ message, ...changed }: Changed): Facts => ({
  ...{ ...KNOWN, ...changed },
  message: { ...WORDS, ...message },
});

const refused = (reason: 'stranger' | 'not-addressed' | 'bot', pair = false) => ({
  entry: { allow: false, reason, pair } as const,
  principal: { ...OWNER, role: 'guest' } as const,
});
const command = (name: string, args = '') => ({ kind: 'command', command: { name, args } }) as const;
const inGroup = { address: GROUP, isDirect: false };
const opensThread = { opensThread: true };
const isMember = { principal: MEMBER, rate: { ok: true } } as const;

/** The decision, of its entry only what matters. */
type Expected = { kind: Decision['kind'] } & Record<string, unknown>;

// biome-ignore format: a row is a line
const ROWS: { [event: string]: [decision: string, facts: Changed, expected: Expected][] } = {
  'of somebody who is not let in': [
    ['is refused', refused('not-addressed'), { kind: 'refuse', reason: 'not-addressed' }],
    ['gives a stranger a code', refused('stranger', true), { kind: 'pair', reason: 'stranger' }],
    ['gives none for an edit', { ...refused('stranger', true), message: { kind: 'edit' } }, { kind: 'refuse' }],
    ['gives none for a membership', { ...refused('stranger', true), message: { kind: 'membership' } }, { kind: 'refuse' }],
    ['takes the code of another account', { ...refused('stranger', true), message: command('link', 'ABCD-EFGH') }, { kind: 'redeem', code: 'ABCD-EFGH', pairs: true }],
    ['takes it also where strangers get no code', { ...refused('stranger'), message: command('link', 'ABCD-EFGH') }, { kind: 'redeem', pairs: false }],
    ['takes none of a bot', { ...refused('bot'), message: command('link', 'ABCD-EFGH') }, { kind: 'refuse' }],
    ['is refused before anything is looked up', { ...refused('bot'), isSeen: true }, { kind: 'refuse' }],
  ],
  'that needs no work': [
    ['tells of a membership', { message: { kind: 'membership' } }, { kind: 'ignore', outcome: 'accepted' }],
    ['is an edit of nothing', { message: { kind: 'edit' }, isUnchanged: true }, { kind: 'ignore', outcome: 'duplicate' }],
    ['tells that a group has moved', { message: { kind: 'migration' } }, { kind: 'moved' }],
    ['is a command of another bot', { message: { ...inGroup, ...command('weather') } }, { kind: 'ignore', outcome: 'refused' }],
  ],
  'that comes again': [
    ['is left to the queue if it is plain', { isSeen: true }, { kind: 'store' }],
    ['has no effect as a command', { isSeen: true, message: command('new') }, { kind: 'duplicate' }],
    ['has no effect as a button', { isSeen: true, message: { kind: 'button', button: { id: 'b' } } }, { kind: 'duplicate' }],
    ['begins no second thread', { isSeen: true, message: opensThread }, { kind: 'duplicate' }],
    ['is not counted', { isSeen: true, principal: MEMBER }, { kind: 'duplicate' }],
  ],
  'that counts': [
    ['is taken within the limit', isMember, { kind: 'store' }],
    ['has no room for more words', { ...isMember, isFull: true }, { kind: 'notice', said: say('failures.noRoomForWords') }],
    ['is told once above it', { ...isMember, rate: { ok: false, first: true } }, { kind: 'limit', tell: 'notice' }],
    ['is left in silence then', { ...isMember, rate: { ok: false, first: false } }, { kind: 'limit', tell: 'nothing' }],
    [
      'is answered each time where the platform shows an answer',
      { ...isMember, rate: { ok: false, first: false }, message: { interaction: 'i' } },
      { kind: 'limit', tell: 'once' },
    ],
  ],
  'of a button': [
    ['is told when it is gone', { message: { button: { id: 'b' } }, pressed: 'gone' }, { kind: 'notice' }],
    [
      'is a command',
      { message: { button: { id: 'b' } }, pressed: { label: words('Stop'), command: 'stop', args: '' } },
      { kind: 'store', entry: { command: { name: 'stop', args: '' }, taskId: 'old-1' } },
    ],
    [
      'is words',
      { message: { button: { id: 'b' } }, pressed: { label: words('Yes'), say: 'go on' }, mode: 'steer' },
      { kind: 'store', entry: { message: { text: 'go on' }, mode: 'steer' } },
    ],
  ],
  'that answers a question': [
    [
      'is the command that it stands for',
      { answer: { command: 'approve', args: 'r-1 yes' }, message: { text: 'yes' } },
      { kind: 'store', entry: { command: { name: 'approve', args: 'r-1 yes' } } },
    ],
    ['is asked which of several it means', { answer: 'several' }, { kind: 'notice' }],
  ],
  'of a conversation': [
    ['begins a task', { task: undefined }, { kind: 'bind', begins: true, entry: { taskId: 'new-2' } }],
    ['goes on with its task', {}, { kind: 'store', rebind: false, entry: { taskId: 'old-1' } }],
    ['notes where the person is now', { task: { ...TASK, address: GROUP } }, { kind: 'store', rebind: true }],
    ['begins nothing by a command', { task: undefined, message: command('plan') }, { kind: 'store' }],
    ['is bound later where its thread is to come', { message: opensThread }, { kind: 'store', entry: { taskId: 'new-2' } }],
    ['begins a task in a thread that is there', { message: { ...opensThread, address: { ...DM, thread: 't' } } }, { kind: 'bind', begins: true }],
    ['looks by a command at what is here', { message: { ...opensThread, ...command('plan') } }, { kind: 'store', entry: { taskId: 'old-1' } }],
    ['plays in a thread of its own', { message: { ...opensThread, ...command('play', 'x') } }, { kind: 'store', entry: { taskId: 'new-2' } }],
  ],
  'that finds its task at work': [
    ['steers it', { mode: 'steer' }, { kind: 'store', entry: { mode: 'steer' } }],
    ['is collected', { mode: 'collect' }, { kind: 'store', entry: { mode: 'collect' } }],
    ['has a turn of its own', {}, { kind: 'store', entry: { mode: undefined } }],
    ['says so itself', { message: command('steer', 'left') }, { kind: 'store', entry: { mode: 'steer', message: { text: 'left' }, command: undefined } }],
    ['says itself that it waits', { mode: 'steer', message: command('followup', 'then') }, { kind: 'store', entry: { mode: undefined } }],
    ['does not steer that of others', { mode: 'steer', task: { ...TASK, mayJoin: false } }, { kind: 'store', entry: { mode: undefined } }],
    [
      'does not steer in a group what others have just begun',
      { mode: 'steer', task: { ...TASK, mayJoin: undefined }, message: inGroup },
      { kind: 'store', entry: { mode: undefined } },
    ],
    ['stops it by a word', { message: { text: 'stop!' }, task: { ...TASK, isBusy: true } }, { kind: 'store', entry: { command: { name: 'stop', args: '' } } }],
    ['stops nothing that rests', { message: { text: 'stop!' } }, { kind: 'store', entry: { command: undefined } }],
    ['stops nothing of others', { message: { text: 'stop!' }, task: { ...TASK, isBusy: true, mayJoin: false } }, { kind: 'store', entry: { command: undefined } }],
  ],
  'that leads the conversation elsewhere': [
    ['by /new', { message: command('new') }, { kind: 'bind', begins: false, entry: { taskId: 'new-2', moves: true, command: { name: 'new', args: '' } } }],
    [
      'by /new with a goal',
      { message: command('new', ' buy milk ') },
      { kind: 'bind', entry: { taskId: 'new-2', moves: true, command: undefined, message: { text: 'buy milk' } } },
    ],
    ['by /new in a room of threads', { message: { ...opensThread, ...command('new', 'x') } }, { kind: 'store', entry: { taskId: 'new-2', moves: true } }],
    ['by no /new without a goal there', { message: { ...opensThread, ...command('new') } }, { kind: 'store', entry: { taskId: 'old-1', moves: undefined } }],
    ['by /open', { message: command('open', ' old-3 ') }, { kind: 'open', id: 'old-3', entry: { taskId: 'old-1' } }],
    ['not out of a thread of others', { task: { ...TASK, mayJoin: false }, message: { ...inGroup, isThread: true, ...command('new') } }, { kind: 'notice' }],
  ],
};

describe.each(Object.entries(ROWS))('an event %s', (_event, rows) => {
  test.each(rows)('%s', (_decision, facts, expected) => {
    const decision = decide(factsOf(facts), COMMANDS);
    const entry = 'entry' in decision && {
      ...{ command: undefined, mode: undefined, moves: undefined },
      ...decision.entry,
    };
    expect(entry ? { ...decision, entry } : decision).toMatchObject(expected);
  });
});
