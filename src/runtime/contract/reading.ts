/** Files as text: what is said in a recording, what stands in a document, and why the words of one cannot be had. */
import { UserError } from '../../errors.ts';
import type { MeteredRun } from './call-usage.ts';

/** A file of a task, or of the workspace. */
export interface ReadableFile {
  path: string;
  name: string;
  /** MIME type. */
  type: string;
  size: number;
  sha256: string;
  /** Of a recording, as the platform declares it. */
  seconds?: number | undefined;
  /** The platform's own words of a recording. */
  transcript?: string | undefined;
}

/** Where it belongs and who is charged for it. */
export interface ReadFor extends MeteredRun {
  signal: AbortSignal;
}

export interface FileText {
  /** Where the text lies, whole: UTF-8. */
  file: string;
  text: string;
  characters: number;
}

/** Why a recording was not written down: `unset`, nobody can; the others may mend themselves, or be mended by an owner. */
export type UnheardReason = 'unset' | 'busy' | 'key' | 'unreadable' | 'long' | 'empty';

/** A `page` is text already, of which most is markup: tools are given it as it is. */
export type FileKind = 'sound' | 'document' | 'page';

/** A file whose words cannot be had. The message is for the model, in one sentence; what people are told follows from the reason. */
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
