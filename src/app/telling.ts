/**
 * Decides where prompts may contain MEMORY.md, USER.md and the daily logs: only if nobody but the people of this
 * gateway can read the answer.
 */
import { mayBeTold } from '../access/authorise.ts';
import { accessRulesOf } from '../config/vibers.ts';
import type { Config } from '../config.ts';
import type { Places } from '../runtime/run/gateway.ts';

/**
 * For a job's run, checks the places to which its result goes; for any other run, the conversations whose messages it
 * answers.
 */
export function createTelling(
  config: Config,
  targets: { isDirect(text: string): Promise<boolean> },
): Places['tellsMemory'] {
  const memoryOf = (place: { channel: string; workspace?: string }) => accessRulesOf(config, place).memory;
  return async ({ principal, answered, job }) => {
    const places = job
      ? job.deliver.map(async (to) => {
          const memory = memoryOf({ channel: /^[^:@]*/.exec(to)?.[0] ?? '' });
          return { memory, isDirect: memory === 'group' || (await targets.isDirect(to)) };
        })
      : answered.map(({ address, isDirect }) => ({ isDirect, memory: memoryOf(address) }));
    return mayBeTold(principal, await Promise.all(places));
  };
}
