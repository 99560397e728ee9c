/**
 * Changes the form of a request that a provider has refused: without reasoning, without pictures, with old tool steps
 * as text. A history that a provider can't read must not end the conversation. Each form is tried once; it then holds
 * for the rest of the run, or for all runs of a model that refuses reasoning, requires it, or has less room. Pure
 * except for that memory.
 */
import type { CallOptions, ModelV4, Prompt } from '../contract/model.ts';
import { dialectIn } from '../contract/providers.ts';
import type { ModelFailure } from '../contract/run-error.ts';
import { fitFiles } from './files-room.ts';
import {
  hasThoughts,
  historyFor,
  inTurns,
  isOutOfTurn,
  isSigner,
  withMadeUpThoughts,
  withoutThoughts,
} from './history.ts';
import { knownModel } from './known.ts';
import { hasFiles, withoutFiles } from './prompt.ts';
import { createRefusedFiles, type OnRefused, type RefusedFiles } from './refused-files.ts';
import { fitResults, hasLongArguments, hasSteps, sizeOfResults, withShortArguments, withStepsTold } from './results.ts';

type Form = 'thoughts' | 'no-thoughts' | 'files' | 'level' | 'arguments' | 'steps' | 'order';

interface Manner {
  forms: ReadonlySet<Form>;
  /** The limit for tool results, in characters, if the model takes fewer than its context promises. */
  room?: number;
  /** The limit for an answer in tokens, if the model takes fewer than the library asks for. */
  mostTokens?: number;
  /** The most pictures in a request, if the model has said so. */
  mostFiles?: number;
}

const isCalling = (prompt: Prompt): boolean =>
  prompt.some((message) => message.role === 'assistant' && message.content.some(({ type }) => type === 'tool-call'));

/** When each form helps, and how it is made. Forms are applied in this order. */
const FORMS: Readonly<Record<Form, { helps(call: CallOptions): boolean; make(call: CallOptions): CallOptions }>> = {
  steps: { helps: ({ prompt }) => hasSteps(prompt), make: (call) => ({ ...call, prompt: withStepsTold(call.prompt) }) },
  files: { helps: ({ prompt }) => hasFiles(prompt), make: (call) => ({ ...call, prompt: withoutFiles(call.prompt) }) },
  thoughts: {
    helps: ({ prompt }) => hasThoughts(prompt),
    make: (call) => ({ ...call, prompt: withoutThoughts(call.prompt) }),
  },
  arguments: {
    helps: ({ prompt }) => hasLongArguments(prompt),
    make: (call) => ({ ...call, prompt: withShortArguments(call.prompt) }),
  },
  'no-thoughts': {
    helps: ({ prompt }) => isCalling(prompt),
    make: (call) => ({ ...call, prompt: withMadeUpThoughts(call.prompt) }),
  },
  order: { helps: ({ prompt }) => isOutOfTurn(prompt), make: (call) => ({ ...call, prompt: inTurns(call.prompt) }) },
  // A model that doesn't know the level uses its default.
  level: {
    helps: ({ reasoning }) => reasoning !== undefined,
    make: ({ reasoning: _level, ...call }) => call,
  },
};

/** Returns the forms that may help against a refusal, most likely first. */
function formsFor({ error, about }: ModelFailure): readonly Form[] {
  const usual: readonly Form[] = ['thoughts', 'files', 'level', 'steps'];
  if (error.kind === 'too-long') return ['arguments', 'files', 'steps'];
  // An unknown model stays unknown without reasoning.
  if (about === undefined) return ['files', 'level'];
  return about === 'unsaid' ? usual : [about, ...usual.filter((form) => form !== about)];
}

/**
 * The limit for tool results in a request, in characters: half of the model's context at four characters per token;
 * 200,000 tokens for an unknown model.
 */
const MAX_ROOM = 1_000_000;
const USUAL_CONTEXT = 200_000;
const LEAST_ROOM = 4_000;

const roomOf = (name: string): number => Math.min(MAX_ROOM, 2 * (knownModel(name)?.context ?? USUAL_CONTEXT));

/** Remembers what was learned about a model for as long as it stays loaded. */
const learned = new WeakMap<ModelV4, Manner>();

export interface Repair {
  /**
   * Returns the call in the form that this model accepts.
   * @param isWords whether its prompt is plain
   */
  prepare(call: CallOptions, isWords: boolean): CallOptions;
  /** Returns whether to retry the last prepared call, which then has another form. */
  takes(failure: ModelFailure): boolean;
  /** Records that the last prepared call was accepted. */
  worked(): void;
}

export function createRepair(name: string, model: ModelV4, onRefused?: OnRefused): Repair {
  let refused: RefusedFiles | undefined;
  const files = () => (refused ??= createRefusedFiles(model.provider, onRefused));
  let manner: Manner = learned.get(model) ?? { forms: new Set() };
  let last: CallOptions | undefined;

  function fitted(call: CallOptions): Prompt {
    const dialect = dialectIn(model.provider);
    const reader = { name, dialect, isUnthinking: call.reasoning === 'none' };
    const { mostFiles } = manner;
    const read = fitFiles(
      historyFor(call.prompt, reader),
      { dialect, most: mostFiles },
      ({ data, filename = 'a file' }) => {
        if (mostFiles !== undefined && data.type === 'data' && data.data instanceof Uint8Array)
          onRefused?.(data.data, filename, mostFiles);
      },
    );
    return files().without(fitResults(read, manner.room ?? roomOf(name)));
  }

  function prepare(call: CallOptions, isWords: boolean): CallOptions {
    const { mostTokens, forms } = manner;
    const prompt = isWords ? call.prompt : fitted(call);
    last = { ...call, prompt, ...(mostTokens !== undefined && { maxOutputTokens: mostTokens }) };
    for (const form of forms.size > 0 ? FORM_NAMES : []) if (forms.has(form)) last = FORMS[form].make(last);
    return last;
  }

  return {
    prepare,
    takes(failure) {
      if (!failure.badRequest || !last) return false;
      const call = last;
      const { mostTokens } = failure;
      if (mostTokens !== undefined && mostTokens < (manner.mostTokens ?? Number.POSITIVE_INFINITY)) {
        manner = { ...manner, mostTokens };
        return true;
      }
      const { mostFiles } = failure;
      if (mostFiles !== undefined && mostFiles < (manner.mostFiles ?? Number.POSITIVE_INFINITY)) {
        manner = { ...manner, mostFiles };
        return true;
      }
      const size = sizeOfResults(call.prompt);
      if (failure.error.kind === 'too-long' && size > LEAST_ROOM) {
        manner = { ...manner, room: Math.max(LEAST_ROOM, Math.min(size, manner.room ?? roomOf(name)) / 2) };
        return true;
      }
      if (failure.about === 'files' && files().suspect(call.prompt)) return true;
      const form = formsFor(failure).find((one) => !manner.forms.has(one) && FORMS[one].helps(call));
      if (form === undefined) return false;
      manner = { ...manner, forms: new Set([...manner.forms, form]) };
      return true;
    },
    worked() {
      if (last) refused?.worked(last.prompt, manner.forms.has('files'));
      // A wrong signature says nothing about later ones, nor does a picture or a level.
      const { forms } = manner;
      const lasting =
        forms.size === 0 || isSigner(dialectIn(model.provider)) ? [] : LASTING.filter((form) => forms.has(form));
      learned.set(model, { ...manner, forms: new Set(lasting) });
    },
  };
}

const FORM_NAMES = Object.keys(FORMS) as Form[];
const LASTING: readonly Form[] = ['thoughts', 'no-thoughts', 'order'];
