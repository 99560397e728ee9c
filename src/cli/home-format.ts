/** What a command does about the format of the home: a newer one is refused, an older one is migrated. */
import { errorCode, UserError } from '../errors.ts';
import { viberCommand } from '../lib/invocation.ts';
import { say, type Wording } from '../messages/messages.ts';
import type { CliCommand } from '../runtime/contract/cli.ts';
import { HOME_FORMAT, homeFormat } from '../workspace/format.ts';
import { versionOf } from './version.ts';

/** Where nothing can be written, opening the home says so in a sentence. */
const UNWRITABLE = ['EACCES', 'EPERM', 'EROFS'];

/**
 * Returns what to say of a migration; undefined if there was none to make.
 * @throws {UserError} for a newer home
 */
export async function settleFormat(home: string, { takesHome }: CliCommand): Promise<Wording | undefined> {
  if (takesHome === 'any') return undefined;
  refuseNewer(home);
  const format = homeFormat(home);
  if (takesHome === 'older' || format === undefined || format === HOME_FORMAT) return undefined;
  try {
    const { migrateHome } = await import('./migrate-home.ts');
    return await migrateHome(home);
  } catch (error) {
    if (!UNWRITABLE.includes(errorCode(error) ?? '')) throw error;
    return undefined;
  }
}

/** @throws {UserError} */
export function refuseNewer(home: string): void {
  const format = homeFormat(home) ?? HOME_FORMAT;
  if (format <= HOME_FORMAT) return;
  const command = viberCommand('update');
  throw new UserError(
    say('cli.newerHome', { home, format: String(format), known: String(HOME_FORMAT), version: versionOf(), command }),
  );
}
