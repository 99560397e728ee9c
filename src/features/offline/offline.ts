/**
 * The built-in language model, which works without a network. The demo, the first start without a key, and many tests
 * use it. It says openly what it is, is deterministic, and works by calling the tools that it is offered, as any model
 * does.
 */
import type { CallOptions, GenerateResult, ModelV4, StreamPart } from '../../runtime/contract/model.ts';
import { RunError } from '../../runtime/contract/run-error.ts';
import { cannotDo, cannotInProject, workOn } from './replies.ts';
import { parseRequests } from './requests.ts';
import { type Call, readPrompt, type View } from './view.ts';

const DELTA = 60;

export function createOfflineModel(): ModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'offline',
    modelId: 'viber',
    supportedUrls: {},
    async doGenerate(options) {
      return generateAnswer(options);
    },
    async doStream(options) {
      options.abortSignal?.throwIfAborted();
      const { content, finishReason, usage } = generateAnswer(options);
      const parts: StreamPart[] = [{ type: 'stream-start', warnings: [] }];
      for (const part of content) {
        if (part.type === 'tool-call') parts.push(part);
        if (part.type !== 'text') continue;
        parts.push({ type: 'text-start', id: '0' });
        for (let at = 0; at < part.text.length; at += DELTA)
          parts.push({ type: 'text-delta', id: '0', delta: part.text.slice(at, at + DELTA) });
        parts.push({ type: 'text-end', id: '0' });
      }
      parts.push({ type: 'finish', finishReason, usage });
      return { stream: ReadableStream.from(parts) };
    },
  };
}

function generateAnswer({ prompt, tools = [], providerOptions }: CallOptions): GenerateResult {
  const view = readPrompt(prompt, languageOf(providerOptions));
  const made = view.calls.length;
  const { calls, text } = respond(view, new Set(tools.map((tool) => tool.name)));
  const toolCalls = calls.map(({ tool, input }, index) => ({
    type: 'tool-call' as const,
    toolCallId: `offline_${view.turn}_${made + index}`,
    toolName: tool,
    input: JSON.stringify(input),
  }));
  const input = Math.ceil(view.length / 4);
  const output = Math.ceil((text.length + JSON.stringify(calls).length) / 4);
  return {
    content: toolCalls.length > 0 ? toolCalls : [{ type: 'text', text }],
    finishReason: { unified: toolCalls.length > 0 ? 'tool-calls' : 'stop', raw: undefined },
    usage: {
      inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: output, text: output, reasoning: 0 },
    },
    warnings: [],
  };
}

/** Reads the language from the options, because the prompt doesn't contain it. */
function languageOf(options: CallOptions['providerOptions']): string | undefined {
  const language = options?.offline?.language;
  return typeof language === 'string' ? language : undefined;
}

/** Returns the next calls, or the answer once every request has its sentence. */
function respond(view: View, offered: ReadonlySet<string>): { calls: Call[]; text: string } {
  const requests = parseRequests(view.text);
  const cannot = cannotDo(requests) ?? cannotInProject(requests, offered);
  if (cannot) throw new RunError('offline', cannot);
  const made = [...view.calls];
  const calls: Call[] = [];
  const sentences: string[] = [];
  for (const request of requests) {
    const work = workOn(request, view);
    if (typeof work === 'string') {
      sentences.push(work);
      continue;
    }
    let step = work.next();
    while (!step.done) {
      const call = step.value;
      const at = made.findIndex(({ tool }) => tool === call.tool);
      const [outcome] = at < 0 ? [] : made.splice(at, 1);
      if (outcome) step = work.next(outcome);
      else if (!offered.has(call.tool))
        step = work.next({ ...call, error: view.messages.text('offline.noTool', { tool: call.tool }) });
      else {
        // Calls of a step run in parallel, but a second change of the plan must see the first.
        if (call.tool !== 'update_plan' || !calls.some(({ tool }) => tool === call.tool)) calls.push(call);
        break;
      }
    }
    if (step.done) sentences.push(step.value);
  }
  return { calls, text: sentences.join('\n\n') };
}
