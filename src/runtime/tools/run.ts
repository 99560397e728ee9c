/** The parts of the current run that a tool gets: what it may access, the facts, and the services it may use. */
import type { Zones } from '../../access/known.ts';
import type { Address } from '../../channels/channel.ts';
import type { Order } from '../contract/order.ts';
import type { RunResults } from '../contract/outcome.ts';
import type { OwnSettings } from '../contract/settings.ts';
import type { ToolScope } from '../contract/tool-scope.ts';
import type { ConversationSettings, Conversations, ViberRules } from '../conversations/conversations.ts';
import type { ModelChoices } from '../model/choices.ts';

/** The part that every run has, even one that a test creates by hand. */
export interface CoreRun {
  readonly scope: ToolScope;
}

export interface ToolRun extends CoreRun {
  readonly order: Order;
  readonly own: OwnSettings;
  /** Collects what belongs to the answer beside its text; absent in a run that a test creates by hand. */
  readonly made?: RunResults;
  /** Returns whether the settings of the viber, and of the agent that asked it, let the run use a tool. */
  mayUse(tool: string): boolean;
  readonly gw: ToolGateway;
}

/** Returns where the run was asked for; for tools that are only offered if that is known. */
export function addressOfRun({ order: { address } }: ToolRun): Address {
  if (!address) throw new Error('a tool for conversations was offered to a run outside of any');
  return address;
}

/** The parts of the gateway that tools may use. */
export interface ToolGateway {
  readonly models: { choices: ModelChoices };
  readonly places: { settings: ConversationSettings; vibers: ViberRules };
  readonly tasks: { conversations: Conversations };
  readonly people: { zones: Zones };
}
