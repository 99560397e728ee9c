/**
 * A message that was part of two crashes is in work here while no other such message is, so that the one that ends the process is
 * alone when it does so again, and takes no innocent one with it.
 */
import { SUSPECT_FROM } from '../crashes.ts';

export class Suspects {
  #lane: string | undefined;

  /** Whether the owner of a lane may take such a message. */
  may(lane: string): boolean {
    return this.#lane === undefined || this.#lane === lane;
  }

  /** As `may`; until it is known what was taken, nobody else may. */
  begin(lane: string): boolean {
    if (this.#lane !== undefined) return this.#lane === lane;
    this.#lane = lane;
    return true;
  }

  took(lane: string, items: readonly { attempts: number }[]): void {
    if (items.some(({ attempts }) => attempts >= SUSPECT_FROM)) this.#lane = lane;
    else this.ended(lane);
  }

  /** The owner of a lane has taken these as well. */
  tookMore(lane: string, items: readonly { attempts: number }[]): void {
    if (items.some(({ attempts }) => attempts >= SUSPECT_FROM)) this.#lane = lane;
  }

  ended(lane: string): void {
    if (this.#lane === lane) this.#lane = undefined;
  }
}
