/**
 * What somebody has written here and the gateway doesn't have: drafts, and messages that it hasn't accepted. Both
 * outlive the page, in this browser alone, and are removed when somebody else logs in.
 */
import type { OutgoingMessage } from './talk-lines.ts';

const PREFIX = 'viber-unsent ';
const DRAFT = `${PREFIX}draft `;
const MESSAGE = `${PREFIX}message `;
const MAX_STORED = 100;
/** In characters. A browser stores about five million, and a draft is written at each key. */
const MAX_LENGTH = 50_000;

interface StoredText<T> {
  /** The person who wrote it. */
  of: string;
  at: number;
  what: T;
}

/** Drafts that the browser doesn't store. They last as long as the page. */
const unstored = new Map<string, string>();
let writer = '';

/** Must be called as soon as it is known who has logged in. Removes what others have left, and the oldest of too many. */
export function beginUnsentOf(principal: string): void {
  writer = principal;
  const all = storedKeys().map((key) => ({ key, at: ownText(key)?.at ?? 0 }));
  const byAge = all.toSorted((a, b) => b.at - a.at);
  for (const { key } of byAge.filter(({ at }, index) => at === 0 || index >= MAX_STORED)) localStorage.removeItem(key);
}

export function readDraft(about: string): string {
  const stored = ownText<unknown>(DRAFT + about)?.what;
  return unstored.get(about) ?? (typeof stored === 'string' ? stored : '');
}

export function writeDraft(about: string, text: string): void {
  unstored.delete(about);
  if (text === '') localStorage.removeItem(DRAFT + about);
  else if (!storeText(DRAFT + about, text)) unstored.set(about, text);
}

/** Calls back when another tab has changed the draft. Returns a function that ends it. */
export function onDraft(about: string, changed: () => void): () => void {
  const onStored = ({ key }: StorageEvent) => key === DRAFT + about && changed();
  addEventListener('storage', onStored);
  return () => removeEventListener('storage', onStored);
}

/** Calls back when another tab has sent or dropped a message. Returns a function that ends it. */
export function onForgotten(forgotten: (id: string) => void): () => void {
  const onStored = ({ key, newValue }: StorageEvent) =>
    newValue === null && key?.startsWith(MESSAGE) && forgotten(key.slice(MESSAGE.length));
  addEventListener('storage', onStored);
  return () => removeEventListener('storage', onStored);
}

/** Returns the messages written in a conversation that the gateway hasn't accepted, oldest first, to be sent again. */
export const unsentIn = (about: string): OutgoingMessage[] =>
  storedKeys()
    .flatMap((key) => ownText<OutgoingMessage & { about: string }>(key)?.what ?? [])
    // A draft is a text, and in no conversation.
    .filter((message) => message.about === about)
    .toSorted((a, b) => (a.at < b.at ? -1 : 1));

export const keepUnsent = (about: string, message: OutgoingMessage): void =>
  void storeText(MESSAGE + message.id, { ...message, state: 'failed', after: undefined, about });

export const forgetUnsent = (id: string): void => localStorage.removeItem(MESSAGE + id);

/** Returns whether it is stored. An earlier state of it is worse than none. */
function storeText(key: string, what: unknown): boolean {
  const value = JSON.stringify({ of: writer, at: Date.now(), what });
  localStorage.removeItem(key);
  if (value.length > MAX_LENGTH) return false;
  try {
    localStorage.setItem(key, value);
  } catch (error) {
    // The browser's store is full.
    if (error instanceof DOMException) return false;
    throw error;
  }
  return true;
}

const storedKeys = (): string[] => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));

/** Returns undefined for what isn't this person's. */
function ownText<T>(key: string): StoredText<T> | undefined {
  try {
    // Only this page writes here.
    const read = JSON.parse(localStorage.getItem(key) ?? 'null') as StoredText<T> | null;
    return read?.of === writer && read.what !== undefined ? read : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
