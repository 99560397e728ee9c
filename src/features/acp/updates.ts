/** Converts a run's events to updates of a session. Pure. */
import path from 'node:path';
import { isRecord } from '../../lib/json.ts';

type ToolKind = 'read' | 'edit' | 'delete' | 'search' | 'execute' | 'fetch' | 'other';

/** The first of these words that a tool's name contains decides. */
const KINDS: readonly [RegExp, ToolKind][] = [
  [/search|find|grep/, 'search'],
  [/fetch|web|browse/, 'fetch'],
  [/run|command|process|shell|skill/, 'execute'],
  [/delete|forget|remove/, 'delete'],
  [/write|edit|create|update|attach|remember/, 'edit'],
  [/read|list|show|open/, 'read'],
];

export const toolKind = (tool: string): ToolKind => KINDS.find(([pattern]) => pattern.test(tool))?.[1] ?? 'other';

export const textBlock = (text: string) => ({ type: 'text', text });

export const messageChunk = (who: 'user' | 'agent', text: string) => ({
  sessionUpdate: `${who}_message_chunk`,
  content: textBlock(text),
});

export interface CalledTool {
  id: string;
  tool: string;
  args: unknown;
}

/** @param folder the project. Without one, paths are the viber's own, which the editor can't open */
export function callStarted({ id, tool, args }: CalledTool, folder: string | undefined): object {
  const file = folder === undefined ? undefined : fileOfCall(args, folder);
  const diffs = file === undefined ? [] : diffsOf(args, file);
  return {
    sessionUpdate: 'tool_call',
    toolCallId: id,
    title: titleFor(tool, args),
    kind: toolKind(tool),
    status: 'in_progress',
    rawInput: args,
    ...(file !== undefined && { locations: [{ path: file }] }),
    ...(diffs.length > 0 && { content: diffs }),
  };
}

export const callEnded = (id: string, result: unknown): object => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: id,
  status: isRecord(result) && 'error' in result ? 'failed' : 'completed',
  rawOutput: result,
});

const MAX_ABOUT = 80;

/** Returns, for example, `read file: src/a.ts`. */
function titleFor(tool: string, args: unknown): string {
  const name = tool.replace(/[_-]+/g, ' ');
  const about = isRecord(args)
    ? ['path', 'command', 'pattern', 'query', 'url', 'title', 'name'].map((key) => args[key]).find(isFilledText)
    : undefined;
  return about === undefined ? name : `${name}: ${about.replace(/\s+/g, ' ').slice(0, MAX_ABOUT)}`;
}

const isFilledText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function fileOfCall(args: unknown, folder: string): string | undefined {
  return isRecord(args) && isFilledText(args.path) ? path.resolve(folder, args.path) : undefined;
}

function diffsOf(args: unknown, file: string): object[] {
  if (!isRecord(args) || !Array.isArray(args.edits)) return [];
  return args.edits.flatMap((edit: unknown) =>
    isRecord(edit) && typeof edit.old === 'string' && typeof edit.new === 'string'
      ? [{ type: 'diff', path: file, oldText: edit.old, newText: edit.new }]
      : [],
  );
}

const STATUSES: Readonly<Record<string, string>> = {
  done: 'completed',
  skipped: 'completed',
  in_progress: 'in_progress',
};

export const planUpdate = (steps: readonly { title: string; status: string }[]): object => ({
  sessionUpdate: 'plan',
  entries: steps.map(({ title, status }) => ({
    content: title,
    priority: 'medium',
    status: STATUSES[status] ?? 'pending',
  })),
});
