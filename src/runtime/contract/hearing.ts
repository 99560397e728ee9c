/** Who may read which messages of a task that several people have, and what was done for them (promise 34). Pure. */
import { isOneOf, type Principal } from '../../access/principal.ts';
import type { SessionEntry } from '../../workspace/types.ts';

/**
 * Whether a message of a task they see may be shown: a group gets only what was said in groups, a person alone also
 * what they said themselves, and an owner alone everything.
 */
export const mayHear = (
  { principal, isDirect }: { principal: Principal; isDirect: boolean },
  { isGroup, user }: { isGroup: boolean; user: string },
): boolean => isGroup || (isDirect && (principal.role === 'owner' || isOneOf([user], principal)));

/** Returns the runs with a message that this person may not read: what they did and answered isn't shown either. */
export const hiddenRuns = (
  entries: readonly SessionEntry[],
  reader: { principal: Principal; isDirect: boolean },
): ReadonlySet<string> =>
  new Set(
    entries.flatMap((entry) => {
      if (entry.type !== 'message') return [];
      const { isGroup = false, from, run } = entry;
      return mayHear(reader, { isGroup, user: from.user }) ? [] : [run];
    }),
  );
