/** The signs of findings, and the advice when a server can't be reached. */
import type { Finding } from '../../runtime/contract/finding.ts';

export { type Finding, wrong } from '../../runtime/contract/finding.ts';

export const SIGNS: Readonly<Record<Finding['state'], string>> = { ok: '✓', note: '!', wrong: '✗' };

/** Errors that mean the other side was not reached, so the setting may still be right. */
const AWAY =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|UND_ERR_CONNECT|cannot be reached|cannot connect|fetch failed|timed out/i;

export const isAway = (detail: string): boolean => AWAY.test(detail);

/** Returns what to do if the other side was not reached. */
export function awayFix(detail: string): string {
  const isName = /ENOTFOUND|EAI_AGAIN/.test(detail);
  return isName
    ? 'This machine can’t look that name up: check its network and DNS (behind a proxy, set HTTPS_PROXY), then try again.'
    : 'This machine can’t reach it: check its network (behind a proxy, set HTTPS_PROXY), then try again.';
}
