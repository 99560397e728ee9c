/** The parts of the current run that a tool gets. */
import type { Zones } from '../../access/known.ts';
import type { Address } from '../../channels/channel.ts';
import type { Order } from '../contract/order.ts';
import type { RunResults } from '../contract/outcome.ts';
import type { OwnSettings } from '../contract/settings.ts';
import type { ToolScope } from '../contract/tool-scope.ts';
import type { ConversationSettings, Conversations, ViberRules } from '../conversations/conversations.ts';
import type { ModelChoices } from '../model/choices.ts';

/** Every run has it, even one that a test creates by hand. */
export interface CoreRun {
  readonly scope: ToolScope;
}

export interface ToolRun extends CoreRun {
  readonly order: Order;
  readonly own: OwnSettings;
  /** What belongs to the answer in addition to its text; absent in a run that a test creates. */
  readonly made?: RunResults;
  /** Returns whether the settings of the viber, and of the agent that asked it, allow the tool. */
  mayUse(tool: string): boolean;
  readonly gw: ToolGateway;
}

/** Tools that need it are only offered if it is known. */
export function addressOfRun({ order: { address } }: ToolRun): Address {
  if (!address) throw new Error('a tool for conversations was offered to a run outside of any');
  return address;
}

export interface ToolGateway {
  readonly models: { choices: ModelChoices };
  readonly places: { settings: ConversationSettings; vibers: ViberRules };
  readonly tasks: { conversations: Conversations };
  readonly people: { zones: Zones };
}
