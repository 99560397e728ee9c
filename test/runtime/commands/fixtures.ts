/** People who give commands in places, before a real home: the door's part (who, which task) is done as the gateway does it. */

import path from 'node:path';
import { Links } from '../../../src/access/links.ts';
import { openPairing } from '../../../src/access/pairing.ts';
import { createPeople, type PersonConfig } from '../../../src/access/people.ts';
import { principalText } from '../../../src/access/principal.ts';
import { type Address, conversationKey, formatAddress } from '../../../src/channels/channel.ts';
import { answerCommand } from '../../../src/runtime/commands/answer.ts';
import type { CommandReply } from '../../../src/runtime/commands/command.ts';
import { suggest } from '../../../src/runtime/commands/suggest.ts';
import type { Entry } from '../../../src/runtime/contract/entry.ts';
import type { Binding } from '../../../src/runtime/conversations/conversations.ts';
import { openConversationSettings } from '../../../src/runtime/conversations/conversations.ts';
import { findTask, mayOpen } from '../../../src/runtime/conversations/visibility.ts';
import type { AttachMode } from '../../../src/runtime/reply/attachments.ts';
import type { Gateway } from '../../../src/runtime/run/gateway.ts';
import { openTask } from '../../../src/workspace/tasks/index.ts';
import { newTaskId, saveTask } from '../../../src/workspace/tasks/record.ts';
import type { TaskRecord } from '../../../src/workspace/types.ts';
import { COMMANDS } from '../../helpers/commands.ts';
import { openTestGateway } from '../../helpers/gateway.ts';
import { ONE_VIBER } from '../../helpers/vibers.ts';

export const PEOPLE: PersonConfig[] = [
  { name: 'alex', role: 'owner', ids: ['telegram:1001', 'slack:T1:U1'] },
  { name: 'kim', role: 'member', ids: ['telegram:1002', 'discord:2002'] },
];

/** Somebody somewhere. */
export interface Spot {
  identity: string;
  address: Address;
  isDirect: boolean;
  opensThread?: boolean;
}

/** A conversation that is bound to a task; with `person` the one that their direct messages share. */
interface BoundPlace {
  address: Address;
  isDirect: boolean;
  person?: string;
}

const taskOfLane = (lane: string): string => lane.slice('task:'.length);

/** A direct message to the bot. */
export function direct(identity: string): Spot {
  const [channel = '', ...rest] = identity.split(':');
  const [user = '', workspace] = rest.reverse();
  const chat = channel === 'slack' ? `D${user}` : user;
  return { identity, isDirect: true, address: { channel, account: 'bot', chat, ...(workspace ? { workspace } : {}) } };
}

/** A person in a group or channel, or in a thread of it. */
export function among(identity: string, chat: string, thread?: string): Spot {
  const { address } = direct(identity);
  return { identity, isDirect: false, address: { ...address, chat, ...(thread === undefined ? {} : { thread }) } };
}

export async function commandWorld(configured: readonly PersonConfig[] = PEOPLE) {
  const { gw: whole } = await openTestGateway({ config: { model: 'offline/demo' } });
  const { home } = whole;
  const clock = { now: Date.now() };
  const links = new Links(home.access, () => clock.now);
  const pairing = openPairing(home.access, true);
  const people = createPeople(configured, pairing, links);
  const running = new Set<string>();
  const bound = new Map<string, BoundPlace[]>();
  const attach = { mode: 'auto' as AttachMode, maxBytes: 1_000_000 };
  const { conversations } = whole.tasks;
  const bindingOf = ({ person, ...place }: BoundPlace, taskId: string): Binding => ({
    ...{ ...place, taskId, viber: 'default', boundAt: '' },
    key: person === undefined ? conversationKey(place.address) : `person:${person}`,
  });
  const gw = {
    ...whole,
    engine: {
      ...whole.engine,
      queue: {
        async look(lane: string) {
          const busy = running.has(taskOfLane(lane));
          return { depth: 0, busy, ...(busy ? { view: { runId: 'r', startedAt: Date.now() } } : {}) };
        },
      },
    },
    people: { ...whole.people, pairing, links },
    tasks: {
      ...whole.tasks,
      conversations: {
        get: (key: string) => conversations.get(key),
        bind: (binding: Parameters<typeof conversations.bind>[0]) => conversations.bind(binding),
        bound: (id: string) => (bound.get(id) ?? []).map((place) => bindingOf(place, id)),
      },
    },
    places: {
      ...whole.places,
      prefixes: { telegram: '/', discord: '/viber ', slack: '/viber ', local: '/', terminal: '/' } as Record<
        string,
        string
      >,
      attachRules: () => attach,
      settings: openConversationSettings(path.join(home.conversations, 'settings'), () => ({ live: 'status' })),
    },
  } as unknown as Gateway;
  const { queue } = whole.engine;
  const answering = { stop: async (id: string) => running.delete(id), add: queue.enqueue.bind(queue), maxRead: 5_000 };

  function resolve({ identity, address }: Spot) {
    const user = identity.split(':').at(-1) ?? '';
    const { channel, account, workspace } = address;
    const name = `Name of ${user}`;
    return people.resolve({ channel, account, user, name, via: 'command', ...(workspace ? { workspace } : {}) });
  }
  const view = (spot: Spot) => ({ ...spot, principal: resolve(spot).principal, viber: 'default' });

  return {
    ...{ home, gw, links, pairing, answering, running, bound, attach, clock, view },
    who: (spot: Spot) => resolve(spot).principal,
    isKnown: (spot: Spot) => resolve(spot).isKnown,
    /** A task begun at a spot, by default by whoever is there. */
    async begin(spot: Spot, title: string, more: Partial<TaskRecord> = {}): Promise<string> {
      const id = newTaskId(new Date());
      const at = new Date().toISOString();
      await saveTask(home, {
        ...{ id, viber: 'default', goal: title, title, state: 'completed', runs: 1, createdAt: at, updatedAt: at },
        people: [principalText(resolve(spot).principal)],
        conversations: [formatAddress(spot.address, { account: true })],
        ...more,
      });
      return id;
    },
    async answered(taskId: string, text: string): Promise<void> {
      const at = new Date().toISOString();
      await openTask(home, taskId, 'default').session.append([
        { type: 'result', run: 'r', at, state: 'completed', text, summary: text.slice(0, 50), artifactRefs: [] },
      ]);
    },
    async file(taskId: string, name: string, content = name): Promise<string> {
      const given = { title: name, name, type: 'text/plain', content: Buffer.from(content), origin: 'agent' as const };
      return (await openTask(home, taskId).artifacts.create(given)).id;
    },
    task: (id: string) => openTask(home, id).record(),
    /** `/name args` said at a spot whose conversation is about `here`; `/open` moves it as the door does. */
    async say(spot: Spot, words: string, here = newTaskId(new Date())): Promise<CommandReply> {
      const { principal } = resolve(spot);
      const [, name = '', args = ''] = /^\/(\S+)\s*([\s\S]*)$/.exec(words) ?? [];
      const opened = name === 'open' ? await findTask(home, args, (task) => mayOpen(view(spot), task)) : undefined;
      const { address, isDirect, opensThread = false } = spot;
      const sender = { user: principal.user, name: principal.name, isBot: false };
      // biome-ignore format: a row is a line
      const entry: Entry = {
        message: {
          ...{ id: 'i:1', kind: 'command', address, sender, text: '', files: [], facts: [], quotes: [], messageId: '1' },
          ...{ isDirect, isMention: true, sentAt: Date.now(), opensThread, prefix: gw.places.prefixes[address.channel] ?? '/' },
        },
        ...{ principal, viber: 'default', taskId: opened?.id ?? here, command: { name, args } },
        ...(opened ? { moves: true as const } : {}),
      };
      if (opened) {
        const person = isDirect && principal.person !== undefined ? { person: principal.person } : {};
        const places = (bound.get(opened.id) ?? []).filter(
          (place) =>
            conversationKey(place.address) !== conversationKey(address) &&
            !(isDirect && place.isDirect && place.person !== undefined && place.person === principal.person),
        );
        bound.set(opened.id, [...places, { address, isDirect, ...person }]);
      }
      return answerCommand(entry, gw, answering);
    },
    suggest(spot: Spot, command: string, text: string, taskId?: string) {
      const { address, isDirect } = spot;
      const { principal } = resolve(spot);
      const sender = { user: principal.user, name: principal.name, isBot: false };
      return suggest(
        { address, sender, isDirect, command, text },
        { home, view: view(spot), taskId, vibers: ONE_VIBER, commands: COMMANDS },
      );
    },
  };
}

/** The code in an answer to /link. */
export const codeIn = (reply: CommandReply): string => /\*\*([A-Z2-9]{8})\*\*/.exec(reply.text)?.[1] ?? '';
