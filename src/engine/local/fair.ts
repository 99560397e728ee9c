/**
 * Decides whose turn it is: ready lanes are handed out round-robin by person, so that nobody waits for all of somebody
 * else's work. Pure.
 *
 * Invariants: a lane waits for everybody who has a message in it; the person whose turn comes first takes it and is
 * charged for it. A person who isn't an owner has at most `perPerson` running lanes, and all of them together at most
 * `others`. A choice takes the same time however many lanes somebody has, and a person without lanes leaves no state
 * behind.
 */
import type { FairLimits, Share } from '../engine.ts';

export interface FairTurn {
  lane: string;
  /** The person whose turn it was. */
  share: Share;
}

export interface Fair {
  /** Marks the lane as ready, with a message of this person. Idempotent. */
  add(lane: string, share: Share): void;
  /** Takes the next lane; undefined when nobody may have one now. It counts as running until `done`. */
  take(): FairTurn | undefined;
  /** Frees a lane that was taken in this person's turn. */
  done(share: Share): void;
}

interface Person {
  key: string;
  share: Share;
  /** Ready lanes, the first to become ready first. */
  lanes: Set<string>;
  inWork: number;
  /** The position in the round; later turns are higher. */
  turn: number;
}

const NO_LIMITS: FairLimits = { perPerson: Number.POSITIVE_INFINITY, others: Number.POSITIVE_INFINITY };

export function createFair(limits: FairLimits = NO_LIMITS): Fair {
  const people = new Map<string, Person>();
  /** Everybody whose turn may take a lane, by lane. */
  const waiting = new Map<string, Set<Person>>();
  /** People with a ready lane and room for one more, the next turn first. */
  const round = { owners: new Set<Person>(), others: new Set<Person>() };
  let turns = 0;
  let othersInWork = 0;

  const circleOf = ({ share }: Person) => (share.isOwner ? round.owners : round.others);
  const keyOf = ({ person, isOwner }: Share) => `${isOwner ? 'owner' : 'other'} ${person}`;

  /** Moves the person to the end of the round, or removes them from it. */
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
