/**
 * A text that may be edited here and by hand at the same time. Invariants: a save is based on the current version, or
 * else both versions are shown and a person decides; neither is lost, whatever they choose.
 */
import { computed, signal } from '@preact/signals';
import { ApiError } from '../net/api.ts';
import { showNotice, showProblem } from '../parts/notices.tsx';
import { words } from '../words.ts';
import { pageWords } from '../words-pages.ts';
import { mergeTexts } from './merge.ts';

export interface SavedText {
  text: string;
  hash: string;
}

export type Load = () => Promise<SavedText>;
/** Returns the new hash; throws ApiError 409 with `current` if the base is outdated. */
export type Save = (text: string, baseHash: string) => Promise<{ hash?: string }>;

export class EditedText {
  /** The version that the draft is based on. */
  readonly base = signal<SavedText | undefined>(undefined);
  readonly draft = signal('');
  /** Increases when text is put into the editor other than by typing. */
  readonly version = signal(0);
  readonly theirs = signal<SavedText | undefined>(undefined);
  readonly problem = signal<unknown>(undefined);
  readonly isSaving = signal(false);
  readonly isDirty = computed(() => this.base.value !== undefined && this.draft.value !== this.base.value.text);
  load: Load;
  save: Save;
  onSaved: (() => void) | undefined;

  constructor(load: Load, save: Save) {
    this.load = load;
    this.save = save;
  }

  #put(text: string): void {
    this.draft.value = text;
    this.version.value += 1;
  }

  take(found: SavedText): void {
    this.base.value = found;
    this.#put(found.text);
    this.theirs.value = undefined;
  }

  revert(): void {
    this.#put(this.base.peek()?.text ?? '');
  }

  async look(): Promise<void> {
    try {
      const found = await this.load();
      this.problem.value = undefined;
      this.#compare(found);
    } catch (error) {
      // The next look may succeed if there is a text in the editor.
      if (this.base.peek() === undefined) this.problem.value = error;
    }
  }

  #compare(found: SavedText): void {
    const before = this.base.peek();
    const draft = this.draft.peek();
    if (before === undefined) this.take(found);
    else if (found.hash === before.hash || this.isSaving.peek()) return;
    else if (draft === before.text || draft === found.text) this.take(found);
    else this.theirs.value = found;
  }

  /** Saves the draft, unless it is unchanged or a conflict is unresolved. */
  async keep(): Promise<void> {
    const from = this.base.peek();
    if (from !== undefined && this.draft.peek() !== from.text && this.theirs.peek() === undefined)
      await this.#write(this.draft.peek(), from.hash);
  }

  async replace(found: SavedText): Promise<void> {
    this.base.value = found;
    this.theirs.value = undefined;
    await this.#write(this.draft.peek(), found.hash);
  }

  merge(found: SavedText): void {
    const labels = { mine: pageWords.conflict.mine, theirs: pageWords.conflict.theirs };
    const merged = mergeTexts(this.draft.peek(), this.base.peek()?.text ?? '', found.text, labels);
    this.base.value = found;
    this.#put(merged.text);
    this.theirs.value = undefined;
    showNotice(merged.conflicts === 0 ? pageWords.conflict.merged : pageWords.conflict.marked(merged.conflicts));
  }

  async #write(text: string, baseHash: string): Promise<void> {
    this.isSaving.value = true;
    try {
      const { hash } = await this.save(text, baseHash);
      // Text typed during the save stays unsaved.
      this.base.value = { text, hash: hash ?? (await this.load()).hash };
      this.theirs.value = undefined;
      showNotice(words.saved);
      this.onSaved?.();
    } catch (error) {
      const current = error instanceof ApiError && error.status === 409 ? currentOf(error) : undefined;
      if (current !== undefined) this.theirs.value = current;
      else showProblem(error);
    } finally {
      this.isSaving.value = false;
    }
  }
}

function currentOf({ body }: ApiError): SavedText | undefined {
  const current = body.current;
  if (typeof current !== 'object' || current === null) return undefined;
  const { text, hash } = current as { text?: unknown; hash?: unknown };
  return typeof text === 'string' && typeof hash === 'string' ? { text, hash } : undefined;
}
