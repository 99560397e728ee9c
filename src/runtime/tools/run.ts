/** What a tool is handed of the run at hand: what it may touch, the facts, and the services it may use. */
import type { Zones } from '../../access/zones.ts';
import type { Address } from '../../channels/channel.ts';
import type { Order } from '../contract/order.ts';
import type { OwnSettings } from '../contract/settings.ts';
import type { ToolScope } from '../contract/tool-scope.ts';
import type { Conversations } from '../conversations/conversations.ts';
import type { ConversationSettings } from '../conversations/settings.ts';
import type { ViberRules } from '../conversations/vibers.ts';
import type { ModelChoices } from '../model/choices.ts';

/** What every run has, also one that a test makes by hand. */
export interface CoreRun {
  readonly scope: ToolScope;
}

export interface ToolRun extends CoreRun {
  readonly order: Order;
  readonly own: OwnSettings;
  /** Whether the settings of the viber, and of whoever asked it, let the run use a tool. */
  mayUse(tool: string): boolean;
  readonly services: ToolServices;
}

/** Where it was asked for, for tools that are offered only where that is known. */
export function placeOf({ order: { address } }: ToolRun): Address {
  if (!address) throw new Error('a tool for conversations was offered to a run outside of any');
  return address;
}

/** The parts of the gateway that tools may use: made once. */
export interface ToolServices {
  models: ModelChoices;
  settings: ConversationSettings;
  conversations: Pick<Conversations, 'get' | 'bind'>;
  zones: Pick<Zones, 'of' | 'set'>;
  vibers: ViberRules;
  /** What the file of a viber says it is for. */
  aboutViber(id: string): Promise<string | undefined>;
}
