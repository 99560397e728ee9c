/** Turns tools, which are plain data, into the tools of one run. This happens nowhere else. */
import type { RunFacts, RuntimeTool, Tool } from '../contract/tool.ts';
import { holds } from '../contract/when.ts';
import { toPeople } from './offered.ts';

export const isOffered = ({ offered = toPeople }: { offered?: Tool['offered'] }, facts: RunFacts): boolean =>
  holds(offered, facts, facts);

/** @param description for the model, if it varies between runs */
export function bind<Run>(
  tool: Tool<unknown, Run>,
  run: Run,
  description = typeof tool.describe === 'string' ? tool.describe : '',
): RuntimeTool {
  const {
    judges,
    coveredBy,
    asksTogether,
    isOutside,
    kindOf,
    asksBefore,
    reaches,
    settled,
    shows,
    asks,
    noteFor,
    codeFor,
    execute,
    ...facts
  } = tool;
  const consent = tool.consentIn?.(run) ?? tool.consent;
  return {
    ...facts,
    description,
    ...(consent && { consent }),
    ...(judges && { judges: (input: unknown) => judges(input, run) }),
    ...(coveredBy && { coveredBy: (input: unknown) => coveredBy(input, run) }),
    ...(asksTogether && {
      asksTogether: (inputs: readonly unknown[], phrasing: Parameters<typeof asksTogether>[2]) =>
        asksTogether(inputs, run, phrasing),
    }),
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

async function bindDescribed<Run>(
  tool: Tool<unknown, Run>,
  describing: string | undefined | Promise<string | undefined>,
  run: Run,
): Promise<RuntimeTool[]> {
  const description = await describing;
  return description === undefined ? [] : [bind(tool, run, description)];
}

/** Keeps the order of the table. */
export async function offerTools<Run>(
  tools: readonly Tool<unknown, Run>[],
  run: Run,
  facts: RunFacts,
): Promise<RuntimeTool[]> {
  const offered = tools.filter((tool) => isOffered(tool, facts));
  const bound = offered.map((tool) =>
    typeof tool.describe === 'string' ? bind(tool, run) : bindDescribed(tool, tool.describe(run), run),
  );
  return (await Promise.all(bound)).flat();
}

/** Returns a function that keeps a tool's state for one run, from the question about a call to its execution. */
export function perRun<Run extends object, Kept>(make: (run: Run) => Kept): (run: Run) => Kept {
  const kept = new WeakMap<Run, Kept>();
  return (run) => {
    const known = kept.get(run) ?? make(run);
    kept.set(run, known);
    return known;
  };
}
