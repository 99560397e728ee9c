/** The signs of findings, and the advice when a server can't be reached. */
import { messagesIn, say, type Wording } from '../../messages/messages.ts';
import type { Finding } from '../../runtime/contract/finding.ts';

export { type Finding, wrong } from '../../runtime/contract/finding.ts';

export const SIGNS: Readonly<Record<Finding['state'], string>> = { ok: '✓', note: '!', wrong: '✗' };

/** Errors that mean the other side was not reached, so the setting may still be right. */
const AWAY =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|UND_ERR_CONNECT|cannot be reached|cannot connect|fetch failed|timed out/i;

/** Findings are told apart by their English text. */
export const inEnglish = (detail: Finding['detail']): string => messagesIn('en').said(detail);

export const isAway = (detail: Finding['detail']): boolean => AWAY.test(inEnglish(detail));

/** Returns what to do if the other side was not reached. */
export const awayFix = (detail: Finding['detail']): Wording =>
  say(/ENOTFOUND|EAI_AGAIN/.test(inEnglish(detail)) ? 'doctor.lookUp' : 'doctor.reach');
