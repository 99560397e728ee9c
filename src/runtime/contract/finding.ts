/** A result of the doctor's checks. */
import { ConfigError, errorMessage, UserError } from '../../errors.ts';
import { say, type Wording } from '../../messages/messages.ts';

export interface Finding {
  /** The subject of the check, for example `home` or `slack`. */
  name: string;
  /** `note`: it works, but may not be what was intended. */
  state: 'ok' | 'note' | 'wrong';
  /** One sentence; for `wrong` it names what to change. */
  detail: Wording | string;
  isSetting?: boolean;
}

/** Returns one finding per problem of a ConfigError, else one finding. */
export function wrong(name: string, error: unknown): Finding[] {
  if (!(error instanceof ConfigError)) {
    const detail = error instanceof UserError ? error.said : errorMessage(error).split('\n').join('; ');
    return [{ name, state: 'wrong', detail }];
  }
  return error.problems.map(({ path: key, message, said: what = message }) => {
    return { name, state: 'wrong', detail: key ? say('doctor.setting', { path: key, what }) : what, isSetting: true };
  });
}
