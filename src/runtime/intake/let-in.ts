/**
 * Greets people who got access, and accepts their earlier messages as if they came now. A file tells who they are,
 * since they may be approved by the command line, or while the gateway isn't running. A greeting and a message go to
 * disk before the note that they are due is removed, and have fixed IDs, so that a crash in between repeats nothing.
 */

import fs from 'node:fs';
import type { PairedIdentity } from '../../access/pairing.ts';
import { isAddress, readIdentity } from '../../access/principal.ts';
import type { Address, InboundMessage } from '../../channels/channel.ts';
import { isShared } from '../../lib/locks.ts';
import { messagesIn, say } from '../../messages/messages.ts';
import { questionId } from '../contract/buttons.ts';
import { isMessage } from '../contract/spool-shapes.ts';
import { plainName } from '../conversations/places.ts';
import { byAt } from '../reply/outcomes.ts';
import type { Gateway } from '../run/gateway.ts';
import { accept } from './accept.ts';

const LOOK_MS = 3_000;

export class LetIn {
  readonly #gw: Gateway;
  #watcher: fs.FSWatcher | undefined;
  #looking: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(gw: Gateway) {
    this.#gw = gw;
  }

  start(): void {
    this.#watcher = fs.watch(this.#gw.home.access, (_event, file) => {
      if (file === 'paired.json' || file === 'pending.json' || file === 'links.json') this.#look();
    });
    this.#watcher.unref();
    // People may be approved on another machine, whose changes the file watcher doesn't see.
    if (isShared(this.#gw.home.access)) this.#looking = setInterval(() => this.#look(), LOOK_MS).unref();
    this.#look();
  }

  async close(): Promise<void> {
    this.#watcher?.close();
    clearInterval(this.#looking);
    await this.#working;
  }

  /** Each record is handled once. */
  #look(): void {
    this.#working = this.#working
      .then(() => this.#settleAll())
      .catch((error: unknown) => this.#gw.log.error({ err: error }, 'somebody who was let in could not be greeted'));
  }

  async #settleAll(): Promise<void> {
    const { people, consent, config } = this.#gw;
    const { pairing } = people;
    const { questions } = consent;
    for (const { code, isLetIn, at } of pairing.decidedOutside()) {
      const time = byAt({ name: '', at, zone: config.jobs.timezone }).time;
      const outcome = say(isLetIn ? 'outcomes.letInThere' : 'outcomes.turnedAwayThere', { time });
      await questions.decided(questionId.pairing(code), outcome);
      pairing.told(code);
    }
    for (const paired of pairing.paired()) if (paired.waiting) await this.#welcome(paired, paired.waiting);
    // Strangers who became known by a link or by the configuration since they asked.
    for (const { identity, name, code, kept = [] } of pairing.pending(Date.now())) {
      const who = { ...readIdentity(identity), account: '', name, via: 'message' };
      if (!people.resolve(who).isKnown) continue;
      await this.#take(kept);
      await questions.decided(questionId.pairing(code), say('outcomes.known'));
      pairing.forget(identity);
    }
  }

  async #welcome({ identity, name, role, approvedAt, address }: PairedIdentity, waiting: readonly InboundMessage[]) {
    const { people, delivery, say: sayAt } = this.#gw;
    const id = `paired-${identity.replace(/[^\w-]/g, '_')}-${Date.parse(approvedAt)}`;
    // Slack sends no name with a message, so the name is the ID.
    const shown = readIdentity(identity).user === name ? '' : plainName(name);
    const values = { comma: shown && ', ', name: shown, isWritten: waiting.length > 0 ? 'yes' : 'no' };
    const key = role === 'owner' ? 'contact.owner' : 'contact.in';
    if (isAddress(address)) {
      const to = address as Address;
      const said = waiting.at(-1)?.language;
      const text = (said === undefined ? sayAt(to) : messagesIn(said)).text(key, values);
      await delivery.add({ id, address: to, text, files: [] }, id, true);
    }
    await this.#take(waiting);
    people.pairing.settle(identity);
  }

  async #take(kept: readonly InboundMessage[]): Promise<void> {
    // Somebody may have edited the file: skip what isn't a valid message.
    for (const message of kept.filter((each) => isMessage(each))) await accept(message, undefined, this.#gw);
  }
}
