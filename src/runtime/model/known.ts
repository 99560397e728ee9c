/** What is known of the models of our providers: prices, how much they read, how they think. `npm run prices` makes the list. */
import { createLru } from '../../lib/lru.ts';
import { isThinking, type Thinking } from '../contract/settings.ts';
import list from './known-models.json' with { type: 'json' };

export interface KnownModel {
  /** `provider/model`. */
  id: string;
  /** As its maker calls it. */
  name: string;
  /** US dollars for a million tokens. */
  input: number;
  output: number;
  cachedInput?: number;
  /** Tokens it reads at once. */
  context?: number;
  /** The levels that can be chosen, [] for none; absent when that is not known. */
  thinking?: readonly Thinking[];
  /** ISO 8601. */
  released: string;
}

interface Row extends Omit<KnownModel, 'id' | 'thinking' | 'released'> {
  thinking?: string;
  released?: string;
}

const ROWS: Readonly<Record<string, Row>> = list.models;

/** The day of the newest model in the list. */
export const KNOWN_AS_OF = list.asOf;

export function knownModel(id: string): KnownModel | undefined {
  const row = Object.hasOwn(ROWS, id) ? ROWS[id] : undefined;
  return row && toModel(id, row);
}

const ofProviders = createLru<readonly KnownModel[]>(16);

/** The models of these providers, the newest first. */
export function knownModels(providers: readonly string[]): readonly KnownModel[] {
  const key = providers.join(' ');
  const known = ofProviders.get(key) ?? findModels(providers);
  ofProviders.set(key, known);
  return known;
}

function findModels(providers: readonly string[]): KnownModel[] {
  return Object.entries(ROWS)
    .filter(([id]) => providers.includes(id.slice(0, id.indexOf('/'))))
    .map(([id, row]) => toModel(id, row))
    .sort((one, other) => (one.released < other.released ? 1 : -1));
}

function toModel(id: string, { thinking, released = list.asOf, ...row }: Row): KnownModel {
  return { id, ...row, released, ...(thinking !== undefined && { thinking: thinking.split(' ').filter(isThinking) }) };
}
