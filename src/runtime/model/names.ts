/**
 * Converts tool names to names that every provider accepts, and back. Moonshot requires a letter first, Google a letter
 * or underscore, OpenAI at most 64 letters, digits, `_` and `-`. Every name satisfies all of them, because a run may
 * continue at another provider with the calls of the first. Pure.
 */
import { createHash } from 'node:crypto';
import type { CallOptions, GenerateResult, Prompt } from '../contract/model.ts';

type Tool = NonNullable<CallOptions['tools']>[number];

export const FIT_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Keeps different names distinct: a changed name carries a hash of the original where necessary. */
function fitName(name: string, taken: ReadonlySet<string>): string {
  if (FIT_NAME.test(name)) return name;
  const plain = name.replace(/[^A-Za-z0-9_-]/g, '_');
  const begun = /^[A-Za-z]/.test(plain) ? plain : `t_${plain}`;
  if (begun.length <= 64 && !taken.has(begun)) return begun;
  return `${begun.slice(0, 55)}_${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}

export interface FitNames {
  /** The call, with names that every provider accepts. */
  call: CallOptions;
  /** Returns the answer with the tools' original names. */
  back(answer: GenerateResult): GenerateResult;
}

export function withFitNames(call: CallOptions): FitNames {
  const offered = (call.tools ?? []).flatMap((tool) => (tool.type === 'function' ? [tool.name] : []));
  const names = new Map<string, string>();
  const taken = new Set(offered);
  const nameOf = (name: string): string => {
    const known = names.get(name);
    if (known !== undefined) return known;
    const made = fitName(name, taken);
    names.set(name, made);
    taken.add(made);
    return made;
  };
  // Offered tools come first, so that their names don't depend on the history.
  const tools = call.tools?.map(
    (tool): Tool => (tool.type === 'function' ? { ...tool, name: nameOf(tool.name) } : tool),
  );
  const prompt = renamed(call.prompt, nameOf);
  const back = new Map(offered.map((name) => [nameOf(name), name]));
  return {
    call: { ...call, prompt, ...(tools && { tools }) },
    back: (answer) => ({
      ...answer,
      content: answer.content.map((part) =>
        part.type === 'tool-call' && !part.providerExecuted ? { ...part, toolName: meant(part.toolName, back) } : part,
      ),
    }),
  };
}

/** Remains of template marks and namespaces that some models write around tool names, after the name was tidied. */
const AROUND = /__(?:channel|message|constrain)__.*$|^(?:functions?|tools?|default_api)_/g;

/** Returns the tool that a model has called: by its exact name, or by the name without such remains. */
function meant(name: string, back: ReadonlyMap<string, string>): string {
  const known = back.get(name);
  if (known !== undefined) return known;
  const plain = name.replace(AROUND, '').toLowerCase();
  const fitting = [...back].filter(([fit]) => fit.toLowerCase() === plain);
  const [only] = fitting;
  return only && fitting.length === 1 ? only[1] : name;
}

function renamed(prompt: Prompt, nameOf: (name: string) => string): Prompt {
  return prompt.map((message) => {
    if (message.role === 'tool') {
      const content = message.content.map((part) =>
        part.type === 'tool-result' ? { ...part, toolName: nameOf(part.toolName) } : part,
      );
      return { ...message, content };
    }
    if (message.role !== 'assistant') return message;
    const content = message.content.map((part) =>
      part.type === 'tool-call' && !part.providerExecuted ? { ...part, toolName: nameOf(part.toolName) } : part,
    );
    return { ...message, content };
  });
}
