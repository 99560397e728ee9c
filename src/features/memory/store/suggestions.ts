/**
 * Pending memory suggestions of the agent: one file each in `memory/suggestions/` of the viber. The text is normalised
 * when stored, so that a person accepts exactly what will be written.
 *
 *   ID.json (pending) -> ID.PID.taken (being decided) -> deleted once the decision is written
 *
 * A claim whose process ended in between becomes pending again at the next listing.
 */

import fs from 'node:fs';
import path from 'node:path';
import { errorCode } from '../../../errors.ts';
import { hashText, writeFileAtomic } from '../../../lib/files.ts';
import { readJson } from '../../../lib/json.ts';
import { ownerOf, ownMark } from '../../../lib/processes.ts';
import { isInteger, isText, objectOf, optional, shape } from '../../../lib/shape.ts';
import { plainLine } from '../../../lib/text.ts';
import type { Suggestion } from '../../../runtime/contract/memory.ts';
import { type Home, isId } from '../../../workspace/home.ts';
import { tellChange } from '../../../workspace/tasks/index.ts';
import { DEFAULT_SECTION, isRemembered } from './memory.ts';
import { appendRecord, decisionOn } from './record.ts';
import { isSameFact } from './same-words.ts';
import { cleanSection, toBullets } from './sections.ts';

const MAX_PENDING = 100;
/** The most characters of one suggestion: people must be able to read what they accept. */
const MAX_TEXT = 2_000;
/** A claim is held for milliseconds. One this old is abandoned, even if its PID is in use again. */
const MAX_CLAIM_MS = 60_000;
const CLAIM = /^([a-z0-9_-]+)\.(\d+(?:-[0-9a-f]{8})?)\.taken$/;
const claims = new Set<string>();
const folder = (home: Home, viber: string) => path.join(home.viberDir(viber), 'memory', 'suggestions');

/** Parses a reply's `<memory_suggestion>`: `Add to MEMORY.md under "Project Context":` and bullets, or only bullets. */
export function parseSuggestion(text: string): { section?: string; text: string } {
  const match =
    /^\s*add (?:this |these )?to MEMORY\.md(?: under (?:the )?["'“‘`]?([^"'”’`:\n]{1,80})["'”’`]?(?: section)?)?[ \t]*[:.]?[ \t]*(?:\n|$|(?=\S))/i.exec(
      text,
    );
  const rest = match ? text.slice(match[0].length).trim() : text.trim();
  const section = cleanSection(match?.[1] ?? '');
  if (rest === '') return { text: text.trim() };
  return section === '' ? { text: rest } : { section, text: rest };
}

/**
 * Returns the text as it will be written: one line, or several that each begin with `- `; at most 2,000 characters, in
 * whole lines.
 */
export function suggestedText(given: string): string {
  let room = MAX_TEXT;
  const bullets = toBullets(given).filter((bullet) => {
    room -= bullet.length;
    return room >= 0;
  });
  return bullets.length > 1
    ? bullets.map((bullet) => `- ${bullet}`).join('\n')
    : (bullets[0] ?? plainLine(given.slice(0, MAX_TEXT)));
}

/** Returns a suggestion's text, heading and ID as they will be stored. */
export function suggestionOf(given: { section?: string | undefined; text: string }): { id: string; text: string } & {
  section: string;
} {
  const text = suggestedText(given.text);
  const section = cleanSection(given.section ?? '');
  return { id: hashText(`${section}\n${text}`).slice(0, 12), text, section };
}

/**
 * Stores a suggestion until somebody decides. If a pending one states the same fact, under any heading, returns that
 * one. If there are more than 100, drops the oldest.
 */
export async function addSuggestion(
  home: Home,
  viber: string,
  given: { text: string; provenance: string } & {
    section?: string | undefined;
    run?: string | undefined;
    replaces?: string | undefined;
  },
): Promise<Suggestion> {
  const { id, text, section } = suggestionOf(given);
  const pending = await listSuggestions(home, viber);
  const isKnown = (each: Suggestion) => each.replaces === given.replaces && isSameFact(each.text, text);
  const known = pending.find((each) => each.id === id) ?? pending.find(isKnown);
  if (known) return known;
  for (const old of pending.slice(0, Math.max(0, pending.length - MAX_PENDING + 1)))
    await takeSuggestion(home, viber, old.id);
  const suggestion: Suggestion = {
    id,
    n: numberFor(folder(home, viber), pending),
    text,
    provenance: given.provenance,
    createdAt: new Date().toISOString(),
    ...(section === '' ? {} : { section }),
    ...(given.replaces === undefined ? {} : { replaces: given.replaces }),
    ...(given.run === undefined ? {} : { run: given.run }),
  };
  await storeSuggestion(home, viber, suggestion);
  return suggestion;
}

/** The last number used, by folder. */
const numbered = new Map<string, number>();

/** Returns the next number. Numbering starts again once nothing is pending. */
function numberFor(at: string, pending: readonly Suggestion[]): number {
  const before = pending.length === 0 ? 0 : Math.max(numbered.get(at) ?? 0, ...pending.map(({ n = 0 }) => n));
  numbered.set(at, before + 1);
  return before + 1;
}

export async function storeSuggestion(home: Home, viber: string, suggestion: Suggestion): Promise<void> {
  const file = path.join(folder(home, viber), `${suggestion.id}.json`);
  await writeFileAtomic(file, `${JSON.stringify(suggestion, null, 2)}\n`);
  tellChange(home, { kind: 'suggestion', viber, suggestion });
}

export async function listSuggestions(home: Home, viber: string): Promise<Suggestion[]> {
  const dir = folder(home, viber);
  if (!fs.existsSync(dir)) return [];
  const names = fs.readdirSync(dir);
  for (const name of names) if (name.endsWith('.taken')) await recover(home, viber, dir, name);
  return (names.some((name) => name.endsWith('.taken')) ? fs.readdirSync(dir) : names)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => readSuggestions(path.join(dir, name)))
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

export async function findSuggestion(home: Home, viber: string, id: string): Promise<Suggestion | undefined> {
  return (await listSuggestions(home, viber)).find((suggestion) => suggestion.id === id);
}

/**
 * Claims a suggestion, to accept or reject it. Of several callers exactly one gets it; the others get undefined. It is
 * deleted once `use` has resolved; if `use` throws, it is pending again.
 */
export async function takeSuggestion(
  home: Home,
  viber: string,
  id: string,
  use: (suggestion: Suggestion) => Promise<void> = async () => undefined,
): Promise<Suggestion | undefined> {
  if (!isId(id)) return undefined;
  const waiting = path.join(folder(home, viber), `${id}.json`);
  const claimed = path.join(folder(home, viber), `${id}.${ownMark()}.taken`);
  if (claims.has(claimed)) return undefined;
  claims.add(claimed);
  try {
    if (!moved(waiting, claimed)) return undefined;
    const [suggestion] = readSuggestions(claimed);
    try {
      if (suggestion) await use(suggestion);
    } catch (error) {
      moved(claimed, waiting);
      throw error;
    }
    fs.rmSync(claimed, { force: true });
    tellChange(home, { kind: 'suggestion-decided', viber, suggestion: id });
    return suggestion;
  } finally {
    claims.delete(claimed);
  }
}

/**
 * Recovers an abandoned claim. If the suggestion wasn't decided, it becomes pending again; otherwise the rest of the
 * decision is completed. A line in the memory without a record gets one with its origin.
 */
async function recover(home: Home, viber: string, dir: string, name: string): Promise<void> {
  const [, id, mark] = CLAIM.exec(name) ?? [];
  const file = path.join(dir, name);
  if (claims.has(file) || (mark !== undefined && isHeld(file, mark))) return;
  const [suggestion] = readSuggestions(file);
  const claimedAt = Math.floor(fs.statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0);
  const decision = id === undefined ? undefined : decisionOn(home, viber, id);
  const isDecided = decision !== undefined && Date.parse(decision.at) >= claimedAt;
  if (!suggestion || id === undefined || isDecided) fs.rmSync(file, { force: true });
  else if (!(await isRemembered(home, viber, suggestion.text))) moved(file, path.join(dir, `${id}.json`));
  else {
    const { text, section = DEFAULT_SECTION, provenance } = suggestion;
    const at = new Date().toISOString();
    await appendRecord(home, viber, { op: 'add', at, section, bullets: toBullets(text), provenance, suggestion: id });
    fs.rmSync(file, { force: true });
  }
}

/** Returns whether the claim is still held, for a minute at most: no machine takes longer. */
function isHeld(file: string, mark: string): boolean {
  const owner = ownerOf(mark);
  if (owner === 'self' || owner === 'gone') return false;
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.ctimeMs <= MAX_CLAIM_MS;
}

function moved(from: string, to: string): boolean {
  try {
    fs.renameSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

const suggestionShape = shape<Suggestion>(
  objectOf({
    id: isId,
    text: isText,
    provenance: isText,
    createdAt: isText,
    section: optional(isText),
    run: optional(isText),
    replaces: optional(isText),
    n: optional(isInteger),
  }),
);
const ABOUT = { lost: 'a pending memory suggestion', next: "It isn't remembered.", tell: true };

const readSuggestions = (file: string): Suggestion[] => [readJson(file, suggestionShape, ABOUT) ?? []].flat();
