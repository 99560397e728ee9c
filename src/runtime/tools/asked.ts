/** An agent that was asked never gets more rights than the agent that asked. */
import type { AgentStreamEvent } from '../../channels/channel.ts';
import type { DelegationRules } from '../contract/order.ts';
import type { OwnSettings, WorkingMode } from '../contract/settings.ts';
import { toolNamed } from './table.ts';

const MODES: readonly WorkingMode[] = ['ask', 'decide', 'execute'];

/** Returns the mode that requires more consent. */
export const strictest = (own: WorkingMode, other: WorkingMode = own): WorkingMode =>
  MODES.find((mode) => mode === own || mode === other) ?? own;

/** Returns whether a tool is offered: through `tools`, or through `skills` if it is a skill or reads them. */
export const mayUse =
  (own: OwnSettings, asked: DelegationRules | undefined) =>
  ({ name }: { name: string }): boolean => {
    const isSkills =
      own.skills?.includes(name) === true || (toolNamed(name)?.ofSkills === true && (own.skills?.length ?? 0) > 0);
    return (own.tools?.includes(name) !== false || isSkills) && asked?.may?.(name) !== false;
  };

/** People follow the outermost run; an asked agent's text and end stay its own. */
export function shownAs(event: AgentStreamEvent, asked: DelegationRules): AgentStreamEvent {
  const isInner = event.type === 'text-delta' || (event.type === 'state-change' && event.state === 'idle');
  return !isInner ? { ...event, runId: asked.root } : event;
}
