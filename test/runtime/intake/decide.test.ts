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
const inThread = { ...inGroup, isThread: true };
const AT_WORK: BoundTask = { ...TASK, isBusy: true };
const OF_OTHERS: BoundTask = { ...TASK, mayJoin: false };
const FILE = { id: 'f', name: 'stop.txt', mimeType: 'text/plain', kind: 'document' } as const;
const JOB = { taskId: 'job-3', viber: 'news' };
const answers = (taskId: string, message: Partial<InboundMessage> = {}): Changed => ({
  ...{ message, viber: 'news', digest: { taskId, viber: 'news' } },
});

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
    ['gives a code where the command to link names none', { ...refused('stranger', true), message: command('link') }, { kind: 'pair' }],
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
    ['is told when it is gone', { message: { button: { id: 'b' } }, pressed: 'gone' }, { kind: 'notice', said: say('failures.buttonGone', { hint: say('commands.hint') }) }],
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
    ['is asked which of several it means', { answer: 'several' }, { kind: 'notice', said: say('questions.which') }],
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
    ['asks by an unknown command about what is here', { message: { ...opensThread, ...command('weather') } }, { kind: 'store', entry: { taskId: 'old-1', command: { name: 'weather', args: '' } } }],
    ['keeps the viber that it names', { message: { viber: 'news' } }, { kind: 'store', rebind: true, entry: { taskId: 'old-1' } }],
    ['comes back to the viber that it had left', { task: { ...TASK, isLeft: true } }, { kind: 'store', rebind: true, entry: { taskId: 'old-1' } }],
    ['leaves its viber where it is by a command', { task: { ...TASK, isLeft: true }, message: command('plan') }, { kind: 'store', rebind: false }],
    ['goes to no other viber when its own is gone', { viber: 'news', isViberGone: true }, { kind: 'notice', said: say('vibers.gone', { name: 'news' }) }],
    ['may still give a command then', { isViberGone: true, message: command('use', 'default') }, { kind: 'use', name: 'default' }],
  ],
  'that answers what a job has sent': [
    ['goes on with the job and its viber', answers('job-3'), { kind: 'bind', begins: false, chooses: false, entry: { ...JOB, message: WORDS, principal: OWNER } }],
    ['takes the viber of the job along', { ...answers('job-3'), viber: 'home' }, { kind: 'bind', chooses: true, entry: JOB }],
    ['moves a conversation that had no task', { ...answers('job-3'), task: undefined }, { kind: 'bind', begins: false, entry: JOB }],
    ['has nowhere to move where the job is here', answers('old-1'), { kind: 'store', rebind: false, entry: { taskId: 'old-1', viber: 'news' } }],
    ['is answered in a thread of its own', { ...answers('job-3'), message: opensThread }, { kind: 'store', rebind: false, entry: JOB }],
    ['leaves the task of a thread beside a direct chat', answers('job-3', { isThread: true, address: { ...DM, thread: 't' } }), { kind: 'store', rebind: false, entry: JOB }],
    ['moves a direct chat that shows threads', answers('job-3', { isThread: true }), { kind: 'bind', entry: JOB }],
    ['moves a topic that is a chat of its own', answers('job-3', { address: { ...DM, thread: 't' } }), { kind: 'bind', entry: JOB }],
    ['leaves a thread of others to them', { ...answers('job-3', { ...inGroup, isThread: true }), task: { ...TASK, mayJoin: false } }, { kind: 'store', rebind: false, entry: JOB }],
    ['moves a thread of theirs', answers('job-3', { ...inGroup, isThread: true }), { kind: 'bind', entry: JOB }],
    ['moves a thread without a task', { ...answers('job-3', { ...inGroup, isThread: true }), task: undefined }, { kind: 'bind', entry: JOB }],
    ['moves a group, whoever wrote there last', { ...answers('job-3', inGroup), task: { ...TASK, mayJoin: false } }, { kind: 'bind', entry: JOB }],
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
    ['stops it by a word with spaces around it', { message: { text: ' Halt \n' }, task: AT_WORK }, { kind: 'store', entry: { command: { name: 'stop' } } }],
    ['does not stop it by a file that is called so', { message: { text: 'stop', files: [FILE] }, task: AT_WORK }, { kind: 'store', entry: { command: undefined } }],
    ['does not stop it by correcting an old message', { message: { kind: 'edit', text: 'stop' }, task: AT_WORK }, { kind: 'store', entry: { command: undefined } }],
    ['does not stop it by a sentence about stopping', { message: { text: 'stop smoking, how?' }, task: AT_WORK }, { kind: 'store', entry: { command: undefined } }],
    ['is asked what to say by a bare /steer', { mode: 'collect', message: command('steer', ' ') }, { kind: 'store', entry: { command: { name: 'steer' }, mode: undefined } }],
    ['steers in a direct chat what it has just begun', { mode: 'steer', task: { ...TASK, mayJoin: undefined } }, { kind: 'store', entry: { mode: 'steer' } }],
  ],
  'that leads the conversation elsewhere': [
    ['by /new', { message: command('new') }, { kind: 'bind', begins: false, entry: { taskId: 'new-2', moves: true, command: { name: 'new', args: '' } } }],
    [
      'by /new with a goal',
      { message: command('new', ' buy milk ') },
      { kind: 'bind', entry: { taskId: 'new-2', moves: true, command: undefined, message: { text: 'buy milk' } } },
    ],
    ['by /new in a room of threads', { message: { ...opensThread, ...command('new', 'x') } }, { kind: 'store', entry: { taskId: 'new-2', moves: true } }],
    ['by no /new without a goal there', { message: { ...opensThread, ...command('new') } }, { kind: 'store', rebind: false, entry: { taskId: 'old-1', moves: undefined } }],
    ['by /open', { message: command('open', ' old-3 ') }, { kind: 'open', id: 'old-3', entry: { taskId: 'old-1' } }],
    ['by /use', { message: command('use', ' news ') }, { kind: 'use', name: 'news', entry: { taskId: 'old-1', command: { name: 'use' } } }],
    ['by no /use that names nobody', { message: command('use', ' ') }, { kind: 'store', rebind: false, entry: { command: { name: 'use' } } }],
    ['not out of a thread of others', { task: OF_OTHERS, message: { ...inThread, ...command('new') } }, { kind: 'notice', said: say('failures.othersThread') }],
    ['to where the thread of others is already', { task: OF_OTHERS, message: { ...inThread, ...command('open', ' old-1 ') } }, { kind: 'open', id: 'old-1' }],
    ['out of a thread of theirs', { message: { ...inThread, ...command('open', 'old-3') } }, { kind: 'open', id: 'old-3' }],
    ['out of a thread without a task', { task: undefined, message: { ...inThread, ...command('open', 'old-3') } }, { kind: 'open', id: 'old-3' }],
    ['out of a group, whoever wrote there last', { task: OF_OTHERS, message: { ...inGroup, ...command('open', 'old-3') } }, { kind: 'open', id: 'old-3' }],
    ['out of a thread in a direct chat', { task: OF_OTHERS, message: { isThread: true, ...command('open', 'old-3') } }, { kind: 'open', id: 'old-3' }],
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
