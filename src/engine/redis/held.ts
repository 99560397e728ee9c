/** A lane that this process owns, with the job that keeps it. */
import { RedisFence } from './fence.ts';
import type { Source, Taken } from './jobs.ts';
import type { RawItem } from './scripts.ts';

export interface Given {
  epoch: number;
  until: number;
  items: RawItem[];
  isAgain: boolean;
}

export class Held extends RedisFence {
  readonly lane: string;
  readonly source: Source;
  readonly taken: Taken;
  readonly items: RawItem[];
  readonly isAgain: boolean;

  constructor(source: Source, taken: Taken, { epoch, until, items, isAgain }: Given) {
    super(taken.lane, epoch, until);
    this.lane = taken.lane;
    this.source = source;
    this.taken = taken;
    this.items = items;
    this.isAgain = isAgain;
  }
}
