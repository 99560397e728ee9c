/**
 * Whose turn it is: lanes that are ready are handed out round-robin by person, so that nobody's work waits for all of somebody
 * else's. Pure.
 *
 * Invariants: a lane waits for everybody who has a message in it, and whoever's turn comes first takes it and is charged for it;
 * a person who is no owner has at most `perPerson` lanes in work, and all of those people together at most `others`. A choice
 * takes the same time however many lanes somebody has, and nothing is kept of a person who has nothing here.
 */
import type { FairLimits, Share } from '../engine.ts';

export interface Taken {
  lane: string;
  /** Whose turn it was. */
  share: Share;
}

export interface Fair {
  /** The lane is ready, and this person has a message in it. Said again it changes nothing. */
  add(lane: string, share: Share): void;
  /** The next lane; undefined when there is none that anybody may have now. It counts as in work until `done`. */
  take(): Taken | undefined;
  /** A lane that was taken in this person's turn is free again. */
  done(share: Share): void;
}

interface Person {
  key: string;
  share: Share;
  /** In the order in which they became ready. */
  lanes: Set<string>;
  inWork: number;
  /** The place in the round; later ones are higher. */
  turn: number;
}

const NO_LIMITS: FairLimits = { perPerson: Number.POSITIVE_INFINITY, others: Number.POSITIVE_INFINITY };

export function createFair(limits: FairLimits = NO_LIMITS): Fair {
  const people = new Map<string, Person>();
  /** By lane, everybody whose turn may take it. */
  const waiting = new Map<string, Set<Person>>();
  /** Those who have a lane that is ready and may have one more, the one whose turn is next first. */
  const round = { owners: new Set<Person>(), others: new Set<Person>() };
  let turns = 0;
  let othersInWork = 0;

  const circleOf = ({ share }: Person) => (share.isOwner ? round.owners : round.others);
  const keyOf = ({ person, isOwner }: Share) => `${isOwner ? 'owner' : 'other'} ${person}`;

  /** To the end of the round, or out of it. */
  function lineUp(person: Person): void {
    const circle = circleOf(person);
    const mayHave = person.share.isOwner || person.inWork < limits.perPerson;
    if (person.lanes.size === 0 || !mayHave) circle.delete(person);
    else if (!circle.has(person)) {
      person.turn = ++turns;
      circle.add(person);
    }
    if (person.lanes.size === 0 && person.inWork === 0) people.delete(person.key);
  }

  function next(): Person | undefined {
    const [owner] = round.owners;
    const [other] = othersInWork < limits.others ? round.others : [];
    return owner && other ? (owner.turn < other.turn ? owner : other) : (owner ?? other);
  }

  return {
    add(lane, share) {
      const key = keyOf(share);
      const person = people.get(key) ?? { key, share, lanes: new Set<string>(), inWork: 0, turn: 0 };
      people.set(key, person);
      person.lanes.add(lane);
      const all = waiting.get(lane) ?? new Set();
      waiting.set(lane, all.add(person));
      lineUp(person);
    },
    take() {
      const person = next();
      const [lane] = person?.lanes ?? [];
      if (!person || lane === undefined) return undefined;
      person.inWork++;
      if (!person.share.isOwner) othersInWork++;
      circleOf(person).delete(person);
      const all = waiting.get(lane) ?? [];
      waiting.delete(lane);
      for (const each of all) {
        each.lanes.delete(lane);
        lineUp(each);
      }
      return { lane, share: person.share };
    },
    done(share) {
      const person = people.get(keyOf(share));
      if (!person || person.inWork === 0) return;
      person.inWork--;
      if (!share.isOwner) othersInWork--;
      lineUp(person);
    },
  };
}
