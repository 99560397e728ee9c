/** The variable TZ: what it means is decided once, before anything asks for the time. */
import { ConfigError } from '../errors.ts';
import { readTz, systemTimezone } from '../lib/timezone.ts';

/**
 * Puts the name of the zone into `process.env.TZ`, where clocks, logs and scripts read it: Node understands few of the forms, and takes
 * others for UTC in silence. Throws ConfigError when TZ names no zone.
 */
export function useTimezone({ TZ }: NodeJS.ProcessEnv): void {
  if (TZ === undefined) return;
  const zone = readTz(TZ);
  if (zone === undefined) {
    const message = `${JSON.stringify(TZ)} isn't a time zone. Set it to a name such as Europe/Berlin, or remove it to use this machine's zone.`;
    throw new ConfigError([{ path: 'TZ', message }]);
  }
  // An empty name would be taken for UTC.
  if (zone === '') delete process.env.TZ;
  else process.env.TZ = zone;
}

/** What TZ is read as, where people may have meant something else. */
export function timezoneNote({ TZ }: NodeJS.ProcessEnv): string | undefined {
  const [, sign] = /^:?(?:UTC|GMT)([+-]?)\d/i.exec(TZ ?? '') ?? [];
  if (sign === undefined) return undefined;
  const [side, other] = sign === '-' ? ['east', 'west'] : ['west', 'east'];
  return `TZ is ${JSON.stringify(TZ)}, which means ${side} of Greenwich (${systemTimezone()}), as POSIX has it. For a zone to the ${other}, turn the sign round, or set a name such as Europe/Berlin.`;
}
