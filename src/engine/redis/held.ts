/** A lane that this process owns, with the job that keeps it. */
import { RedisFence } from './fence.ts';
import type { Source, TakenJob } from './jobs.ts';
import type { RawItem } from './scripts.ts';

export interface Grant {
  epoch: number;
  until: number;
  items: RawItem[];
  isAgain: boolean;
}

export class HeldLane extends RedisFence {
  readonly lane: string;
  readonly source: Source;
  readonly taken: TakenJob;
  readonly items: RawItem[];
  readonly isAgain: boolean;

  constructor(source: Source, taken: TakenJob, { epoch, until, items, isAgain }: Grant) {
    super(taken.lane, epoch, until);
    this.lane = taken.lane;
    this.source = source;
    this.taken = taken;
    this.items = items;
    this.isAgain = isAgain;
  }
}
