/** The way in, with everything it asks of the rest: who is who, what holds in a place, and the short answers it gives itself. */
import { authoriseAction } from '../access/authorise.ts';
import { createRateLimiter, createSharedRateLimiter } from '../access/limits.ts';
import { identityText, type Principal } from '../access/principal.ts';
import type { InboundMessage, PartLedger } from '../channels/channel.ts';
import { accessRulesOf } from '../config/access-rules.ts';
import { type State, spoolKey } from '../engine/engine.ts';
import type { Text } from '../messages/messages.ts';
import { typedAnswer } from '../runtime/approvals/typed.ts';
import { type Issuer, redeemAnswer } from '../runtime/commands/people/link.ts';
import { suggest } from '../runtime/commands/suggest.ts';
import { dedupeId, traceOf } from '../runtime/contract/entry.ts';
import { shareTask } from '../runtime/conversations/conversations.ts';
import type { Stopping } from '../runtime/conversations/stopping.ts';
import { findTask, mayOpen } from '../runtime/conversations/visibility.ts';
import { createIntake, type Intake } from '../runtime/gateway.ts';
import { withDeadLetters } from '../runtime/intake/dead-letters.ts';
import { isKept } from '../runtime/intake/let-in.ts';
import type { Access, Lookups, Replies } from '../runtime/intake/services.ts';
import { openTask } from '../workspace/tasks/index.ts';
import type { AppGateway, Host } from './contract.ts';
import { traceAccept } from './tracing.ts';

export function openIntake(gw: AppGateway, { shared }: Host, stopping: Stopping): Intake {
  const { engine, people, features, log } = gw;
  const intake = createIntake({
    gw,
    stopping,
    lock: shared && ((name, work) => shared.lock(name, work)),
    access: accessFor(gw, shared?.state),
    lookups: lookupsFor(gw),
    replies: repliesBy(gw),
  });
  const { metrics } = features;
  return timed(withDeadLetters(intake, { queue: engine.queue, metrics, log, tell: people.owners.tellNotTaken }), gw);
}

/** How long it takes until an event is durable, from wherever it comes. */
function timed(intake: Intake, { features: { metrics, tracing } }: AppGateway): Intake {
  return {
    async accept(message, raw, visit) {
      const begun = performance.now();
      const span = tracing && traceAccept(tracing, message);
      const outcome = await intake.accept(message, raw, visit);
      if (outcome !== 'accepted' && outcome !== 'begun') return outcome;
      const { channel } = message.address;
      metrics.observe('viber_acknowledge_seconds', { channel }, (performance.now() - begun) / 1000);
      span?.end();
      return outcome;
    },
    suggest: (query) => intake.suggest(query),
  };
}

function accessFor({ config, people, delivery, tasks, say, log }: AppGateway, shared: State | undefined): Access {
  const { pairing, links, owners } = people;

  /** Whoever issued the code is told, and goes on with the same task on both accounts. */
  function tellLinked(principal: Principal, { person, address: from, note, isNew }: Issuer): void {
    const id = `linked-${identityText(principal).replace(/[^\w-]/g, '_')}-${Date.now()}`;
    const told = delivery.add({ id, address: from, text: say(from).said(note), files: [] }, id);
    const shared = isNew && shareTask(tasks.conversations, person, from);
    Promise.all([shared, told]).catch((error: unknown) => log.error({ err: error }, 'a new link could not be told'));
  }

  return {
    resolve: (who) => people.resolve(who),
    ...(shared
      ? createSharedRateLimiter(config.limits.messagesPerMinute, shared)
      : createRateLimiter(config.limits.messagesPerMinute)),
    rulesOf: (address) => accessRulesOf(config, address),
    pair(principal, message) {
      const { channel, name } = principal;
      const kept = isKept(message) ? { message } : {};
      const who = { identity: identityText(principal), channel, name, address: message.address, ...kept };
      return pairing.request(who, Date.now());
    },
    ownership: () => pairing.ownership(),
    onPairing: (code, principal) => void owners.ask(code, principal),
    redeem: (code, principal) => redeemAnswer(links, code, principal, (issuer) => tellLinked(principal, issuer)),
    onOwner: (principal, address) => owners.noteOwner(principal, address),
  };
}

function lookupsFor(gw: AppGateway): Lookups {
  const { home, engine, places, consent, features } = gw;
  const { buttons, questions, approvals } = consent;
  return {
    async standsFor(reply) {
      for (const { replied } of features.on) {
        const answer = await replied?.(reply, gw);
        if (answer) return answer;
      }
      return undefined;
    },
    typed: (message, principal, means) =>
      typedAnswer(message, principal, means, { home, approvals, questions, buttons }),
    press: (id, address) => buttons.press(id, address),
    // In `dead` stand answers too.
    textOf: async (key) => (await engine.queue.find(key))?.message.text,
    mayJoin(taskId, principal) {
      const task = openTask(home, taskId).record();
      return task && authoriseAction(principal, 'steer', task.people);
    },
    asks: (taskId) => approvals.open(taskId).length > 0,
    findTask(text, { address, isDirect }, of) {
      const view = { ...of, address, isDirect };
      return findTask(home, text, (task) => mayOpen(view, task));
    },
    suggest: (query, of, taskId) =>
      suggest(query, {
        home,
        taskId,
        view: { ...of, address: query.address, isDirect: query.isDirect },
        vibers: places.vibers,
        commands: features.commands,
      }),
  };
}

function repliesBy({ delivery, places, log }: AppGateway): Replies {
  const answerTo = ({ address, messageId, interaction }: InboundMessage, text: Text) => ({
    ...{ address, text, files: [] },
    ...(interaction === undefined ? { replyTo: messageId } : { interaction }),
  });
  return {
    notice(message, text) {
      const trace = traceOf(spoolKey(dedupeId(message)));
      return delivery.add({ id: `${trace}-notice`, ...answerTo(message, text) }, trace);
    },
    // Outside the outbox: nothing of it is stored.
    sendOnce(message, text) {
      const id = `sendOnce-${message.id}-${Date.now()}`;
      const once: PartLedger = { part: (index, post) => post({ key: `${id}:${index}` }) };
      places
        .channelOf(message.address)
        ?.send({ id, ...answerTo(message, text) }, once)
        .catch((error: unknown) => log.warn({ err: error }, 'a stranger could not be answered'));
    },
  };
}
