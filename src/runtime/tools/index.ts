/** Creates the tools of one run from the table and from skills and MCP servers. */
import { UserError } from '../../errors.ts';
import type { Json } from '../../workspace/types.ts';
import type { ResultCount } from '../contract/order.ts';
import type { RuntimeTool } from '../contract/task.ts';
import type { ToolScope } from '../contract/tool-scope.ts';
import { bind } from './bind.ts';
import { createTelling, tellFailure } from './result.ts';
import type { CoreRun } from './run.ts';
import { CORE_TOOLS } from './table.ts';

export type { PlanChange, ToolScope } from '../contract/tool-scope.ts';

function retell(error: unknown): Json {
  if (!(error instanceof UserError)) throw error;
  const words = tellFailure(error.message);
  throw words === error.message ? error : new UserError(words, { cause: error.cause });
}

const MAX_NAME = 64;

/** A tool of a server or a skill can't pass for one of the gateway's, whose rules and consents go by name. */
function apart(tools: readonly RuntimeTool[]): RuntimeTool[] {
  const taken = new Set<string>();
  return tools.map((tool) => {
    let name = tool.name;
    for (let n = 2; taken.has(name); n++) name = `${tool.name.slice(0, MAX_NAME - 4)}_${n}`;
    taken.add(name);
    return name === tool.name ? tool : { ...tool, name };
  });
}

/**
 * Bounds the length of results, and throws problems that a person or the model can fix as UserError.
 * @param told returns the characters of results so far, those before a restart included
 */
export function createTools(
  scope: ToolScope,
  others: readonly RuntimeTool[] = [],
  told: () => ResultCount = () => ({}),
): RuntimeTool[] {
  let tell: ReturnType<typeof createTelling> | undefined;
  const run: CoreRun = { scope };
  const replaced = new Set(others.flatMap(({ name, replaces }) => (replaces ? [name] : [])));
  const own = CORE_TOOLS.filter(({ name }) => !replaced.has(name)).map((tool) => bind(tool, run));
  return apart([...own, ...others]).map((tool) => ({
    ...tool,
    execute(input, options) {
      // Most runs call no tool. The parts of a run count on from here.
      tell ??= createTelling(told());
      return tool.execute(input, options).then(tell, retell);
    },
  }));
}
