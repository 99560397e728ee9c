/** The gateway with everything it asks of the rest: who is who, what holds in a place, and the short answers it gives itself. */
import { authoriseAction } from '../access/authorise.ts';
import { createRateLimiter } from '../access/limits.ts';
import type { Links } from '../access/links.ts';
import type { Pairing } from '../access/pairing.ts';
import type { People } from '../access/people.ts';
import { identityText } from '../access/principal.ts';
import type { Address, Channel, InboundMessage, PartLedger } from '../channels/channel.ts';
import { accessRulesOf } from '../config/access-rules.ts';
import type { Config } from '../config.ts';
import { spoolShape } from '../engine/local/recovery.ts';
import type { Spool } from '../engine/local/spool.ts';
import type { SpoolStore } from '../engine/local/store.ts';
import type { Logger } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { redeemAnswer } from '../runtime/commands/link.ts';
import { suggest } from '../runtime/commands/suggest.ts';
import type { Entry } from '../runtime/contract/entry.ts';
import { entryShape } from '../runtime/contract/spool-shapes.ts';
import { type Conversations, shareTask } from '../runtime/conversations/conversations.ts';
import type { OwnerNotifier } from '../runtime/conversations/owner-notifier.ts';
import type { ConversationSettings } from '../runtime/conversations/settings.ts';
import { findTask, mayOpen } from '../runtime/conversations/visibility.ts';
import type { Delivery } from '../runtime/delivery.ts';
import { createGateway, type Gateway } from '../runtime/gateway.ts';
import { withoutPoison } from '../runtime/intake/failed-events.ts';
import type { Buttons } from '../runtime/reply/buttons.ts';
import type { Home } from '../workspace/home.ts';
import { readTaskSync } from '../workspace/tasks.ts';

const accepted = spoolShape(entryShape);

export interface WiringOptions {
  config: Config;
  home: Home;
  viber: string;
  queue: Spool<Entry>;
  store: SpoolStore;
  conversations: Conversations;
  settings: ConversationSettings;
  delivery: Delivery;
  notifier: OwnerNotifier;
  people: People;
  pairing: Pairing;
  links: Links;
  buttons: Buttons;
  metrics: Metrics;
  log: Logger;
  channelOf: (address: Address) => Channel | undefined;
}

export function wireGateway(options: WiringOptions): Gateway {
  const { config, home, viber, store, conversations, delivery, notifier, links, log, channelOf } = options;
  const { queue, pairing, buttons, metrics } = options;
  const answerTo = ({ address, messageId, interaction }: InboundMessage, text: string) => ({
    ...{ address, text, files: [] },
    ...(interaction === undefined ? { replyTo: messageId } : { interaction }),
  });

  /** Outside the outbox: a stranger's answer is sent once and nothing of it is stored. */
  function sendOnce(message: InboundMessage, text: string): void {
    const id = `sendOnce-${message.id}-${Date.now()}`;
    const once: PartLedger = { part: (index, post) => post({ key: `${id}:${index}` }) };
    channelOf(message.address)
      ?.send({ id, ...answerTo(message, text) }, once)
      .catch((error: unknown) => log.warn({ err: error }, 'a stranger could not be answered'));
  }

  const gateway = createGateway({
    ...{ queue, pairing, buttons, metrics, log, conversations, viber, sendOnce, maxQueue: config.limits.queue },
    people: options.people,
    limiter: createRateLimiter(config.limits.messagesPerMinute),
    rulesOf: (address) => accessRulesOf(config, address),
    reply: (message, text, trace) => delivery.add({ id: `${trace}-notice`, ...answerTo(message, text) }, trace),
    // In `dead` stand answers too.
    textOf: (key) => store.find(key, accepted)?.message.message.text,
    onOwner: (principal, address) => notifier.noteOwner(principal, address),
    onPairing: (code, principal) => void notifier.ask(code, principal),
    resolveTask: async (text, { address, isDirect }, principal) => {
      const view = { principal, address, isDirect, viber };
      return (await findTask(home, text, (task) => mayOpen(view, task)))?.id;
    },
    modeOf: (address) => options.settings.get(address).queue ?? 'steer',
    mayJoin: (taskId, principal) => {
      const task = readTaskSync(home, taskId);
      return task && authoriseAction(principal, 'steer', task.people);
    },
    redeem: (code, principal) =>
      redeemAnswer(links, code, principal, (person, from, note) => {
        const id = `linked-${identityText(principal).replace(/[^\w-]/g, '_')}-${Date.now()}`;
        const told = delivery.add({ id, address: from, text: note, files: [] }, id);
        Promise.all([shareTask(conversations, person, from), told]).catch((error: unknown) =>
          log.error({ err: error }, 'a new link could not be told'),
        );
      }),
    suggest: (query, principal, taskId) => suggest(query, { home, taskId, view: { ...query, viber, principal } }),
  });
  return withoutPoison(gateway, { store, metrics, log, tell: notifier.tellNotTaken });
}
