/** The AI SDK's language model interface, version 4, and the shapes of its calls, under our own names. */
import type { LanguageModel } from 'ai';

export type ModelV4 = Extract<LanguageModel, { specificationVersion: 'v4' }>;
export type CallOptions = Parameters<ModelV4['doGenerate']>[0];
export type Prompt = CallOptions['prompt'];
export type GenerateResult = Awaited<ReturnType<ModelV4['doGenerate']>>;
type StreamResult = Awaited<ReturnType<ModelV4['doStream']>>;
export type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never;
