/**
 * Describes problems that only the operator can fix.
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
 */
import { type ConfigProblem, problemWith } from '../../../errors.ts';
import { say } from '../../../messages/messages.ts';
import { isFields } from '../../shared/read.ts';
import type { SessionEnd } from './session.ts';

const PORTAL = 'https://discord.com/developers/applications';

export function wrongToken(): ConfigProblem {
  return problemWith('channels.discord.token', say('checks.discordToken', { page: PORTAL }));
}

export function missingIntent(): ConfigProblem {
  return problemWith('channels.discord', say('checks.discordIntent', { page: PORTAL }));
}

/** Returns undefined for a problem that may be temporary. */
export function configProblem({ closeCode, error, detail }: SessionEnd): ConfigProblem | undefined {
  if (closeCode === 4014) return missingIntent();
  if (closeCode === 4004 || (isFields(error) && error.status === 401)) return wrongToken();
  if (closeCode !== undefined) return { path: 'channels.discord', message: detail };
  return undefined;
}

const MESSAGE_CONTENT = (1 << 18) | (1 << 19);

/**
 * Returns whether the application's `flags` include message content.
 * https://discord.com/developers/docs/resources/application#application-object-application-flags
 */
export function mayReadContent(flags: number): boolean {
  return (flags & MESSAGE_CONTENT) !== 0;
}
