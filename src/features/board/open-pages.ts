/** The parts that the Board's pages read, narrowed to what they may do. */

import type { ProtocolParts } from '../../board/protocol/parts.ts';
import { MAX_FILES } from '../../board/protocol/schemas.ts';
import { conversationKey } from '../../channels/channel.ts';
import { masked } from '../../config/secrets.ts';
import { loadAgent } from '../../config.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { keptLines } from '../../log.ts';
import { say } from '../../messages/messages.ts';
import type { BoardAt, BoardRoute, Caller } from '../../runtime/contract/board.ts';
import { questionId } from '../../runtime/contract/buttons.ts';
import { OFFLINE_MODEL } from '../../runtime/contract/providers.ts';
import { bindingKey } from '../../runtime/conversations/conversations.ts';
import { plainName } from '../../runtime/conversations/places.ts';
import { byAt } from '../../runtime/reply/outcomes.ts';
import { DEFAULT_VIBER } from '../../workspace/home.ts';
import { configOf, type Gateway } from '../gateway.ts';
import { contextOf } from './context.ts';
import { openLetters } from './letters.ts';
import { loginsOf } from './logins.ts';
import { pageRoutes } from './pages/pages.ts';
import type { PageParts, PageSources, People } from './pages/parts.ts';
import type { Sessions } from './sessions.ts';

/** Returns the routes of what the page shows beyond the protocol. */
export async function boardRoutes(at: BoardAt, gw: Gateway): Promise<BoardRoute[]> {
  return pageRoutes(openPages(at, gw, await loginsOf(gw).sessions()));
}

function openPages({ protocol: parts, readiness }: BoardAt, gw: Gateway, sessions: Sessions): PageParts {
  const config = configOf(gw);
  const protocol = parts as ProtocolParts;
  const { home, engine, places, tasks, models, delivery } = gw;
  const { conversations } = tasks;
  const placeOf = (caller: Caller) =>
    caller.direct ?? { channel: 'api', account: 'api', chat: protocol.submissions.chatOf(caller) };
  return {
    protocol,
    readiness,
    letters: openLetters({ folder: home.spool, queue: engine.queue, delivery }),
    about: {
      viber: config.viber ?? DEFAULT_VIBER,
      version: protocol.about.version,
      vibers: () => places.vibers.ids(),
      filesPerMessage: Math.min(config.limits.filesPerMessage, MAX_FILES),
      connectModel: () => (models.modelName() === OFFLINE_MODEL ? viberCommand('init') : undefined),
      language: (caller) => gw.say(placeOf(caller)).language,
      // Their direct messages or, if they have none yet, the conversation that was begun on the Board.
      taskOf: (caller) => {
        const place = placeOf(caller);
        const own = conversations.get(bindingKey(caller.principal, place, true));
        return (own ?? conversations.get(conversationKey(place)))?.taskId;
      },
    },
    people: peopleOf(gw, sessions),
    shown: shownOf(gw),
    logs: keptLines,
  };
}

function peopleOf(gw: Gateway, sessions: Sessions): People {
  const config = configOf(gw);
  const { people, consent } = gw;
  const { pairing, links } = people;
  return {
    people: () => [
      ...config.people.map(({ name, role, ids }) => ({ name, role, ids })),
      ...pairing.paired().map(({ name, role, identity }) => ({ name, role, ids: [identity] })),
    ],
    pending: () =>
      pairing.pending(Date.now()).map(({ code, name, channel, identity, createdAt }) => ({
        code,
        name,
        channel,
        id: identity,
        at: new Date(createdAt).toISOString(),
      })),
    links() {
      const byPerson = Map.groupBy(links.links(), ({ person }) => person);
      return [...byPerson].map(([person, all]) => ({ person, ids: all.map(({ identity }) => identity) }));
    },
    sessions: () => sessions.list(Date.now()),
    async decide(code, verdict, { principal }) {
      if (verdict === 'approve') pairing.approve(code, Date.now());
      else pairing.deny(code, Date.now());
      const when = byAt({ name: plainName(principal.name), at: new Date(), zone: config.jobs.timezone });
      const outcome = say(verdict === 'approve' ? 'outcomes.letIn' : 'outcomes.turnedAway', when);
      await consent.questions.decided(questionId.pairing(code), outcome);
    },
  };
}

function shownOf(gw: Gateway): PageSources {
  const { home, places } = gw;
  return {
    context: (task) => contextOf(gw, task),
    async agents() {
      const all = await Promise.all(
        places.vibers.ids().map(async (id) => {
          const { description, model, skills } = await loadAgent(home.root, id);
          return {
            id,
            ...(description !== undefined && { description }),
            ...(model !== undefined && { model }),
            ...(skills && { skills }),
          };
        }),
      );
      const playbooks = gw.features.on.flatMap(({ playbooks }) => playbooks?.(gw) ?? []);
      return { vibers: all, playbooks };
    },
    config: () => masked(configOf(gw)),
  };
}
