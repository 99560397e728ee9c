/**
 * Names of tools as every provider takes them, on their way out, and back as they are called here. Moonshot wants a letter first,
 * Google a letter or underscore, OpenAI no more than 64 letters, digits, `_` and `-`. All are made fit for all of them: a run may go on
 * at another provider with the calls of the first. Pure.
 */
import { createHash } from 'node:crypto';
import type { CallOptions, GenerateResult, Prompt } from '../contract/model.ts';

type Tool = NonNullable<CallOptions['tools']>[number];

const FIT = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Two names that differ stay apart: what is changed carries a sum of the name it was, where that is needed. */
function fitName(name: string, taken: ReadonlySet<string>): string {
  if (FIT.test(name)) return name;
  const plain = name.replace(/[^A-Za-z0-9_-]/g, '_');
  const begun = /^[A-Za-z]/.test(plain) ? plain : `t_${plain}`;
  if (begun.length <= 64 && !taken.has(begun)) return begun;
  return `${begun.slice(0, 55)}_${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
}

export interface FitNames {
  /** The call with names that every provider takes. */
  call: CallOptions;
  /** The answer with the names that tools have here. */
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
  // Those on offer come first: their names do not depend on what the history holds.
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

/** What is left of a template's marks behind a name, and of the groups in which some models see their tools, once a name is tidy. */
const AROUND = /__(?:channel|message|constrain)__.*$|^(?:functions?|tools?|default_api)_/g;

/** The tool that a model has called: by its name, or by what is left of it without what some write around names. */
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
