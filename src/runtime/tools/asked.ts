/** What an agent that was asked may do, and how it is seen: never more than whoever asked it. */
import type { AgentStreamEvent } from '../../channels/channel.ts';
import type { Asked } from '../contract/order.ts';
import type { OwnSettings, WorkingMode } from '../contract/settings.ts';
import type { RuntimeTool } from '../contract/task.ts';

/** The plan is the asking side's, and what is remembered is for it to decide. */
const WITHHELD: readonly string[] = ['update_plan', 'remember'];

/** Go with skills, whatever these are. */
const OF_SKILLS: readonly string[] = ['read_skill', 'run_skill_file', 'find_skill'];

const MODES: readonly WorkingMode[] = ['ask', 'decide', 'execute'];

/** The one that asks for more consent. */
export const strictest = (own: WorkingMode, other: WorkingMode = own): WorkingMode =>
  MODES.find((mode) => mode === own || mode === other) ?? own;

/** Whether settings offer a tool: by `tools`, or by `skills` when it is one of them, or what reads them. */
export const mayUse =
  (own: OwnSettings, asked: Asked | undefined) =>
  ({ name }: Pick<RuntimeTool, 'name'>): boolean => {
    const isSkills = own.skills?.includes(name) === true || (OF_SKILLS.includes(name) && (own.skills?.length ?? 0) > 0);
    return (own.tools?.includes(name) !== false || isSkills) && asked?.may?.(name) !== false;
  };

/** The tools of an agent that was asked. */
export function forAsked(tools: readonly RuntimeTool[], { isAlone }: Asked): RuntimeTool[] {
  return tools.filter(({ name }) => !WITHHELD.includes(name) && !(isAlone && name === 'ask_user'));
}

/** Its progress belongs to the outermost run, which people follow; its words and its end are its own. */
export function shownAs(event: AgentStreamEvent, asked: Asked | undefined): AgentStreamEvent {
  const isInner = event.type === 'text-delta' || (event.type === 'state-change' && event.state === 'idle');
  return asked && !isInner ? { ...event, runId: asked.root } : event;
}
