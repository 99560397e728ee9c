/**
 * Decides what an agent that was asked may do and how it is shown: it never gets more rights than the agent that asked.
 */
import type { AgentStreamEvent } from '../../channels/channel.ts';
import type { DelegationRules } from '../contract/order.ts';
import type { OwnSettings, WorkingMode } from '../contract/settings.ts';
import { toolNamed } from './table.ts';

const MODES: readonly WorkingMode[] = ['ask', 'decide', 'execute'];

/** Returns the mode that requires more consent. */
export const strictest = (own: WorkingMode, other: WorkingMode = own): WorkingMode =>
  MODES.find((mode) => mode === own || mode === other) ?? own;

/** Returns whether the settings offer a tool: through `tools`, or through `skills` if it is one or reads them. */
export const mayUse =
  (own: OwnSettings, asked: DelegationRules | undefined) =>
  ({ name }: { name: string }): boolean => {
    const isSkills =
      own.skills?.includes(name) === true || (toolNamed(name)?.ofSkills === true && (own.skills?.length ?? 0) > 0);
    return (own.tools?.includes(name) !== false || isSkills) && asked?.may?.(name) !== false;
  };

/** Assigns an asked agent's progress to the outermost run, which people follow; its text and its end stay its own. */
export function shownAs(event: AgentStreamEvent, asked: DelegationRules): AgentStreamEvent {
  const isInner = event.type === 'text-delta' || (event.type === 'state-change' && event.state === 'idle');
  return !isInner ? { ...event, runId: asked.root } : event;
}
