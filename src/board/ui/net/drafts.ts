/** Drafts of messages, by what they are about. They outlive the page, in this browser alone, and end when somebody logs in anew. */

const PREFIX = 'viber-draft ';
const MAX_DRAFTS = 100;

/** Those of this page. They are all there is where the browser stores nothing more. */
const drafts = new Map<string, string>();

interface StoredDraft {
  text: string;
  at: number;
}

export function readDraft(about: string): string {
  return drafts.get(about) ?? storedDraft(PREFIX + about)?.text ?? '';
}

export function writeDraft(about: string, text: string): void {
  drafts.set(about, text);
  try {
    if (text === '') localStorage.removeItem(PREFIX + about);
    else storeDraft(about, text);
  } catch (error) {
    // A full store: the draft stays as long as the page. An older state of it would be worse than none.
    if (!(error instanceof DOMException)) throw error;
    localStorage.removeItem(PREFIX + about);
  }
}

function storeDraft(about: string, text: string): void {
  localStorage.setItem(PREFIX + about, JSON.stringify({ text, at: Date.now() } satisfies StoredDraft));
  forgetOldest();
}

/** Must be called at each login: it may be another person's. */
export function forgetDrafts(): void {
  for (const key of draftKeys()) localStorage.removeItem(key);
}

const draftKeys = (): string[] => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));

function forgetOldest(): void {
  const all = draftKeys();
  if (all.length <= MAX_DRAFTS) return;
  const byAge = all.toSorted((a, b) => (storedDraft(a)?.at ?? 0) - (storedDraft(b)?.at ?? 0));
  for (const key of byAge.slice(0, all.length - MAX_DRAFTS)) localStorage.removeItem(key);
}

function storedDraft(key: string): StoredDraft | undefined {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(key) ?? 'null');
    return isStoredDraft(read) ? read : undefined;
  } catch (error) {
    // Only this page writes here, but anybody with this browser can.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const isStoredDraft = (read: unknown): read is StoredDraft =>
  typeof read === 'object' && read !== null && 'text' in read && typeof read.text === 'string' && 'at' in read;
