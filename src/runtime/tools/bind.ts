/** Turns tools, which are plain data, into the tools of one run. This happens nowhere else. */
import type { RunFacts, RuntimeTool, Tool } from '../contract/tool.ts';
import { holds } from '../contract/when.ts';
import { toPeople } from './offered.ts';

export const isOffered = ({ offered = toPeople }: Pick<Tool, 'offered'>, facts: RunFacts): boolean =>
  holds(offered, facts, facts);

/**
 * Returns the tool with `run` filled in.
 * @param description for the model, if it varies between runs
 */
export function bind<Run>(
  tool: Tool<unknown, Run>,
  run: Run,
  description: string = toolDescription(tool),
): RuntimeTool {
  const { isOutside, kindOf, asksBefore, reaches, settled, shows, asks, noteFor, codeFor, execute, ...facts } = tool;
  const consent = tool.consentIn?.(run) ?? tool.consent;
  return {
    ...facts,
    description,
    ...(consent && { consent }),
    ...(isOutside && { isOutside: (input: unknown) => isOutside(input, run) }),
    ...(kindOf && { kindOf: (input: unknown) => kindOf(input, run) }),
    ...(asksBefore && { asksBefore: (input: unknown, callId?: string) => asksBefore(input, run, callId) }),
    ...(reaches && { reaches: (input: unknown) => reaches(input, run) }),
    ...(settled && { settled: (input: unknown) => settled(input, run) }),
    ...(shows && { shows: (input: unknown) => shows(input, run) }),
    ...(asks && { asks: (input: unknown, phrasing: Parameters<typeof asks>[2]) => asks(input, run, phrasing) }),
    ...(noteFor && {
      noteFor: (input: unknown, messages: Parameters<typeof noteFor>[2]) => noteFor(input, run, messages),
    }),
    ...(codeFor && { codeFor: (input: unknown) => codeFor(input, run) }),
    execute: (input, options) => execute(input, run, options),
  };
}

const toolDescription = <Run>({ describe }: Tool<unknown, Run>): string =>
  typeof describe === 'string' ? describe : '';

/** Returns the tools offered to a run, with their descriptions for the model, in the order of the table. */
export async function offerTools<Run>(
  tools: readonly Tool<unknown, Run>[],
  run: Run,
  facts: RunFacts,
): Promise<RuntimeTool[]> {
  const offered = tools.filter((tool) => isOffered(tool, facts));
  const bound = offered.map(async (tool) => {
    const description = typeof tool.describe === 'string' ? tool.describe : await tool.describe(run);
    return description === undefined ? [] : [bind(tool, run, description)];
  });
  return (await Promise.all(bound)).flat();
}

/**
 * Creates state that a tool keeps for one run, between the question about a call and its execution. It doesn't outlive
 * the run.
 */
export function perRun<Run extends object, Kept>(make: (run: Run) => Kept): (run: Run) => Kept {
  const kept = new WeakMap<Run, Kept>();
  return (run) => {
    const known = kept.get(run) ?? make(run);
    kept.set(run, known);
    return known;
  };
}
