/**
 * Decides which calls wait for a person's consent. Reads never do, unless they disclose something to others
 * (egress.ts). The rest follows the viber's mode: `ask` asks about everything that has an effect, `decide` about
 * effects outside the task, `execute` about nothing but what is always asked about. While a plan must be approved
 * first, only the plan itself may be worked on. The model isn't trusted to ask: the tools themselves wait.
 */

import { UserError } from '../../errors.ts';
import type { Consent, ConsentKey } from '../../workspace/types.ts';
import type { WorkingMode } from '../contract/settings.ts';
import type { RuntimeTool } from '../contract/task.ts';
import { callKind } from '../contract/task.ts';
import { shownInput } from '../reply/show.ts';
import { updatePlan } from '../tools/update-plan.ts';

export interface ConsentRules {
  mode: WorkingMode;
  always: readonly Consent[];
  /** A plan must be approved before anything else is done. */
  needsPlan: boolean;
  /** The skill that the run follows doesn't list this tool. */
  isBeyond?(tool: string): boolean;
  /** Absent: each call that discloses something to others waits. */
  asksToReach?(tool: RuntimeTool, input: unknown, callId: string): Promise<boolean>;
}

/** Nobody could check more characters before they consent. */
const MAX_SHOWN = 1_000_000;

export const PLAN_FIRST =
  'The plan must be approved before any work is done: look around if you need to, then call update_plan once with the whole plan. Nothing else with an effect works before.';

export function withConsent(tools: readonly RuntimeTool[], rules: ConsentRules): RuntimeTool[] {
  return tools.map((tool) => {
    if (rules.needsPlan && tool.name === updatePlan.name) return { ...tool, asksAfter: isWritten };
    if (tool.asksBefore || (tool.effect === 'read' && !tool.reaches)) return tool;
    if (tool.judges) return { ...tool, asksBefore: (input) => needsJudgedConsent(tool, input, rules) };
    if (rules.needsPlan && tool.effect !== 'read') return { ...tool, asksBefore: refuseWithoutPlan };
    if (tool.reaches) return { ...tool, asksBefore: (input, callId) => asksToReach(tool, input, rules, callId) };
    return { ...tool, asksBefore: (input) => needsConsent(tool, input, rules) };
  });
}

const isWritten: NonNullable<RuntimeTool['asksAfter']> = (result) =>
  typeof result === 'object' && result !== null && 'status' in result && result.status === 'written';

function refuseWithoutPlan(): never {
  throw new UserError('The plan must be approved first: call update_plan with the whole plan, and wait.');
}

async function asksToReach(
  tool: RuntimeTool,
  input: unknown,
  { always, asksToReach: asks }: ConsentRules,
  callId = '',
): Promise<boolean> {
  if (always.some(({ kind }) => kind === callKind(tool, input))) await tool.renewed?.();
  return asks?.(tool, input, callId) ?? true;
}

function needsConsent(
  tool: RuntimeTool,
  input: unknown,
  { mode, always, isBeyond }: ConsentRules,
): boolean | Promise<boolean> {
  if (tool.consent === 'never') return false;
  const isFree = mode === 'execute' && tool.consent !== 'always';
  if (isFree && !(isBeyond?.(tool.name) && hasEffectOutside(tool, input))) return false;
  if (mode === 'decide' && !hasEffectOutside(tool, input)) return false;
  const isAllowed = () =>
    isAmong(always, { tool: tool.name, kind: callKind(tool, input) }) || isAmong(always, tool.coveredBy?.(input));
  const asks = () => {
    if (isAllowed()) return false;
    mustBeShowable(tool, input);
    return true;
  };
  return tool.renewed && isAllowed() ? tool.renewed().then(asks) : asks();
}

const isAmong = (always: readonly Consent[], key: ConsentKey | undefined): boolean =>
  key !== undefined && always.some(({ tool, kind }) => tool === key.tool && kind === key.kind);

async function needsJudgedConsent(
  tool: RuntimeTool,
  input: unknown,
  { mode, always, needsPlan, isBeyond }: ConsentRules,
): Promise<boolean> {
  const { is = 'each', kinds = [] } = (await tool.judges?.(input)) ?? {};
  if (is === 'free') return false;
  if (needsPlan) refuseWithoutPlan();
  const isUsual = is === 'usual';
  if (isUsual && mode === 'execute' && !isBeyond?.(tool.name)) return false;
  const isCovered = kinds.length > 0 && kinds.every((kind) => isAmong(always, { tool: tool.name, kind }));
  if (isUsual && (isCovered || isAmong(always, tool.coveredBy?.(input)))) return false;
  mustBeShowable(tool, input);
  return true;
}

/** @throws UserError if the arguments are too large to be shown */
export function mustBeShowable(tool: RuntimeTool, input: unknown): void {
  const code = tool.codeFor?.(input) ?? '';
  if (shownInput(JSON.parse(JSON.stringify(input))).length + code.length > MAX_SHOWN)
    throw new UserError('This is too large to be shown to the person whose consent it needs: do it in smaller parts.');
}

function hasEffectOutside(tool: RuntimeTool, input: unknown): boolean {
  return tool.isOutside?.(input) ?? (tool.effect === 'external' || tool.consent !== undefined);
}
