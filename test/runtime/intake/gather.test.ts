/** Which facts of an event are looked up, and in which order: none that does not count any more. */
import { expect, test } from 'vitest';
import type { Role } from '../../../src/access/principal.ts';
import type { InboundMessage } from '../../../src/channels/channel.ts';
import { createArrivals } from '../../../src/runtime/conversations/arrivals.ts';
import { decide } from '../../../src/runtime/intake/decide.ts';
import { gather } from '../../../src/runtime/intake/gather.ts';
import { COMMANDS } from '../../helpers/commands.ts';
import { partsOf } from '../../helpers/gateway.ts';

const WORDS: InboundMessage = {
  ...{ id: '7', kind: 'message', address: { channel: 'telegram', account: 'bot', chat: '1001' }, text: 'milk' },
  sender: { user: '1001', name: 'Alex', isBot: false },
  ...{ files: [], facts: [], quotes: [], messageId: '70', isDirect: true, isMention: false, sentAt: Date.now() },
};

interface World {
  role?: Role;
  isKnown?: boolean;
  isSeen?: boolean;
  perMinute?: number;
  isOffered?: boolean;
}

/** A gateway that notes what is asked of it. */
function world({ role = 'owner', isKnown = true, isSeen = false, perMinute = 9, isOffered = true }: World) {
  const asked: string[] = [];
  const ask = <T>(what: string, answer: T): T => {
    asked.push(what);
    return answer;
  };
  const arrivals = createArrivals(perMinute, undefined);
  const { take } = arrivals.limiter;
  const gw = partsOf({
    home: { root: '/nowhere' },
    people: {
      resolve: (who) => ({ principal: { ...who, role }, isKnown }),
      rulesOf: () => ({ dm: 'pairing', groups: 'off', allow: [], chats: [] }),
      languages: { of: () => 'en', prefixAt: () => '/' },
    },
    engine: {
      queue: {
        seen: async () => ask('queue', isSeen),
        find: async () => ask('words', undefined),
        look: async () => ask('lane', { busy: true, depth: 0, oldest: undefined }),
      },
    },
    consent: {
      buttons: { press: async () => ask('button', isOffered ? { label: 'Yes', say: 'yes' } : undefined) },
    },
    tasks: {
      arrivals: { ...arrivals, limiter: { take: (...given) => ask('limit', take(...given)) } },
      conversations: { get: () => ask('binding', undefined) },
      digests: { of: () => ask('digest', undefined) },
      expected: { get: () => ask('question', undefined) },
    },
    features: { commands: COMMANDS },
    places: {
      vibers: { has: () => true, configured: () => 'default' },
      settings: { get: () => ask('mode', {}) },
    },
  } as Parameters<typeof partsOf>[0]);
  const look = async (message: Partial<InboundMessage>) => {
    const facts = await gather({ message: { ...WORDS, ...message }, raw: undefined, visit: {} }, gw);
    return { kind: decide(facts, COMMANDS).kind, asked: [...new Set(asked)] };
  };
  return { look };
}

const CONVERSATION = ['binding', 'mode', 'digest'];
const press = { button: { id: 'b' } };

test.each<[event: string, World, Partial<InboundMessage>, kind: string, asked: string[]]>([
  ['of a stranger', { role: 'guest', isKnown: false }, {}, 'pair', []],
  ['of a stranger who presses', { role: 'guest', isKnown: false }, press, 'pair', []],
  ['that only tells of a membership', {}, { kind: 'membership' }, 'ignore', []],
  ['of an owner', {}, {}, 'bind', ['question', ...CONVERSATION]],
  ['of a member', { role: 'member' }, {}, 'bind', ['queue', 'limit', 'question', ...CONVERSATION]],
  ['of a member that comes again', { role: 'member', isSeen: true }, {}, 'duplicate', ['queue']],
  ['of a member who writes too fast', { role: 'member', perMinute: 0 }, {}, 'limit', ['queue', 'limit']],
  ['of a member who presses too fast', { role: 'member', perMinute: 0 }, press, 'limit', ['queue', 'limit']],
  ['of a press', {}, press, 'bind', ['queue', 'button', ...CONVERSATION]],
  ['of a press on a button that is gone', { isOffered: false }, press, 'notice', ['queue', 'button']],
  ['of a command', {}, { kind: 'command', command: { name: 'plan', args: '' } }, 'store', ['queue', 'binding', 'mode']],
  ['of an edit', {}, { kind: 'edit', editOf: '6' }, 'bind', ['words', ...CONVERSATION]],
])('the facts %s', async (_event, given, message, kind, asked) => {
  expect(await world(given).look(message)).toEqual({ kind, asked });
});
