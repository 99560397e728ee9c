/**
 * Describes problems that only the operator can fix.
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
 */
import type { ConfigProblem } from '../../../errors.ts';
import { isFields } from '../../shared/read.ts';
import type { SessionEnd } from './session-types.ts';

const PORTAL = 'https://discord.com/developers/applications';

export function wrongToken(): ConfigProblem {
  return {
    path: 'channels.discord.token',
    message: `Discord does not accept this token; ${PORTAL}, the application, page "Bot", "Reset Token" gives a new one`,
  };
}

export function missingIntent(): ConfigProblem {
  return {
    path: 'channels.discord',
    message: `Discord withholds the text of messages from this bot: on ${PORTAL}, the application, page "Bot", switch on "Message Content Intent" (MESSAGE_CONTENT) under "Privileged Gateway Intents"`,
  };
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
