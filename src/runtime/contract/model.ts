/** The AI SDK's language model interface, version 4, and the shapes of its calls, under our own names. */
import type { LanguageModel } from 'ai';

export type ModelV4 = Extract<LanguageModel, { specificationVersion: 'v4' }>;
export type CallOptions = Parameters<ModelV4['doGenerate']>[0];
export type Prompt = CallOptions['prompt'];
export type GenerateResult = Awaited<ReturnType<ModelV4['doGenerate']>>;
/** Models that features bring, by `provider/model`; each is loaded when it is first used. */
export type OwnModels = Readonly<Record<string, () => Promise<ModelV4>>>;
type StreamResult = Awaited<ReturnType<ModelV4['doStream']>>;
export type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never;

export interface MeantAnswer {
  answer: GenerateResult;
  /** The model learns that its call didn't count, once per run. */
  isTold?: true;
  /** The error for the calls in the answer, which don't run. */
  refusal?: string;
}

/** Reads answers in which a model doesn't follow its provider's form: calls as text, or thoughts as text. */
export interface AnswerReader {
  /** The texts that it reads. */
  when: RegExp | ((text: string) => boolean);
  /** @param mayTell false if the model already learned in this run that such calls don't count */
  read(answer: GenerateResult, call: CallOptions, mayTell: boolean): Promise<MeantAnswer>;
}
