/**
 * Tracks the skills that a run has read, with the tools that they allow (`allowed-tools`). A tool that isn't on a list
 * and has an effect outside the task requires consent in every mode; a tool on a list gains nothing, so that no bundle
 * grants itself rights.
 */
import { isJsonRecord } from '../../lib/json.ts';
import { allTools } from '../../runtime/tools/table.ts';
import type { SessionEntry } from '../../workspace/types.ts';
import type { FollowedSkills } from './tools/run.ts';

/** Other agents' names for tools, mapped to our kind of tool (`like` of a tool). */
const SAME: Readonly<Record<string, string>> = {
  edit: 'write',
  multiedit: 'write',
  create: 'write',
  writefile: 'write',
  filewriter: 'write',
  terminal: 'bash',
  exec: 'bash',
  execute: 'bash',
  shell: 'bash',
  sh: 'bash',
  python: 'bash',
  code: 'bash',
  runcommand: 'bash',
  executecode: 'bash',
  process: 'bash',
  fetch: 'webfetch',
  http: 'webfetch',
  websearchtool: 'websearch',
  search: 'websearch',
  agent: 'task',
};

/** @param skills those that an earlier process has read in this run */
export function followSkills(skills: readonly { allowedTools?: string[] }[]): FollowedSkills {
  const lists: ReadonlySet<string>[] = [];
  const add = ({ allowedTools }: { allowedTools?: string[] }) => {
    if (allowedTools) lists.push(new Set(allowedTools.flatMap(ours)));
  };
  skills.forEach(add);
  return { add, isBeyond: (tool) => lists.some((names) => !names.has(tool)) };
}

/**
 * Returns our tools that a name refers to, including the name itself; elsewhere, tools of MCP servers are called
 * `mcp__SERVER__TOOL`.
 */
function ours(name: string): string[] {
  const plain = name.toLowerCase().replace(/[^a-z]/g, '');
  const key = Object.hasOwn(SAME, plain) ? SAME[plain] : plain;
  const known = allTools().flatMap((tool) => (tool.like === key && key !== undefined ? [tool.name] : []));
  return [name, ...known, name.replace(/^mcp__(.+?)__(.+)$/, '$1_$2')];
}

/** Returns the `name` arguments of one tool's calls in the steps of a run. */
export function namesGivenTo(tool: string, entries: readonly SessionEntry[]): string[] {
  const parts = entries
    .flatMap((entry) => (entry.type === 'step' ? entry.messages : []))
    .flatMap((message) => (isJsonRecord(message) && Array.isArray(message.content) ? message.content : []))
    .filter(isJsonRecord);
  return parts.flatMap(({ type, toolName, input }) =>
    type === 'tool-call' && toolName === tool && isJsonRecord(input) && typeof input.name === 'string'
      ? [input.name]
      : [],
  );
}
