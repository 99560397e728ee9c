/**
 * Converts a conversation's history for one provider. Reasoning, signatures, item IDs and call IDs go back only to the
 * model or provider that made them. Pure: the stored history does not change.
 */
import { createHash } from 'node:crypto';
import type { GenerateResult, Prompt } from '../contract/model.ts';
import type { Dialect } from '../contract/providers.ts';
import { splitModelName } from '../contract/providers.ts';
import { asToldBack } from './reasoning-details.ts';

type Message = Prompt[number];
type Assistant = Extract<Message, { role: 'assistant' }>;
type User = Extract<Message, { role: 'user' }>;
type Part = Assistant['content'][number];
type Options = Part['providerOptions'];

/** The model that receives the history. */
export interface Reader {
  /** `provider/model`. */
  name: string;
  dialect: Dialect;
  /** Whether the call asks for no reasoning. */
  isUnthinking: boolean;
}

/** The key in a part's options that holds the model that made it. */
const MARK = 'maker';
/** Only the model that wrote signed reasoning can read it: Anthropic, Google and OpenAI refuse another model's. */
const SIGNERS: readonly string[] = ['anthropic', 'google', 'openai'];
export const isSigner = (dialect: Dialect): boolean => SIGNERS.includes(dialect);
/** Providers that refuse a tool call in the history without the reasoning that led to it. */
const WANTING: readonly Dialect[] = ['deepseek', 'moonshot'];
/** Providers that refuse reasoning in the history, even their own. */
const REFUSING: readonly Dialect[] = ['groq', 'mistral', 'cerebras'];
const MADE_UP = 'A tool helps here.';

/**
 * A call ID that every provider except Mistral accepts: Anthropic allows these characters, OpenAI at most 40 of them.
 */
const CALL_ID = /^[A-Za-z0-9_-]{1,40}$/;
const MISTRAL_ID = /^[A-Za-z0-9]{9}$/;

/** Marks the parts of an answer that only its maker understands with the maker's name. */
export function withMaker(answer: GenerateResult, name: string): GenerateResult {
  const content = answer.content.map((part) => {
    const isOwn = part.type === 'tool-call' ? !CALL_ID.test(part.toolCallId) : isThought(part);
    return isOwn || part.providerMetadata !== undefined
      ? { ...part, providerMetadata: { ...part.providerMetadata, [MARK]: { name } } }
      : part;
  });
  return { ...answer, content };
}

const isThought = ({ type }: { type: string }): boolean =>
  type === 'reasoning' || type === 'reasoning-file' || type === 'custom';

export function historyFor(prompt: Prompt, reader: Reader): Prompt {
  const ids = new Map<string, string>();
  const read = prompt.flatMap((message): Message[] => {
    if (message.role === 'tool') {
      const content = message.content.map((part) =>
        part.type === 'tool-result' ? { ...part, toolCallId: ids.get(part.toolCallId) ?? part.toolCallId } : part,
      );
      return [{ ...message, content }];
    }
    if (message.role !== 'assistant') return [message];
    const content = message.content.flatMap((part) => partFor(part, reader, ids));
    if (content.length === 0) return [];
    const whole = { ...message, content };
    return [reader.dialect === 'openrouter' ? asToldBack(whole) : whole];
  });
  if (reader.dialect === 'mistral') return withBridges(read);
  return WANTING.includes(reader.dialect) && !reader.isUnthinking ? withMadeUpThoughts(read) : read;
}

function partFor(part: Part, reader: Reader, ids: Map<string, string>): Part[] {
  const maker = makerOf(part);
  const { providerOptions, ...bare } = part;
  const { [MARK]: _mark, ...options } = providerOptions ?? {};
  const isMade = maker === undefined ? false : isSameMaker(maker, reader);
  if (isThought(part)) {
    if (REFUSING.includes(reader.dialect)) return [];
    // Sessions of earlier versions don't record who wrote the reasoning; providers that require reasoning get it
    // anyway.
    if (!isMade && !(maker === undefined && WANTING.includes(reader.dialect) && part.type === 'reasoning')) return [];
    if (reader.isUnthinking && WANTING.includes(reader.dialect)) return [];
  }
  const isForeign = maker !== undefined && !isMade;
  // Other providers can't read what a provider ran or drew by itself.
  if (isForeign && (part.type === 'file' || part.type === 'tool-result')) return [];
  if (isForeign && part.type === 'tool-call' && part.providerExecuted) return [];
  // Reasoning blocks belong to the model that wrote them, no matter which provider passes them on.
  if (maker !== reader.name) delete options.openrouter;
  const kept: Options = isForeign || Object.keys(options).length === 0 ? undefined : options;
  const isOwn = isMade && kept !== undefined && reader.dialect !== 'anthropic';
  // Anthropic refuses blank text; Google hangs signatures on it.
  if (part.type === 'text' && part.text.trim() === '' && !isOwn) return [];
  const read = { ...bare, ...(kept && { providerOptions: kept }) } as Part;
  if (read.type !== 'tool-call') return [read];
  const id = idFor(read.toolCallId, reader.dialect, isMade);
  ids.set(read.toolCallId, id);
  return [{ ...read, toolCallId: id }];
}

/**
 * Returns the model that made a part, or only its provider's key in sessions of earlier versions; undefined if unknown.
 */
function makerOf({ providerOptions = {} }: Part): string | undefined {
  const marked = providerOptions[MARK]?.name;
  if (typeof marked === 'string') return marked;
  return SIGNERS.find((signer) => providerOptions[signer] !== undefined);
}

function isSameMaker(maker: string, { name, dialect }: Reader): boolean {
  const own = splitModelName(name).provider;
  if (!maker.includes('/')) return maker === dialect || maker === own;
  return SIGNERS.includes(dialect) ? maker === name : splitModelName(maker).provider === own;
}

function idFor(id: string, dialect: Dialect, isMade: boolean): string {
  if (dialect === 'mistral') return MISTRAL_ID.test(id) ? id : hash(id).slice(0, 9);
  // Moonshot's models read the tool's name from the IDs they make.
  return isMade || CALL_ID.test(id) ? id : `call_${hash(id).slice(0, 32)}`;
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Mistral refuses a user message directly after tool results. */
const withBridges = (prompt: Prompt): Prompt =>
  prompt.flatMap((message, at): Message[] =>
    message.role === 'user' && prompt[at - 1]?.role === 'tool'
      ? [{ role: 'assistant', content: [{ type: 'text', text: BRIDGE }] }, message]
      : [message],
  );

const BRIDGE = 'I see.';

/** Merges messages so that both sides alternate, as chat templates of some servers require. */
export function inTurns(prompt: Prompt): Prompt {
  const turns: Message[] = [];
  for (const message of withBridges(prompt)) {
    const last = turns.at(-1);
    if (message.role === 'user' && last?.role === 'user')
      turns[turns.length - 1] = { ...last, content: joinTextParts([...last.content, ...message.content]) };
    else turns.push(message);
  }
  return turns;
}

/** Merges adjacent texts: such templates may not support parts either. */
function joinTextParts(parts: User['content']): User['content'] {
  const all: User['content'] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (part.type === 'text' && last?.type === 'text')
      all[all.length - 1] = { ...last, text: `${last.text}\n\n${part.text}` };
    else all.push(part);
  }
  return all;
}

/** Returns whether one side has two messages in a row. */
export const isOutOfTurn = (prompt: Prompt): boolean =>
  prompt.some((message, at) => {
    const before = prompt[at - 1]?.role;
    return message.role === 'user' && (before === 'user' || before === 'tool');
  });

/** Returns whether anything in the history is meant only for its maker. */
export const hasThoughts = (prompt: Prompt): boolean =>
  prompt.some(
    (message) =>
      message.role === 'assistant' &&
      (message.providerOptions?.openaiCompatible !== undefined ||
        message.content.some((part) => isThought(part) || part.providerOptions !== undefined)),
  );

/** Returns the history without reasoning, signatures and item IDs. */
export function withoutThoughts(prompt: Prompt): Prompt {
  return prompt.flatMap((message): Message[] => {
    if (message.role !== 'assistant') return [message];
    const content = message.content
      .filter((part) => !isThought(part))
      .map(({ providerOptions: _own, ...part }) => part as Part);
    const { openaiCompatible: _told, ...others } = message.providerOptions ?? {};
    return content.length > 0 ? [{ ...message, content, providerOptions: others }] : [];
  });
}

/** Adds placeholder reasoning to every tool call that has none. */
export function withMadeUpThoughts(prompt: Prompt): Prompt {
  return prompt.map((message) => {
    if (message.role !== 'assistant' || !message.content.some(({ type }) => type === 'tool-call')) return message;
    if (message.content.some((part) => part.type === 'reasoning' && part.text.trim() !== '')) return message;
    return { ...message, content: [{ type: 'reasoning', text: MADE_UP }, ...message.content] };
  });
}
