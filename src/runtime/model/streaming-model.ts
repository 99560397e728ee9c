/**
 * The model behind a run's loop: each call is streamed, so that text appears as it arrives and deadlines hold; a failed
 * call is retried or passed to the next model (promise 9). Everything happens within one step, before any of its tools
 * may run, so a retry repeats no side effect.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from '../../messages/messages.ts';
import type { AgentHooks } from '../contract/agent.ts';
import { type CallUsage, estimate, usageOf } from '../contract/call-usage.ts';
import type { CallOptions, GenerateResult, ModelV4 } from '../contract/model.ts';
import { describeFailure, type ModelFailure, RunError, type RunErrorKind } from '../contract/run-error.ts';
import { HAS_MARKS, isThoughtAlone } from '../reply/marks.ts';
import { withMaker } from './history.ts';
import { FIT_NAME, withFitNames } from './names.ts';
import { fitPrompt, isPlain, tidyCalls, withCutCalls } from './prompt.ts';
import { withDetails } from './reasoning-details.ts';
import type { OnRefused } from './refused-files.ts';
import { createRepair, type Repair } from './repair.ts';
import { streamed } from './streamed.ts';

export interface StreamingOptions {
  /** Models by name, the wanted one first; the others follow when one before them fails. */
  names: readonly string[];
  load(name: string): Promise<ModelV4>;
  /** Limits in ms. */
  limits: { firstToken: number; idle: number; retry: number; maxRetryAfter: number };
  onText(delta: string): void;
  /** Called when another attempt begins: the text sent so far in this step is void. */
  onRestart(): void;
  /** Returns the answer as its model meant it. */
  onAnswer(answer: GenerateResult, call: CallOptions): Promise<GenerateResult>;
  /** Returns whether an answer without text or calls is acceptable, because the run has said something before. */
  acceptsEmpty(): boolean;
  /** Returns whether a text is invisible; by default, whether it is only whitespace. */
  isBlank?: ((text: string) => Promise<boolean>) | undefined;
  hooks: AgentHooks;
  /** Called for a file that the provider refuses and that is left out. */
  onRefused?: OnRefused;
  /** Called for the log when one attempt at one model failed. */
  onFailure(failure: { model: string; tries: number; kind: RunErrorKind; err: RunError }): void;
}

const TRIES = 2;

/** A model that returns whole answers, or throws a RunError or the reason of the call's signal. */
export class StreamingModel implements ModelV4 {
  readonly specificationVersion = 'v4';
  readonly provider = 'viber';
  readonly supportedUrls = {};
  readonly modelId: string;
  readonly #options: StreamingOptions;
  /** The index of the model that answers: the first of `names` that did, kept for all later steps. */
  #at = 0;
  readonly #repairs = new Map<string, Repair>();

  constructor(options: StreamingOptions) {
    this.#options = options;
    this.modelId = options.names[0] ?? '';
  }

  /** The model that answers, or answered last. */
  get current(): string {
    return this.#options.names[this.#at] ?? '';
  }

  doStream(): never {
    throw new Error('it is asked for whole answers');
  }

  async doGenerate(call: CallOptions): Promise<GenerateResult> {
    const { names, hooks } = this.#options;
    hooks.beforeCall?.();
    let first: RunError | undefined;
    for (let index = this.#at; index < names.length; index += 1) {
      const outcome = await this.#tryModel(names[index] ?? '', call);
      if (!('error' in outcome)) {
        this.#at = index;
        return this.#options.onAnswer(outcome, call);
      }
      first ??= outcome.error;
    }
    throw withFallback(first, names.slice(this.#at + 1));
  }

  /** Asks one model, and again if that may help. Returns the answer or the last failure. */
  async #tryModel(name: string, call: CallOptions): Promise<GenerateResult | ModelFailure> {
    const { limits, hooks } = this.#options;
    for (let tries = 1; ; tries += 1) {
      let told = 0;
      const arrived = { characters: 0 };
      const onText = (delta: string) => {
        told += delta.length;
        this.#options.onText(delta);
      };
      const begun = performance.now();
      let used: CallUsage | undefined;
      const spent = (usage: CallUsage) => {
        used = usage;
        hooks.onUsage?.(name, usage, Math.floor(performance.now() - begun));
      };
      const ended = hooks.watch?.model?.(name);
      try {
        const answer = await this.#askOnce(name, call, { onText, arrived }, spent);
        ended?.({ ...(used && { usage: used }), finish: answer.finishReason.unified });
        return answer;
      } catch (thrown) {
        // Usage that was already counted is not counted again.
        if (!used && (call.abortSignal?.aborted || isCharged(thrown, arrived.characters)))
          spent(estimate(call.prompt, arrived.characters));
        const isStopped = call.abortSignal?.aborted === true;
        const failure = describeFailure(thrown, name);
        ended?.({ ...(used && { usage: used }), error: isStopped ? 'stopped' : failure.error.kind });
        call.abortSignal?.throwIfAborted();
        this.#options.onFailure({ model: name, tries, kind: failure.error.kind, err: failure.error });
        if (told > 0) this.#options.onRestart();
        const wait = failure.retryAfterMs ?? limits.retry;
        if (this.#repairs.get(name)?.takes(failure)) tries -= 1;
        else if (!failure.retry || tries >= TRIES || wait > limits.maxRetryAfter) return failure;
        else await sleep(wait, undefined, call.abortSignal ? { signal: call.abortSignal } : {});
      }
    }
  }

  async #askOnce(
    name: string,
    call: CallOptions,
    listening: { onText(delta: string): void; arrived: { characters: number } },
    spent: (usage: CallUsage) => void,
  ): Promise<GenerateResult> {
    const model = await this.#options.load(name);
    const repair = this.#repairs.get(name) ?? createRepair(name, model, this.#options.onRefused);
    this.#repairs.set(name, repair);
    const isWords = isPlain(call.prompt);
    const asked = repair.prepare(call, isWords);
    // Words alone name no tool, and nearly every offered name is accepted as it is.
    const areNamesFit = isWords && (asked.tools ?? []).every((tool) => FIT_NAME.test(tool.name));
    const names = areNamesFit ? undefined : withFitNames(asked);
    // Every provider lets a model choose among its tools by default, so requests don't need to say it.
    const { toolChoice: _usual, ...said } = names?.call ?? asked;
    const fit = { ...said, prompt: fitPrompt(said.prompt, model.provider, isWords) };
    const given = await streamed(model, fit, { name, limits: this.#options.limits, ...listening });
    repair.worked();
    spent(usageOf(given, asked.prompt));
    const answer = await withoutUnseen(given, this.#options.isBlank);
    if (isEmpty(answer) && !(answer.finishReason.unified !== 'length' && this.#options.acceptsEmpty()))
      throw empty(name, answer);
    if (isText(answer)) return answer;
    const { back } = names ?? withFitNames(asked);
    const called = back(tidyCalls(withCutCalls(answer), call.prompt));
    return withMaker(withDetails(called), name);
  }
}

const isText = ({ content, providerMetadata }: GenerateResult): boolean =>
  providerMetadata?.openrouter === undefined &&
  content.every((part) => part.type === 'text' && part.providerMetadata === undefined);

/** Removes text that is invisible, or that consists only of reasoning sent as text. */
async function withoutUnseen(answer: GenerateResult, isBlank: StreamingOptions['isBlank']): Promise<GenerateResult> {
  const text = answer.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  if (text === '' || !((HAS_MARKS.test(text) && isThoughtAlone(text)) || (await isBlank?.(text)))) return answer;
  return { ...answer, content: answer.content.filter((part) => part.type !== 'text') };
}

/**
 * Returns whether the provider worked on an attempt that failed after so many characters, including reasoning and
 * calls.
 */
const isCharged = (thrown: unknown, written: number): boolean =>
  written > 0 || (thrown instanceof RunError && thrown.kind === 'timeout');

/**
 * Returns whether an answer has neither text for a person nor calls for us, whatever else it has: reasoning,
 * provider-specific parts, pictures, sources.
 */
const isEmpty = ({ content, finishReason }: GenerateResult): boolean =>
  finishReason.unified !== 'content-filter' &&
  !content.some(
    (part) =>
      (part.type === 'text' && part.text.trim() !== '') ||
      (part.type === 'tool-call' && part.providerExecuted !== true),
  );

function empty(model: string, { finishReason }: GenerateResult): RunError {
  const isCut = finishReason.unified === 'length';
  const said = isCut ? say('failures.onlyThoughts', { model }) : say('failures.emptyFrom', { model });
  return new RunError('empty', said, { detail: `${model}: empty answer${isCut ? ', cut at its limit' : ''}` });
}

/** Says what to fix for the model that was chosen, and adds that the others failed too. */
function withFallback(error: RunError | undefined, others: readonly string[]): RunError {
  if (!error) return new RunError('config', say('failures.noModel'));
  if (others.length === 0) return error;
  const what = error.said ?? say('common.wrong');
  const text = say('failures.fallback', { what, models: others.join(', ') });
  return new RunError(error.kind, text, {
    detail: error.message,
    cause: error.cause,
    providerSaid: error.providerSaid,
  });
}
