/** How findings are shown. */
import type { Finding } from '../../runtime/contract/finding.ts';

export { type Finding, wrong } from '../../runtime/contract/finding.ts';

/** What stands before it. */
export const SIGNS: Readonly<Record<Finding['state'], string>> = { ok: '✓', note: '!', wrong: '✗' };

/** Nobody was reached: what was asked is neither wrong nor right. */
const AWAY =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|UND_ERR_CONNECT|cannot be reached|cannot connect|fetch failed|timed out/i;

export const isAway = (detail: string): boolean => AWAY.test(detail);

/** What to do where nobody was reached. */
export function awayFix(detail: string): string {
  const isName = /ENOTFOUND|EAI_AGAIN/.test(detail);
  return isName
    ? 'This machine can’t look that name up: check its network and DNS (behind a proxy, set HTTPS_PROXY), then try again.'
    : 'This machine can’t reach it: check its network (behind a proxy, set HTTPS_PROXY), then try again.';
}
