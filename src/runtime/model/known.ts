/**
 * Looks up what is known about our providers' models: prices, context size, thinking levels. `npm run prices` generates
 * the list.
 */
import { createLru } from '../../lib/lru.ts';
import { isThinking, type Thinking } from '../contract/settings.ts';
import list from './known-models.json' with { type: 'json' };

export interface KnownModel {
  /** `provider/model`. */
  id: string;
  /** The name its maker uses. */
  name: string;
  /** US dollars per million tokens. */
  input: number;
  output: number;
  cachedInput?: number;
  /** The context size, in tokens. */
  context?: number;
  /** The levels to choose from, [] if there aren't any; absent if unknown. */
  thinking?: readonly Thinking[];
  /** ISO 8601. */
  released: string;
}

interface Row extends Omit<KnownModel, 'id' | 'thinking' | 'released'> {
  thinking?: string;
  released?: string;
}

/** By `provider/model`. */
export const ROWS: Readonly<Record<string, Row>> = list.models;

export function knownModel(id: string): KnownModel | undefined {
  const row = Object.hasOwn(ROWS, id) ? ROWS[id] : undefined;
  return row && toModel(id, row);
}

const ofProviders = createLru<readonly KnownModel[]>(16);

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
