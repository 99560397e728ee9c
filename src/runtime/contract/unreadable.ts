/** A file whose words cannot be had. The message is for the model, in one sentence; what people are told follows from the reason. */
import { UserError } from '../../errors.ts';
import type { UnheardReason } from './reading.ts';

export class Unreadable extends UserError {
  override name = 'Unreadable';
  readonly reason: UnheardReason;
  /** The setting that an owner may have to look at. */
  readonly setting: string | undefined;

  constructor(reason: UnheardReason, message: string, options: { setting?: string | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.reason = reason;
    this.setting = options.setting;
  }
}
