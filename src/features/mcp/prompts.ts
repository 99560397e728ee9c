/**
 * Lists and reads prompts that servers offer for people to choose.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
 */
import { visibleText } from '../../runtime/context/turn.ts';
import { visibleExcerpt } from './answer.ts';
import type { Client } from './connect.ts';
import { listPages } from './pages.ts';

export interface ServerPrompt {
  server: string;
  name: string;
  description: string;
  arguments: { name: string; description: string; isRequired: boolean }[];
}

const MAX_PROMPTS = 100;
const MAX_PAGES = 10;
const MAX_NAME = 100;
const MAX_WORDS = 300;
const MAX_ARGUMENTS = 10;
/** The limit for a prompt in characters, as for a quotation. */
const MAX_TEXT = 8_000;
const READ_MS = 30_000;

export async function listPrompts(
  client: Pick<Client, 'listPrompts' | 'initializeResult'>,
  server: string,
  { signal, onRefused }: { signal: AbortSignal; onRefused(error: unknown): void },
): Promise<ServerPrompt[]> {
  if (!client.initializeResult.capabilities.prompts) return [];
  const found = new Map<string, ServerPrompt>();
  const pages = listPages({
    read: (which) => client.listPrompts({ ...which, options: { signal } }),
    maxPages: MAX_PAGES,
    onRefused,
  });
  for await (const { prompts } of pages) {
    for (const { name, title, description, arguments: given = [] } of prompts) {
      if (name.length > MAX_NAME || visibleText(name) !== name || /\s/.test(name)) continue;
      const args = given.slice(0, MAX_ARGUMENTS).map((each) => ({
        name: visibleExcerpt(each.name, MAX_NAME),
        description: visibleExcerpt(each.description ?? '', MAX_WORDS),
        isRequired: each.required === true,
      }));
      const words = visibleExcerpt(description ?? title ?? '', MAX_WORDS);
      found.set(name, { server, name, description: words, arguments: args });
    }
    if (found.size >= MAX_PROMPTS) break;
  }
  return [...found.values()].slice(0, MAX_PROMPTS);
}

/** Returns the whole prompt as one text; pictures and files in it are only named. */
export async function readPrompt(
  client: Pick<Client, 'getPrompt'>,
  name: string,
  values: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<string> {
  const { messages } = await client.getPrompt({
    name,
    arguments: { ...values },
    options: { signal, timeout: READ_MS },
  });
  const isDialogue = messages.some(({ role }) => role === 'assistant');
  const texts = messages.map(({ role, content }) => {
    const text =
      content.type === 'text' ? content.text : content.type === 'resource' ? resourceText(content) : undefined;
    const words = text ?? `[${content.type}]`;
    return isDialogue ? `${role}: ${words}` : words;
  });
  return visibleExcerpt(texts.join('\n\n'), MAX_TEXT);
}

const resourceText = ({ resource }: { resource: object }): string | undefined =>
  'text' in resource && typeof resource.text === 'string' ? resource.text : undefined;
