/**
 * The skills that a run has read, with the tools that they want used (`allowed-tools`). What their list does not name, with an effect outside
 * the task, waits for a person in every mode; what it names gains nothing by that: no bundle gives itself a right.
 */
import { isJsonRecord } from '../../../lib/json.ts';
import type { Skill } from '../../../skills/skill.ts';
import type { SessionEntry } from '../../../workspace/types.ts';
import { allTools } from '../table.ts';
import type { Followed } from './run.ts';

/** What other agents call tools, by the kind of ours that it is (`like` of a tool). */
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
export function followSkills(skills: readonly Pick<Skill, 'allowedTools'>[]): Followed {
  const lists: ReadonlySet<string>[] = [];
  const add = ({ allowedTools }: Pick<Skill, 'allowedTools'>) => {
    if (allowedTools) lists.push(new Set(allowedTools.flatMap(ours)));
  };
  skills.forEach(add);
  return { add, isBeyond: (tool) => lists.some((names) => !names.has(tool)) };
}

/** The tools of ours that a name stands for, itself included; servers' tools are called `mcp__SERVER__TOOL` elsewhere. */
function ours(name: string): string[] {
  const plain = name.toLowerCase().replace(/[^a-z]/g, '');
  const key = Object.hasOwn(SAME, plain) ? SAME[plain] : plain;
  const known = allTools().flatMap((tool) => (tool.like === key && key !== undefined ? [tool.name] : []));
  return [name, ...known, name.replace(/^mcp__(.+?)__(.+)$/, '$1_$2')];
}

/** The names that calls of one tool gave, in the steps of a run. */
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
