/** What people may say in words instead of a command: about their tasks, what is remembered, and their clock. For runs that a person asked for. */
import type { Zones } from '../access/zones.ts';
import type { Toolbox } from '../runtime/contract/order.ts';
import type { Conversations } from '../runtime/conversations/conversations.ts';
import type { ViberRules } from '../runtime/conversations/vibers.ts';
import { ownMemoryTools } from '../runtime/tools/memory/own.ts';
import { ownTaskTools } from '../runtime/tools/own-tasks.ts';
import { setTimezone } from '../runtime/tools/set-timezone.ts';
import { useViberTools } from '../runtime/tools/use-viber.ts';

export interface EverydayOptions {
  conversations: Pick<Conversations, 'get' | 'bind'>;
  zones: Pick<Zones, 'of' | 'set'>;
  vibers: ViberRules;
  aboutViber: (id: string) => Promise<string | undefined>;
}

export const openEveryday =
  ({ conversations, zones, ...others }: EverydayOptions): Toolbox =>
  async ({ principal, address, isDirect = false, job, asked, tellsMemory }, _own, scope) => {
    if (job || asked || !address || principal.role === 'guest') return { tools: [], skills: '' };
    const tasks = ownTaskTools(scope, { principal, address, isDirect, conversations });
    const standing = { principal, address, isDirect };
    const using = await useViberTools(scope, standing, { ...others, conversations });
    return {
      tools: [
        ...tasks,
        ...using,
        ...(tellsMemory ? ownMemoryTools(scope, principal) : []),
        setTimezone(zones, principal),
      ],
      skills: '',
    };
  };
