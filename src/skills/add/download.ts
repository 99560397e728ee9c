/**
 * Downloads one file under the same rules as fetches (promise 53): only public addresses over https, except
 * `skills.webOrigins`.
 */
import { UserError } from '../../errors.ts';
import type { Resolve } from '../../lib/public-address.ts';
import { getPublic, type WebAnswer } from '../../lib/public-request.ts';
import { cleanName } from '../../lib/text.ts';
import { say } from '../../messages/messages.ts';

export interface Network {
  allowedOrigins: readonly string[];
  /** `skills.registry`, which provides packages. */
  registry: string;
  signal: AbortSignal;
  timeoutMs: number;
  /** Replaces the system's resolver. */
  resolve?: Resolve;
}

/** @throws UserError when it isn't there, not public, or larger than `maxBytes` */
export async function download(url: string, network: Network, maxBytes: number): Promise<Buffer> {
  const answer = await get(url, network, maxBytes);
  if (answer.status === 404 || answer.status === 410)
    throw new UserError(say('adding.notThere', { source: cleanName(url) }));
  if (answer.status !== 200)
    throw new UserError(say('adding.unreachable', { source: cleanName(url), why: `HTTP ${answer.status}` }));
  return answer.body;
}

async function get(url: string, network: Network, maxBytes: number): Promise<WebAnswer> {
  const { allowedOrigins, signal, timeoutMs, resolve } = network;
  try {
    return await getPublic(url, {
      allowedOrigins,
      signal,
      timeoutMs,
      ...(resolve ? { resolve } : {}),
      limit: () => maxBytes,
      // The request carries no data that could leak, and every address on the way is checked.
      mayFollow: async () => true,
    });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(say('adding.unreachable', { source: cleanName(url), why: error.message }), { cause: error });
  }
}
