/** The tools of one run, made of the table and of what comes and goes: skills, and servers of tools. */
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

/** Each by a name of its own: none of a server or a skill passes for one of the gateway's, whose rules and consents are by name. */
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
 * The tools of one run. What a person or the model can fix is thrown as UserError. The length of all that they say is bounded here.
 * @param told characters of results that the run has had before a restart
 */
export function createTools(
  scope: ToolScope,
  others: readonly RuntimeTool[] = [],
  told: () => number = () => 0,
): RuntimeTool[] {
  let tell: ReturnType<typeof createTelling> | undefined;
  const toModel = (value: Json): Json => {
    // Most runs call nothing.
    tell ??= createTelling(told());
    return tell(value);
  };
  const run: CoreRun = { scope };
  return apart([...CORE_TOOLS.map((tool) => bind(tool, run)), ...others]).map((tool) => ({
    ...tool,
    execute: (input, options) => tool.execute(input, options).then(toModel, retell),
  }));
}
