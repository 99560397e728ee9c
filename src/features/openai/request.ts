/**
 * Reads a request for a chat completion: the new words, the messages before them, and the program's instructions. Pure.
 * Refuses fields that would change the answer's meaning if they were ignored, and lists the other fields it ignores.
 */
import { z } from 'zod';
import type { ChatText } from '../../board/api/chat-messages.ts';
import { MAX_BODY, RequestError, wrongField } from '../../board/respond.ts';
import { say } from '../../messages/messages.ts';

const part = z.looseObject({ type: z.string() });
const content = z.union([z.string(), z.array(part)]).nullish();
const text = z.string().max(1_000).nullish();

/** Other fields are kept, so that a repeated request can be recognised. */
export const chatRequest = z.looseObject({
  model: z.string().min(1).max(200),
  messages: z
    .array(z.looseObject({ role: z.string().max(64), content }))
    .min(1)
    .max(10_000),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  user: text,
  safety_identifier: text,
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
export type ChatRequest = z.infer<typeof chatRequest>;

export interface Utterance {
  role: 'user' | 'assistant';
  text: string;
  files: ChatText['files'];
}

export interface ChatWords {
  /** Oldest first. */
  before: readonly Utterance[];
  newest: Utterance;
  instructions: string;
  /** Fields without effect. */
  ignored: readonly string[];
}

const MAX_INSTRUCTIONS = 256 * 1024;
/** Fields that have an effect, or are refused. */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'user', 'safety_identifier', 'metadata', 'n', 'logprobs'],
  ...['tool_choice', 'function_call', 'response_format', 'modalities'],
]);

/** @throws {RequestError} with the wrong field */
export function readWords(request: ChatRequest): ChatWords {
  refuseUnmet(request);
  const said = request.messages.map(({ role, content: given }, at) => ({ role, at, given }));
  const last = said.at(-1);
  const isBehind = last?.role === 'assistant' || last?.role === 'tool' || last?.role === 'function';
  const at = said.findLastIndex(({ role }) => role === 'user');
  if (at < 0 || isBehind) throw wrongField('messages', say('programs.lastIsUser'));
  const newest = utteranceIn(said[at] ?? { role: 'user', at, given: '' }, true);
  if (newest.text.trim() === '' && newest.files.length === 0) throw wrongField('messages', say('requests.lastIsEmpty'));
  checkLength(newest.text, MAX_BODY, `messages.${at}.content`);
  const instructions = said
    .filter(({ role }) => role === 'system' || role === 'developer')
    .map((one) => utteranceIn(one, false).text.trim())
    .filter(Boolean)
    .join('\n\n');
  checkLength(instructions, MAX_INSTRUCTIONS, 'messages');
  return {
    before: said.slice(0, at).flatMap((one) => {
      const known = isSpoken(one.role) ? utteranceIn(one, false) : undefined;
      return known && (known.text.trim() !== '' || known.files.length > 0) ? [known] : [];
    }),
    newest,
    instructions,
    ignored: Object.entries(request).flatMap(([name, value]) =>
      UNDERSTOOD.has(name) || value === null || !/^\w{1,40}$/.test(name) ? [] : [name],
    ),
  };
}

const isSpoken = (role: string): boolean => role === 'user' || role === 'assistant';

function checkLength(given: string, max: number, field: string): void {
  if (given.length > max)
    throw new RequestError(413, 'too_large', say('requests.longText', { n: String(max / 1024) }), field);
}

/** Refuses options that ask for anything but one answer in text. */
function refuseUnmet(request: ChatRequest): void {
  const refused = (param: string) => wrongField(param, say('programs.unmet'));
  const { n, logprobs, top_logprobs, tool_choice, function_call, response_format, modalities } = request;
  if (typeof n === 'number' && n !== 1) throw refused('n');
  if (logprobs === true) throw refused('logprobs');
  if (typeof top_logprobs === 'number' && top_logprobs > 0) throw refused('top_logprobs');
  if (Array.isArray(modalities) && modalities.includes('audio')) throw refused('modalities');
  if (responseFormat(response_format) !== 'text') throw refused('response_format');
  if (requiresTool(tool_choice)) throw wrongField('tool_choice', say('programs.ownTools'));
  if (requiresTool(function_call)) throw wrongField('function_call', say('programs.ownTools'));
}

const responseFormat = (given: unknown): string => z.object({ type: z.string() }).safeParse(given).data?.type ?? 'text';

/** Matches `required`, and an object that names a tool or requires one of several. */
function requiresTool(choice: unknown): boolean {
  if (typeof choice !== 'object' || choice === null) return choice === 'required';
  const allowed = z.object({ allowed_tools: z.object({ mode: z.string() }) }).safeParse(choice).data;
  return allowed ? allowed.allowed_tools.mode === 'required' : true;
}

interface GivenMessage {
  role: string;
  at: number;
  given: z.infer<typeof content>;
}

/** @param isStrict refuses parts of unknown types */
function utteranceIn({ role, at, given }: GivenMessage, isStrict: boolean): Utterance {
  const parts = typeof given === 'string' ? [{ type: 'text', text: given }] : (given ?? []);
  const texts: string[] = [];
  const files: ChatText['files'][number][] = [];
  for (const [index, one] of parts.entries()) {
    const field = `messages.${at}.content.${index}`;
    const found = partOf(one, index, field);
    if (typeof found === 'string') texts.push(found);
    else if (found) files.push(found);
    else if (isStrict) throw wrongField(field, say('programs.unknownPart', { type: one.type.slice(0, 40) }));
  }
  return { role: role === 'assistant' ? 'assistant' : 'user', text: texts.join('\n'), files };
}

const TEXT_PARTS = z.object({ type: z.enum(['text', 'refusal']), text: z.string() });
const IMAGE = z.object({ image_url: z.union([z.string(), z.object({ url: z.string() }).transform(({ url }) => url)]) });
const AUDIO = z.object({ input_audio: z.object({ data: z.string(), format: z.string().max(20) }) });
const FILE = z.object({
  file: z.object({ file_data: z.string().nullish(), file_id: z.string().nullish(), filename: z.string().nullish() }),
});

function partOf(given: z.infer<typeof part>, index: number, field: string): string | ChatText['files'][number] | null {
  const named = (kind: string, url: string, ending: string) => ({
    name: `${kind}-${index + 1}${/^\w+$/.test(ending) ? `.${ending}` : ''}`,
    type: '',
    url,
    field,
  });
  switch (given.type) {
    case 'image_url': {
      const url = IMAGE.safeParse(given).data?.image_url;
      return url === undefined ? null : named('image', url, /^data:image\/(\w+)/i.exec(url)?.[1] ?? '');
    }
    case 'input_audio': {
      const audio = AUDIO.safeParse(given).data?.input_audio;
      return audio ? named('audio', `data:audio/${audio.format};base64,${audio.data}`, audio.format) : null;
    }
    case 'file': {
      const file = FILE.safeParse(given).data?.file;
      if (!file) return null;
      const data = file.file_data ?? '';
      const url = data === '' || /^data:/i.test(data) ? data : `data:application/octet-stream;base64,${data}`;
      const known = named('file', url || (file.file_id ?? ''), '');
      return file.filename ? { ...known, name: file.filename.slice(0, 1_000) } : known;
    }
    default:
      return TEXT_PARTS.safeParse(given).data?.text ?? null;
  }
}
