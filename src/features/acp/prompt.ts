/** Parses the blocks of a prompt: text, and files that the editor embeds. Pure. */
import { z } from 'zod';

const mime = z.string().max(200).nullish();
const block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string().max(200), uri: z.string().nullish() }),
  z.object({ type: z.literal('audio'), data: z.string(), mimeType: z.string().max(200) }),
  z.object({ type: z.literal('resource_link'), uri: z.string().max(8_000), name: z.string().max(1_000) }),
  z.object({
    type: z.literal('resource'),
    resource: z.union([
      z.object({ uri: z.string().max(8_000), text: z.string(), mimeType: mime }),
      z.object({ uri: z.string().max(8_000), blob: z.string(), mimeType: mime }),
    ]),
  }),
]);
export const promptBlocks = z.array(block).min(1).max(200);

export interface PromptFile {
  name: string;
  type: string;
  bytes: Buffer;
}

export interface PromptWords {
  text: string;
  files: readonly PromptFile[];
}

export function promptWords(blocks: z.infer<typeof promptBlocks>): PromptWords {
  const words: string[] = [];
  const files: PromptFile[] = [];
  for (const [at, one] of blocks.entries()) {
    if (one.type === 'text') words.push(one.text);
    else if (one.type === 'resource_link') words.push(`[${one.name}](${one.uri})`);
    else files.push(promptFile(one, at));
  }
  return { text: words.join('\n').trim(), files };
}

type FileBlock = Exclude<z.infer<typeof block>, { type: 'text' | 'resource_link' }>;

function promptFile(one: FileBlock, at: number): PromptFile {
  if (one.type === 'resource') {
    const { resource } = one;
    const bytes = 'text' in resource ? Buffer.from(resource.text) : Buffer.from(resource.blob, 'base64');
    const type = resource.mimeType ?? ('text' in resource ? 'text/plain' : 'application/octet-stream');
    return { name: baseName(resource.uri) || `file-${at + 1}`, type, bytes };
  }
  const ending = /^\w+\/(\w{1,10})/.exec(one.mimeType)?.[1];
  const usual = `${one.type}-${at + 1}${ending === undefined ? '' : `.${ending}`}`;
  const name = one.type === 'image' && one.uri ? baseName(one.uri) || usual : usual;
  return { name, type: one.mimeType, bytes: Buffer.from(one.data, 'base64') };
}

/** Returns the last part of an address. It is used as a name, never as a path. */
function baseName(uri: string): string {
  const last =
    uri
      .replace(/[?#].*$/, '')
      .split('/')
      .findLast(Boolean) ?? '';
  try {
    return decodeURIComponent(last).slice(0, 200);
  } catch (error) {
    if (error instanceof URIError) return last.slice(0, 200);
    throw error;
  }
}
