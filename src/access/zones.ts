/**
 * The time zone of each person: `access/zones.json`. What they have said takes precedence over the platform's
 * information; the default is the machine's zone. Each person is asked at most once (`access/zones-asked.json`); lost
 * entries are asked for again.
 */
import path from 'node:path';
import { isFilled, isFlag, objectOf, shape } from '../lib/shape.ts';
import { isTimezone } from '../lib/timezone.ts';
import { type JsonMap, openJsonMap } from './json-map.ts';
import { aliasesOf, identityText, type Principal, principalText } from './principal.ts';

export interface PersonalZone {
  zone: string;
  /** The person has said it, as opposed to a platform. */
  isSaid: boolean;
}

const MAX_KNOWN = 5_000;
const ABOUT = {
  lost: 'the time zones of people',
  next: 'The machine’s zone holds until they say theirs again, with /timezone.',
};
const zoneShape = shape<PersonalZone>(
  objectOf({ zone: (value) => isFilled(value) && isTimezone(String(value)), isSaid: isFlag }),
);

interface Asked {
  run: string;
}

const askedShape = shape<Asked>(objectOf({ run: isFilled }));
const ASKED = { lost: 'who was asked where they are', next: 'They may be asked once more.' };

const keysOf = (principal: Principal): string[] => [
  principalText(principal),
  identityText(principal),
  ...aliasesOf(principal),
];

export class Zones {
  readonly #known: JsonMap<PersonalZone>;
  /** By person: the run in which they were asked. */
  readonly #asked: JsonMap<Asked>;

  constructor(folder: string) {
    const bounds = { max: MAX_KNOWN };
    this.#known = openJsonMap(path.join(folder, 'zones.json'), zoneShape, ABOUT, bounds);
    this.#asked = openJsonMap(path.join(folder, 'zones-asked.json'), askedShape, ASKED, bounds);
  }

  /** Returns undefined if the zone is unknown. */
  of(principal: Principal): string | undefined {
    return this.#find(principal)?.zone;
  }

  /** Sets the zone that the person has said. Durable on return. */
  set(principal: Principal, zone: string): void {
    this.#keep(principal, { zone, isSaid: true });
  }

  /**
   * Returns whether this run may ask the person: only the first run that wants to, and that one again after a restart.
   * Durable on return, so that no second run asks.
   */
  asksIn(principal: Principal, run: string): boolean {
    if (principal.role === 'guest') return false;
    const askedIn = (all: ReadonlyMap<string, Asked>) => keysOf(principal).flatMap((key) => all.get(key) ?? [])[0]?.run;
    let before = askedIn(this.#asked.read());
    if (before !== undefined) return before === run;
    this.#asked.change((all) => {
      before = askedIn(all);
      if (before === undefined) all.set(principalText(principal), { run });
    });
    return before === undefined || before === run;
  }

  /** Learns the zone of a person with access from a platform. */
  learn(principal: Principal, zone: string | undefined): void {
    if (zone === undefined || principal.role === 'guest') return;
    const known = this.#find(principal);
    if (known?.isSaid || known?.zone === zone || !isTimezone(zone)) return;
    this.#keep(principal, { zone, isSaid: false });
  }

  #find(principal: Principal): PersonalZone | undefined {
    return found(this.#known.read(), principal);
  }

  #keep(principal: Principal, zone: PersonalZone): void {
    this.#known.change((all) => {
      // Another process may have stored what they said in between.
      if (!zone.isSaid && found(all, principal)?.isSaid) return;
      // The zone said on another of their accounts no longer applies.
      for (const key of [...aliasesOf(principal), principalText(principal)]) all.delete(key);
      all.set(principalText(principal), zone);
    });
  }
}

function found(all: ReadonlyMap<string, PersonalZone>, principal: Principal): PersonalZone | undefined {
  if (all.size === 0) return undefined;
  const own = keysOf(principal).flatMap((key) => all.get(key) ?? []);
  return own.find(({ isSaid }) => isSaid) ?? own[0];
}
