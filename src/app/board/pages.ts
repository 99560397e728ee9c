/** The parts that the Board's pages read, narrowed to what they may do. */
import type { Sessions } from '../../access/sessions.ts';
import type { PageParts, PageSources, People } from '../../board/pages/parts.ts';
import type { ProtocolParts } from '../../board/protocol/parts.ts';
import { MAX_FILES } from '../../board/protocol/schemas.ts';
import { conversationKey } from '../../channels/channel.ts';
import { masked } from '../../config/secrets.ts';
import { loadAgent } from '../../config.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { keptLines } from '../../log.ts';
import { say } from '../../messages/messages.ts';
import type { Caller } from '../../runtime/contract/board.ts';
import { questionId } from '../../runtime/contract/buttons.ts';
import { OFFLINE_MODEL } from '../../runtime/contract/providers.ts';
import { bindingKey } from '../../runtime/conversations/conversations.ts';
import { plainName } from '../../runtime/conversations/places.ts';
import type { Readiness } from '../../runtime/readiness.ts';
import { byAt } from '../../runtime/reply/outcomes.ts';
import { DEFAULT_VIBER } from '../../workspace/home.ts';
import type { AppGateway, OpenGateway } from '../contract.ts';
import { contextOf } from './context.ts';
import { openLetters } from './letters.ts';

export interface PagesOptions {
  open: OpenGateway;
  sessions: Sessions;
  protocol: ProtocolParts;
  readiness: () => Promise<Readiness>;
}

export function openPages({ open: { gw }, sessions, protocol, readiness }: PagesOptions): PageParts {
  const { home, config, engine, places, tasks, models, delivery } = gw;
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

function peopleOf({ config, people, consent: { questions } }: AppGateway, sessions: Sessions): People {
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
      await questions.decided(questionId.pairing(code), outcome);
    },
  };
}

function shownOf(gw: AppGateway): PageSources {
  const { config, home, places } = gw;
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
    config: () => masked(config),
  };
}
