/** What the doctor says of one thing that it looked at. */
import { ConfigError, errorMessage } from '../../errors.ts';

export interface Finding {
  /** What was looked at: `home`, `slack`. */
  name: string;
  /** `note`: it works, and may not be what was meant. */
  state: 'ok' | 'note' | 'wrong';
  /** One sentence; for `wrong` it names what to change. */
  detail: string;
  /** Wrong because of a setting. */
  isSetting?: boolean;
}

/** One finding for each problem of a ConfigError, else one. */
export function wrong(name: string, error: unknown): Finding[] {
  if (!(error instanceof ConfigError)) {
    return [{ name, state: 'wrong', detail: errorMessage(error).split('\n').join('; ') }];
  }
  return error.problems.map(({ path: key, message }) => {
    return { name, state: 'wrong', detail: key ? `${key}: ${message}` : message, isSetting: true };
  });
}
