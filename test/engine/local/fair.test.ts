import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FairLimits, Share } from '../../../src/engine/engine.ts';
import { createFair, type FairTurn } from '../../../src/engine/local/fair.ts';
import { ownTime } from '../../helpers/own-time.ts';

const owner = (person: string): Share => ({ person, isOwner: true });
const member = (person: string): Share => ({ person, isOwner: false });
const FREE: FairLimits = { perPerson: 100, others: 100 };

/** Takes up to so many lanes and gives their names. */
const take = (fair: ReturnType<typeof createFair>, times: number): string[] =>
  Array.from({ length: times }, () => fair.take()?.lane).filter((lane) => lane !== undefined);

describe('whose turn it is', () => {
  it('goes round by person, and by order of readiness within one', () => {
    const fair = createFair(FREE);
    for (const lane of ['a1', 'a2', 'a3']) fair.add(lane, member('a'));
    fair.add('b1', member('b'));
    for (const lane of ['o1', 'o2']) fair.add(lane, owner('o'));
    expect(take(fair, 9)).toEqual(['a1', 'b1', 'o1', 'a2', 'o2', 'a3']);
  });

  it('gives a person no more than their share until one is done, and owners as many as they like', () => {
    const fair = createFair({ perPerson: 2, others: 100 });
    for (const n of [1, 2, 3]) {
      fair.add(`a${n}`, member('a'));
      fair.add(`o${n}`, owner('o'));
    }
    expect(take(fair, 9)).toEqual(['a1', 'o1', 'a2', 'o2', 'o3']);
    fair.done(member('a'));
    expect(take(fair, 9)).toEqual(['a3']);
  });

  it('keeps what is above the share of all others for owners', () => {
    const fair = createFair({ perPerson: 2, others: 3 });
    for (const lane of ['a1', 'a2', 'b1', 'b2', 'c1']) fair.add(lane, member(lane.slice(0, 1)));
    expect(take(fair, 9)).toEqual(['a1', 'b1', 'c1']);
    fair.add('o1', owner('o'));
    expect(take(fair, 9)).toEqual(['o1']);
    fair.done(owner('o'));
    expect(take(fair, 9)).toEqual([]);
    fair.done(member('b'));
    expect(take(fair, 9)).toEqual(['a2']);
  });

  it('lets whoever waits in a lane take it, so that nobody is held up by another person who has had their share', () => {
    const fair = createFair({ perPerson: 1, others: 100 });
    fair.add('a1', member('a'));
    expect(take(fair, 1)).toEqual(['a1']);
    // The first message of this lane is of somebody who has had their share, the second is not.
    fair.add('shared', member('a'));
    expect(take(fair, 1)).toEqual([]);
    fair.add('shared', owner('o'));
    expect(fair.take()).toEqual({ lane: 'shared', share: owner('o') });
    fair.done(member('a'));
    expect(take(fair, 9)).toEqual([]);
  });

  it('takes no longer for one person because another has a hundred thousand lanes, or because there are many people', () => {
    const fair = createFair({ perPerson: 4, others: 31 });
    for (let n = 0; n < 100_000; n++) fair.add(`a${n}`, member('a'));
    for (let n = 0; n < 10_000; n++) fair.add(`p${n}`, member(`p${n}`));
    const begun = ownTime();
    const seen: string[] = [];
    for (let n = 0; n < 20_000; n++) {
      const taken = fair.take();
      if (!taken) break;
      seen.push(taken.lane);
      fair.done(taken.share);
    }
    expect(seen.filter((lane) => lane.startsWith('p'))).toHaveLength(10_000);
    expect(seen.slice(0, 2)).toEqual(['a0', 'p0']);
    expect(ownTime() - begun).toBeLessThan(1_000);
  });

  it('is fair whatever comes: shares are kept, no lane is given twice or forgotten, and nobody is passed by', () => {
    const people = ['a', 'b', 'c', 'o', 'p'];
    const shareOf = (person: string) => (person < 'm' ? member(person) : owner(person));
    const action = fc.oneof(
      fc.record({ do: fc.constant('add' as const), lane: fc.nat(12), person: fc.constantFrom(...people) }),
      fc.record({ do: fc.constant('take' as const) }),
      fc.record({ do: fc.constant('done' as const), at: fc.nat(20) }),
    );
    const limits = fc.record({ perPerson: fc.integer({ min: 1, max: 3 }), others: fc.integer({ min: 1, max: 5 }) });
    fc.assert(
      fc.property(limits, fc.array(action, { maxLength: 120 }), (given, actions) => {
        const fair = createFair(given);
        const ready = new Map<string, Set<string>>();
        const inWork: FairTurn[] = [];
        /** By person with a lane that waits, how often others were served since their last turn. */
        const passed = new Map<string, Map<string, number>>();
        const count = (fits: (share: Share) => boolean) => inWork.filter(({ share }) => fits(share)).length;
        const mayHave = (person: string) =>
          shareOf(person).isOwner ||
          (count((share) => share.person === person) < given.perPerson && count((s) => !s.isOwner) < given.others);
        const waits = (person: string) => [...ready.values()].some((all) => all.has(person));
        const free = new Set(Array.from({ length: 13 }, (_, n) => `l${n}`));

        const step = (taken: FairTurn | undefined) => {
          const able = people.filter((person) => waits(person) && mayHave(person));
          if (!taken) return expect(able).toEqual([]);
          const { lane, share } = taken;
          expect(able).toContain(share.person);
          expect(ready.get(lane)?.has(share.person)).toBe(true);
          ready.delete(lane);
          inWork.push(taken);
          // Between two turns of somebody who may have one, each other person has at most one.
          passed.delete(share.person);
          for (const person of people) {
            if (person === share.person || !able.includes(person) || !waits(person)) {
              passed.delete(person);
              continue;
            }
            const by = passed.get(person) ?? new Map<string, number>();
            passed.set(person, by.set(share.person, (by.get(share.person) ?? 0) + 1));
            expect(by.get(share.person)).toBe(1);
          }
        };
        for (const each of actions) {
          if (each.do === 'add') {
            const lane = `l${each.lane}`;
            if (!free.has(lane) && !ready.has(lane)) continue;
            free.delete(lane);
            ready.set(lane, (ready.get(lane) ?? new Set()).add(each.person));
            fair.add(lane, shareOf(each.person));
          } else if (each.do === 'take') step(fair.take());
          else {
            const [ended] = inWork.splice(each.at % Math.max(1, inWork.length), 1);
            if (!ended) continue;
            free.add(ended.lane);
            fair.done(ended.share);
            passed.clear();
          }
        }
        // Everything is served in the end.
        for (let n = 0; n < 200 && (ready.size > 0 || inWork.length > 0); n++) {
          const ended = inWork.shift();
          if (ended) fair.done(ended.share);
          const taken = fair.take();
          if (!taken) continue;
          expect(ready.delete(taken.lane)).toBe(true);
          inWork.push(taken);
        }
        expect([...ready.keys()]).toEqual([]);
      }),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 300) },
    );
  });
});
