/** A result of the doctor's checks. */
import { ConfigError, errorMessage } from '../../errors.ts';

export interface Finding {
  /** The subject of the check, for example `home` or `slack`. */
  name: string;
  /** `note`: it works, but may not be what was intended. */
  state: 'ok' | 'note' | 'wrong';
  /** One sentence; for `wrong` it names what to change. */
  detail: string;
  isSetting?: boolean;
}

/** Returns one finding per problem of a ConfigError, else one finding. */
export function wrong(name: string, error: unknown): Finding[] {
  if (!(error instanceof ConfigError)) {
    return [{ name, state: 'wrong', detail: errorMessage(error).split('\n').join('; ') }];
  }
  return error.problems.map(({ path: key, message }) => {
    return { name, state: 'wrong', detail: key ? `${key}: ${message}` : message, isSetting: true };
  });
}
