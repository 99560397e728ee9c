/** Interprets the variable TZ once, before anything asks for the time. */
import { ConfigError, problemWith } from '../errors.ts';
import { readTz, systemTimezone } from '../lib/timezone.ts';
import { say, type Wording } from '../messages/messages.ts';

/**
 * Sets `process.env.TZ` to the zone's name for clocks, logs and scripts: Node understands few forms of TZ, and silently
 * treats the others as UTC.
 * @throws {ConfigError} if TZ does not name a zone
 */
export function useTimezone({ TZ }: NodeJS.ProcessEnv): void {
  if (TZ === undefined) return;
  const zone = readTz(TZ);
  if (zone === undefined) {
    throw new ConfigError([problemWith('TZ', say('config.timezone', { tz: JSON.stringify(TZ) }))]);
  }
  // Node would treat an empty name as UTC.
  if (zone === '') delete process.env.TZ;
  else process.env.TZ = zone;
}

/** Explains a form of TZ that people often get wrong; undefined for any other. */
export function timezoneNote({ TZ }: NodeJS.ProcessEnv): Wording | undefined {
  const [, sign] = /^:?(?:UTC|GMT)([+-]?)\d/i.exec(TZ ?? '') ?? [];
  if (sign === undefined) return undefined;
  const east = sign === '-' ? 'yes' : 'no';
  return say('checks.timezoneNote', { east, tz: JSON.stringify(TZ), zone: systemTimezone() });
}
