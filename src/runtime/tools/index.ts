/** Creates the tools of one run from the table and from skills and MCP servers. */
import { UserError } from '../../errors.ts';
import type { Json } from '../../workspace/types.ts';
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

/**
 * Gives each tool a unique name: a tool of a server or a skill cannot pass for one of the gateway's, whose rules and
 * consents go by name.
 */
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
 * Returns the tools of one run. They throw problems that a person or the model can fix as UserError. This function also
 * bounds the length of their results.
 * @param told the characters of results that the run received before a restart
 */
export function createTools(
  scope: ToolScope,
  others: readonly RuntimeTool[] = [],
  told: () => number = () => 0,
): RuntimeTool[] {
  let tell: ReturnType<typeof createTelling> | undefined;
  const toModel = (value: Json): Json => {
    // Most runs call no tool.
    tell ??= createTelling(told());
    return tell(value);
  };
  const run: CoreRun = { scope };
  return apart([...CORE_TOOLS.map((tool) => bind(tool, run)), ...others]).map((tool) => ({
    ...tool,
    execute: (input, options) => tool.execute(input, options).then(toModel, retell),
  }));
}
