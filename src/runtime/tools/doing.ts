/**
 * Describes what a tool does, for people. Only the model uses our tools' names; a tool of a skill or a server is called
 * by its name. Arguments come from the model: they are shortened and mention nobody.
 */
import path from 'node:path';
import { scrub } from '../../log.ts';
import { type Messages, say, type Wording } from '../../messages/messages.ts';
import type { Answer } from '../contract/outcome.ts';
import { RunError } from '../contract/run-error.ts';
import { interrupted } from '../reply/failure.ts';
import { toolNamed } from './table.ts';

/** A model may write anything as a name. */
const TOOL_NAME = /^[a-z][\w-]{0,63}$/i;
const UNTIDY = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;
/** Characters that are invisible or reverse the writing direction, and `@`. */
const UNSEEN = /[\p{Cf}@]/gu;
const MAX_WORDS = 50;

/** Returns, for example, `writing a file`, or with arguments `writing notes.md`. */
export function doingWith(name: string, args?: unknown): Wording {
  const tool = toolNamed(name);
  if (!tool) return TOOL_NAME.test(name) ? say('doing.using', { what: name.replaceAll('_', ' ') }) : say('doing.aTool');
  const what = tool.about ? argumentOf(args, tool.about.argument) : '';
  return what === '' || !tool.about ? { key: tool.doing, values: {} } : { key: tool.about.doing, values: { what } };
}

/** The model didn't recover from these failures; people read about the last one. */
export function toolFailed(tools: readonly string[]): RunError {
  const detail = `failed tools: ${[...new Set(tools)].join(', ')}`;
  return new RunError('tool', say('failures.toolFailed', { doing: doingWith(tools.at(-1) ?? '') }), { detail });
}

/** A crash interrupted a call with side effects, which isn't repeated. */
export function interruptedWhile(tool: string, messages: Messages): Answer {
  const text = messages.text('failures.interruptedWhile', { doing: doingWith(tool) });
  const button = {
    label: messages.text('common.continue'),
    say: `Please continue. Check first whether ${tool} took effect.`,
  };
  return interrupted(text, button);
}

function argumentOf(args: unknown, key: string): string {
  const fields: Record<string, unknown> = typeof args === 'object' && args !== null ? { ...args } : {};
  const value = fields[key];
  if (typeof value !== 'string') return '';
  const line = scrubLine(value);
  // The folder of a file is private.
  return key === 'path' || key === 'file' ? path.posix.basename(line.replaceAll('\\', '/')) : line;
}

export function scrubLine(text: string): string {
  const line = scrub(text.slice(0, 1000).toWellFormed()).replace(UNTIDY, ' ').replace(UNSEEN, '').trim();
  return line.length <= MAX_WORDS
    ? line
    : `${line
        .slice(0, MAX_WORDS - 1)
        .toWellFormed()
        .trimEnd()}…`;
}
