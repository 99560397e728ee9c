/** Loads the code for notifications when it is first needed: a gateway without subscriptions loads none of it. */
import { type Gateway, perGateway } from '../../gateway.ts';
import { loginsOf } from '../logins.ts';
import type { Pushes } from './pushes.ts';

class PushesOnDemand {
  readonly #gw: Gateway;
  #opened: Promise<Pushes> | undefined;
  #isClosed = false;

  constructor(gw: Gateway) {
    this.#gw = gw;
  }

  open(): Promise<Pushes> {
    this.#opened ??= this.#load();
    return this.#opened;
  }

  async #load(): Promise<Pushes> {
    const [{ Pushes }, sessions] = await Promise.all([import('./pushes.ts'), loginsOf(this.#gw).sessions()]);
    const pushes = new Pushes(this.#gw, sessions);
    if (this.#isClosed) pushes.close();
    return pushes;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    (await this.#opened)?.close();
  }
}

export const pushesOf = perGateway((gw) => new PushesOnDemand(gw));
