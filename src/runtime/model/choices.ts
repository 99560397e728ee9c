/**
 * Lists the models that a conversation may choose, with prices, and finds the model that a person's words mean.
 * Everyone may choose among the configured models; only an owner can choose others and so exceed the configured costs.
 */
import { ConfigError } from '../../errors.ts';
import { splitModelName } from '../contract/providers.ts';
import { THINKING, type Thinking } from '../contract/settings.ts';
import { knownModel, knownModels } from './known.ts';
import type { ModelCheck } from './models.ts';

/** Prices per million tokens. */
export interface ChoicePrice {
  input: number;
  output: number;
}

export interface ModelChoice {
  /** `provider/model`. */
  id: string;
  /** The name for people. */
  name: string;
  price?: ChoicePrice;
  context?: number;
  /** The levels to choose from, [] if there aren't any; absent if unknown. */
  thinking?: readonly Thinking[];
}

/** The meaning of words: a model, the usual one, or why neither fits. */
export type ModelMatch =
  | { kind: 'model'; model: ModelChoice }
  | { kind: 'usual' }
  | { kind: 'unknown' }
  /** Only an owner may choose this model. */
  | { kind: 'not-yours'; model: ModelChoice }
  /** `why` names the setting. */
  | { kind: 'unusable'; id: string; why: string };

export interface ModelChoices {
  readonly currency: string;
  /** Returns the model that answers where nothing is chosen. */
  usual(): ModelChoice;
  /** Returns the usual model first; leaves out models that cannot be used. */
  offered(): ModelChoice[];
  about(id: string): ModelChoice;
  find(words: string, isOwner: boolean): ModelMatch;
  /** Returns whether the model's provider is known and has a key. */
  isUsable(id: string): boolean;
}

export interface ChoicesOptions {
  models: ModelCheck;
  /** Returns the ID of the model that answers where nothing is chosen. */
  usual: () => string;
  fallback: readonly string[];
  /** `models` of the configuration. */
  listed: readonly string[];
  priceOf: (id: string) => ChoicePrice | undefined;
  currency: string;
}

/** How many models are suggested, to owners only, if the configuration lists none. */
const SUGGESTED = 5;
const USUAL = /^(default|usual|normal|standard|reset)$/;
const BIG = /^(big|bigger|biggest|large|larger|largest|best|strong|stronger|strongest|smart|smarter|smartest)$/;
const SMALL = /^(small|smaller|smallest|cheap|cheaper|cheapest|fast|faster|fastest|light|mini)$/;
const FILLER = new Set(['the', 'a', 'use', 'model', 'please', 'one', 'to', 'with', 'switch', 'here']);

export class Choices implements ModelChoices {
  readonly #options: ChoicesOptions;
  readonly currency: string;

  constructor(options: ChoicesOptions) {
    this.#options = options;
    this.currency = options.currency;
  }

  usual(): ModelChoice {
    return this.about(this.#options.usual());
  }

  offered(): ModelChoice[] {
    return this.#all().map((id) => this.about(id));
  }

  about(id: string): ModelChoice {
    const known = knownModel(id);
    const price = this.#options.priceOf(id);
    return {
      id,
      name: known?.name ?? id,
      ...(price && { price: { input: price.input, output: price.output } }),
      ...(known?.context !== undefined && { context: known.context }),
      ...(known?.thinking && { thinking: known.thinking }),
      ...(id.startsWith('offline/') && { thinking: [] }),
    };
  }

  isUsable(id: string): boolean {
    return this.#problemOf(id) === undefined;
  }

  find(words: string, isOwner: boolean): ModelMatch {
    const wanted = words
      .trim()
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => !FILLER.has(word));
    const [only = ''] = wanted;
    if (wanted.length === 0 || (wanted.length === 1 && USUAL.test(only))) return { kind: 'usual' };
    const among = isOwner ? this.#all() : this.#configured();
    const isSize = wanted.length === 1 && (BIG.test(only) || SMALL.test(only));
    const named = among.map((id) => this.about(id));
    const sized = isSize ? bySize(named, BIG.test(only)) : undefined;
    // If no price says which model is larger, its name may contain the word.
    const id = sized ?? this.#byWords(wanted, isSize ? among : [...this.#all(), ...this.#keyed()]);
    if (id !== undefined) return this.#mayChoose(id, isOwner);
    const exact = words.trim();
    if (isSize || !/^[^\s/]+\/\S+$/.test(exact)) return { kind: 'unknown' };
    const why = this.#problemOf(exact);
    return why === undefined ? this.#mayChoose(exact, isOwner) : { kind: 'unusable', id: exact, why };
  }

  #problemOf(id: string): string | undefined {
    try {
      this.#options.models.check(id);
      return undefined;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return error.problems.map(({ message }) => message).join('; ');
    }
  }

  #configured(): string[] {
    const { usual, listed, fallback } = this.#options;
    return [...new Set([usual(), ...listed, ...fallback])].filter((id) => this.isUsable(id));
  }

  /** Returns the newest models of the providers in use. */
  #suggested(): string[] {
    if (this.#options.listed.length > 0) return [];
    const ids = knownModels(this.#providers().filter((provider) => provider !== 'openrouter')).map(({ id }) => id);
    return ids.filter((id) => !/\d{8}$|-\d{4}$|preview|audio|codex|research/.test(id)).slice(0, SUGGESTED);
  }

  #all(): string[] {
    return [...new Set([...this.#configured(), ...this.#suggested()])];
  }

  /** Returns the known models of the providers in use. */
  #keyed(): string[] {
    return knownModels(this.#providers()).map(({ id }) => id);
  }

  #providers(): string[] {
    return [...new Set(this.#configured().map((id) => splitModelName(id).provider))];
  }

  #mayChoose(id: string, isOwner: boolean): ModelMatch {
    const model = this.about(id);
    return isOwner || this.#configured().includes(id) ? { kind: 'model', model } : { kind: 'not-yours', model };
  }

  /** Returns the exact name, else the first one that contains all the words. */
  #byWords(wanted: readonly string[], ids: readonly string[]): string | undefined {
    const exact = ids.find((id) => id.toLowerCase() === wanted.join(' '));
    if (exact !== undefined || wanted.join(' ').includes('/')) return exact;
    return ids.find((id) => {
      const names = `${id} ${this.about(id).name}`.toLowerCase();
      return wanted.every((word) => names.includes(word));
    });
  }
}

function bySize(among: readonly ModelChoice[], isBig: boolean): string | undefined {
  const priced = among.flatMap(({ id, price }) => (price ? [{ id, output: price.output }] : []));
  priced.sort((one, other) => (isBig ? other.output - one.output : one.output - other.output));
  return priced[0]?.id;
}

/** Returns whether a model has the wanted level; if not, the levels it has. */
export function levelOf(
  wanted: Thinking,
  { thinking }: ModelChoice,
): { ok: true } | { ok: false; levels: readonly Thinking[] } {
  return thinking === undefined || thinking.includes(wanted) ? { ok: true } : { ok: false, levels: thinking };
}

export const levelsOf = ({ thinking }: ModelChoice): readonly Thinking[] => thinking ?? THINKING;
