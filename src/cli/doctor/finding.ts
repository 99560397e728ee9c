/** What the doctor says of one thing it looked at. */
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

/** What stands before it. */
export const SIGNS: Readonly<Record<Finding['state'], string>> = { ok: '✓', note: '!', wrong: '✗' };
