/** A result of the doctor's checks, and the advice when a server can't be reached. */
import { ConfigError, errorMessage, problemSaid, UserError } from '../../errors.ts';
import { within } from '../../lib/within.ts';
import { type MessageKey, messagesIn, say, type Wording } from '../../messages/messages.ts';

export interface Finding {
  /** Such as `home` or `slack`. */
  name: string;
  /** `note`: it works, but may not be what was intended. */
  state: 'ok' | 'note' | 'wrong';
  /** One sentence; for `wrong` it names what to change. */
  detail: Wording | string;
  isSetting?: boolean;
  why?: FailedCheck;
}

/** Why a check failed, where that decides the advice. `told`: its sentence says what to do. */
export type FailedCheck = 'away' | 'unknown-host' | 'key' | 'told';

/** Thrown by a check that knows why it failed. */
export class CheckError extends UserError {
  readonly why: FailedCheck | undefined;
  constructor(said: Wording, options: ErrorOptions & { why: FailedCheck | undefined }) {
    super(said, options);
    this.why = options.why;
  }
}

export function wrong(name: string, error: unknown): Finding[] {
  if (!(error instanceof ConfigError)) {
    const detail = error instanceof UserError ? error.said : errorMessage(error).split('\n').join('; ');
    return [{ name, state: 'wrong', detail, ...(error instanceof CheckError && error.why && { why: error.why }) }];
  }
  return error.problems.map((problem) => {
    const detail = problemSaid(problem);
    return problem.isWarning ? { name, state: 'note', detail } : { name, state: 'wrong', detail, isSetting: true };
  });
}

export async function attempt(
  name: string,
  limitMs: number,
  work: () => Promise<readonly (Wording | string)[]>,
): Promise<Finding[]> {
  try {
    const details = await within(work(), limitMs, () => {
      throw new UserError(say('doctor.late', { n: limitMs / 1000 }));
    });
    return details.map((detail) => ({ name, state: 'ok', detail }));
  } catch (error) {
    return wrong(name, error);
  }
}

/** Errors that mean the other side was not reached, so the setting may still be right. */
const AWAY =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|UND_ERR_CONNECT|can(?:no|')t (?:be reached|connect)|fetch failed|timed out/i;

/** Whether it is this message, or has it within. */
export const says = (detail: Finding['detail'], key: MessageKey): boolean =>
  typeof detail === 'object' &&
  (detail.key === key ||
    Object.values(detail.values).some((value) => typeof value === 'object' && 'key' in value && says(value, key)));

/** Returns the setting that a problem of the configuration names. */
export const settingAtFault = (detail: Finding['detail']): string | undefined =>
  typeof detail === 'object' && detail.key === 'doctor.setting' ? String(detail.values.path) : undefined;

/** Errors of libraries and of Node are in English. */
export const inEnglish = (detail: Finding['detail']): string => messagesIn('en').said(detail);

export const isAway = (detail: Finding['detail']): boolean => AWAY.test(inEnglish(detail));

export const awayFix = (detail: Finding['detail']): Wording =>
  reachFix(/ENOTFOUND|EAI_AGAIN/.test(inEnglish(detail)) ? 'unknown-host' : 'away');

export const reachFix = (why: 'unknown-host' | 'away'): Wording =>
  say(why === 'unknown-host' ? 'doctor.lookUp' : 'doctor.reach');
