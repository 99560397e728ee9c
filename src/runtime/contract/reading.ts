/** Files as text: the words of a recording or a document, and why they can't be read. */
import { UserError } from '../../errors.ts';
import type { MeteredRun } from './call-usage.ts';

export interface ReadableFile {
  path: string;
  name: string;
  /** MIME type. */
  type: string;
  size: number;
  sha256: string;
  /** As the platform declares it. */
  seconds?: number | undefined;
  transcript?: string | undefined;
}

export interface ReadFor extends MeteredRun {
  signal: AbortSignal;
}

export interface FileText {
  file: string;
  text: string;
  characters: number;
}

/** `unset`: no service is configured. The others may pass, or an owner can fix them. */
export type UnheardReason = 'unset' | 'busy' | 'key' | 'unreadable' | 'long' | 'empty';

/** `page` is text already but mostly markup, so tools get it unchanged. */
export type FileKind = 'sound' | 'document' | 'page';

/** The message is one sentence for the model; what people see depends on the reason. */
export class Unreadable extends UserError {
  override name = 'Unreadable';
  readonly reason: UnheardReason;
  readonly setting: string | undefined;

  constructor(reason: UnheardReason, message: string, options: { setting?: string | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.reason = reason;
    this.setting = options.setting;
  }
}
