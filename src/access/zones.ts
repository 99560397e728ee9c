/**
 * By whose clock a person lives: `access/zones.json`. What they have said wins over what a platform tells of them; what is known of
 * nobody's is the machine's. They are asked at most once (`access/zones-asked.json`); what is lost of it is asked for again.
 */
import path from 'node:path';
import { isFilled, isFlag, objectOf, shape } from '../lib/shape.ts';
import { isTimezone } from '../lib/timezone.ts';
import { type JsonMap, openJsonMap } from './json-map.ts';
import { aliasesOf, identityText, type Principal, principalText } from './principal.ts';

export interface PersonalZone {
  zone: string;
  /** They have said it themselves. */
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
  /** By person, the run in which they were asked where they are. */
  readonly #asked: JsonMap<Asked>;

  constructor(folder: string) {
    const bounds = { max: MAX_KNOWN };
    this.#known = openJsonMap(path.join(folder, 'zones.json'), zoneShape, ABOUT, bounds);
    this.#asked = openJsonMap(path.join(folder, 'zones-asked.json'), askedShape, ASKED, bounds);
  }

  /** Undefined while nobody has told. */
  of(principal: Principal): string | undefined {
    return this.#find(principal)?.zone;
  }

  /** They say it. In force, and on the disk, when it returns. */
  set(principal: Principal, zone: string): void {
    this.#keep(principal, { zone, isSaid: true });
  }

  /**
   * Whether this run may ask them: the first that wants to, and that one again after a restart. It is on the disk when it returns, so that
   * nobody is asked in a second one.
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

  /** A platform says it of somebody who was let in. */
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
      // Another process may have been told meanwhile.
      if (!zone.isSaid && found(all, principal)?.isSaid) return;
      // What was said on another account of theirs holds no longer.
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
