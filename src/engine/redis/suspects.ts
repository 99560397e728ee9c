/**
 * Runs a message that was part of two crashes only while no other such message runs here, so that the one that kills
 * the process is alone the next time and takes no innocent message with it.
 */
import { SUSPECT_FROM } from '../crashes.ts';

export class Suspects {
  #lane: string | undefined;

  /** Returns whether the owner of a lane may take such a message. */
  may(lane: string): boolean {
    return this.#lane === undefined || this.#lane === lane;
  }

  /** Like `may`, but reserves the place until it is known what was taken. */
  begin(lane: string): boolean {
    if (this.#lane !== undefined) return this.#lane === lane;
    this.#lane = lane;
    return true;
  }

  took(lane: string, items: readonly { attempts: number }[]): void {
    if (items.some(({ attempts }) => attempts >= SUSPECT_FROM)) this.#lane = lane;
    else this.ended(lane);
  }

  /** The owner of a lane took these items too. */
  tookMore(lane: string, items: readonly { attempts: number }[]): void {
    if (items.some(({ attempts }) => attempts >= SUSPECT_FROM)) this.#lane = lane;
  }

  ended(lane: string): void {
    if (this.#lane === lane) this.#lane = undefined;
  }
}
