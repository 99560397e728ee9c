/** The signs of findings. */
import type { Finding } from '../../runtime/contract/finding.ts';

export {
  awayFix,
  type Finding,
  inEnglish,
  isAway,
  says,
  settingAtFault,
  wrong,
} from '../../runtime/contract/finding.ts';

export const SIGNS: Readonly<Record<Finding['state'], string>> = { ok: '✓', note: '!', wrong: '✗' };
