/**
 * By whose clock a person lives: `access/zones.json`. What they have said wins over what a platform tells of them; what is known of
 * nobody's is the machine's. They are asked at most once (`access/zones-asked.json`); what is lost of it is asked for again.
 */
import path from 'node:path';
import { readRecords } from '../lib/read-json.ts';
import { isFilled, isFlag, objectOf, shape } from '../lib/shape.ts';
import { isTimezone } from '../lib/timezone.ts';
import { writeJson } from '../lib/write-json.ts';
import { aliasesOf, identityText, type Principal, principalText } from './principal.ts';

export interface PersonalZone {
  zone: string;
  /** They have said it themselves. */
  isSaid: boolean;
}

const MAX_KNOWN = 5_000;
const ABOUT = {
  asMap: true as const,
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
const ASKED = { asMap: true as const, lost: 'who was asked where they are', next: 'They may be asked once more.' };

const keysOf = (principal: Principal): string[] => [
  principalText(principal),
  identityText(principal),
  ...aliasesOf(principal),
];

export class Zones {
  readonly #file: string;
  readonly #askedFile: string;
  #known: Map<string, PersonalZone> | undefined;
  /** By person, the run in which they were asked where they are. */
  #asked: Map<string, Asked> | undefined;

  constructor(folder: string) {
    this.#file = path.join(folder, 'zones.json');
    this.#askedFile = path.join(folder, 'zones-asked.json');
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
    this.#asked ??= readRecords(this.#askedFile, askedShape, ASKED, (left) =>
      writeJson(this.#askedFile, Object.fromEntries(left)),
    );
    const asked = this.#asked;
    const before = keysOf(principal).find((key) => asked.has(key));
    if (before !== undefined) return asked.get(before)?.run === run;
    asked.set(principalText(principal), { run });
    const oldest = asked.keys().next().value;
    if (asked.size > MAX_KNOWN && oldest !== undefined) asked.delete(oldest);
    writeJson(this.#askedFile, Object.fromEntries(asked));
    return true;
  }

  /** A platform says it of somebody who was let in. */
  learn(principal: Principal, zone: string | undefined): void {
    if (zone === undefined || principal.role === 'guest') return;
    const known = this.#find(principal);
    if (known?.isSaid || known?.zone === zone || !isTimezone(zone)) return;
    this.#keep(principal, { zone, isSaid: false });
  }

  #find(principal: Principal): PersonalZone | undefined {
    const all = this.#all();
    if (all.size === 0) return undefined;
    const found = keysOf(principal).flatMap((key) => all.get(key) ?? []);
    return found.find(({ isSaid }) => isSaid) ?? found[0];
  }

  #keep(principal: Principal, zone: PersonalZone): void {
    const all = this.#all();
    // What was said on another account of theirs holds no longer.
    for (const key of aliasesOf(principal)) all.delete(key);
    all.set(principalText(principal), zone);
    const oldest = all.keys().next().value;
    if (all.size > MAX_KNOWN && oldest !== undefined) all.delete(oldest);
    writeJson(this.#file, Object.fromEntries(all));
  }

  #all(): Map<string, PersonalZone> {
    this.#known ??= readRecords(this.#file, zoneShape, ABOUT, (left) =>
      writeJson(this.#file, Object.fromEntries(left)),
    );
    return this.#known;
  }
}
