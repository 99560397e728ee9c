/** Interprets the variable TZ once, before anything asks for the time. */
import { ConfigError } from '../errors.ts';
import { readTz, systemTimezone } from '../lib/timezone.ts';

/**
 * Sets `process.env.TZ` to the zone's name for clocks, logs and scripts: Node understands few forms of TZ, and silently
 * treats the others as UTC.
 * @throws {ConfigError} if TZ does not name a zone
 */
export function useTimezone({ TZ }: NodeJS.ProcessEnv): void {
  if (TZ === undefined) return;
  const zone = readTz(TZ);
  if (zone === undefined) {
    const message = `${JSON.stringify(TZ)} isn't a time zone. Set it to a name such as Europe/Berlin, or remove it to use this machine's zone.`;
    throw new ConfigError([{ path: 'TZ', message }]);
  }
  // Node would treat an empty name as UTC.
  if (zone === '') delete process.env.TZ;
  else process.env.TZ = zone;
}

/** Explains a form of TZ that people often get wrong; undefined for any other. */
export function timezoneNote({ TZ }: NodeJS.ProcessEnv): string | undefined {
  const [, sign] = /^:?(?:UTC|GMT)([+-]?)\d/i.exec(TZ ?? '') ?? [];
  if (sign === undefined) return undefined;
  const [side, other] = sign === '-' ? ['east', 'west'] : ['west', 'east'];
  return `TZ is ${JSON.stringify(TZ)}, which means ${side} of Greenwich (${systemTimezone()}), as POSIX has it. For a zone to the ${other}, turn the sign round, or set a name such as Europe/Berlin.`;
}
