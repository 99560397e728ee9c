/** The error for a value of a front matter that doesn't fit its schema. */
import type { ZodError } from 'zod';
import { UserError } from '../errors.ts';
import { expectationOf } from '../messages/expects.ts';
import { say } from '../messages/messages.ts';

/** @param above the keys that lead to what was checked */
export function invalidKey({ issues: [issue] }: ZodError, ...above: string[]): UserError {
  const name = [...above, ...(issue?.path ?? [])].join('.');
  return new UserError(say('common.about', { name, what: expectationOf(issue?.message ?? '') }));
}
