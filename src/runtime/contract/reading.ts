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
  /** The length of a recording, as the platform declares it. */
  seconds?: number | undefined;
  /** The platform's own transcript of a recording. */
  transcript?: string | undefined;
}

/** The run that a file is read for, and who is charged for it. */
export interface ReadFor extends MeteredRun {
  signal: AbortSignal;
}

export interface FileText {
  /** The path of the whole text, UTF-8. */
  file: string;
  text: string;
  characters: number;
}

/**
 * Why a recording wasn't transcribed. `unset`: no service is configured. The other reasons may pass by themselves, or
 * an owner can fix them.
 */
export type UnheardReason = 'unset' | 'busy' | 'key' | 'unreadable' | 'long' | 'empty';

/** `page` is text already but mostly markup, so tools get it unchanged. */
export type FileKind = 'sound' | 'document' | 'page';

/**
 * Thrown if a file's words can't be read. The message is one sentence for the model; what people see depends on the
 * reason.
 */
export class Unreadable extends UserError {
  override name = 'Unreadable';
  readonly reason: UnheardReason;
  /** The setting that an owner may have to check. */
  readonly setting: string | undefined;

  constructor(reason: UnheardReason, message: string, options: { setting?: string | undefined; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.reason = reason;
    this.setting = options.setting;
  }
}
