/** Tools as data become tools of one run here, and nowhere else. */
import type { RunFacts, RuntimeTool, Tool } from '../contract/tool.ts';
import { toPeople } from './offered.ts';

export const isOffered = ({ offered = toPeople }: Pick<RuntimeTool, 'offered'>, facts: RunFacts): boolean =>
  offered(facts);

/** The tool with `run` filled in. @param description what the model is told of it, where that isn't always the same */
export function bind<Run>(tool: Tool<unknown, Run>, run: Run, description: string = wordsOf(tool)): RuntimeTool {
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

const wordsOf = <Run>({ describe }: Tool<unknown, Run>): string => (typeof describe === 'string' ? describe : '');

/** The tools that a run is offered, with what the model is told of each, in the order of the table. */
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

/** What a tool keeps of one run, between the question about a call and its work: nothing of it outlives the run. */
export function perRun<Run extends object, Kept>(make: (run: Run) => Kept): (run: Run) => Kept {
  const kept = new WeakMap<Run, Kept>();
  return (run) => {
    const known = kept.get(run) ?? make(run);
    kept.set(run, known);
    return known;
  };
}
