/**
 * Search engines over HTTP: a self-hosted SearXNG, and Brave and Tavily with a key. Invariants: only the query is sent.
 * Redirects are refused, because requests carry a key. An answer is read up to a limit and parsed once. Results are
 * untrusted data.
 */

import { z } from 'zod';
import { errorCode, UserError } from '../../../errors.ts';
import { parseJson } from '../../../lib/json.ts';

export interface SearchHit {
  title: string;
  url: string;
  text: string;
}

export interface Searcher {
  /** The name shown to people, who see where the query goes. */
  name: string;
  /**
   * @throws {UserError} with what to fix
   * @throws the signal's reason
   */
  search(query: string, signal: AbortSignal): Promise<{ results: SearchHit[]; answer?: string }>;
}

export type EngineName = 'searxng' | 'brave' | 'tavily';

const MAX_RESULTS = 8;
const MAX_TITLE = 200;
const MAX_TEXT = 600;
const MAX_BYTES = 2_000_000;
const TIMEOUT_MS = 20_000;

const item = z.object({ title: z.string().nullish(), url: z.string(), content: z.string().nullish() });
const searxng = z.object({ results: z.array(item), answers: z.array(z.unknown()).optional() });
const brave = z.object({
  web: z
    .object({
      results: z.array(z.object({ title: z.string(), url: z.string(), description: z.string().nullish() })),
    })
    .nullish(),
});
const tavily = z.object({ results: z.array(item) });

/** A request: everything that is sent to a search engine. */
interface EngineRequest {
  url: URL;
  init: RequestInit;
}

/** @param url SearXNG's address, or a different address for the other engines */
export function searchEngine(engine: EngineName, { url, apiKey }: { url?: string; apiKey?: string }): Searcher {
  const { name, ask, read, refused } = ENGINES[engine];
  const from = (url ?? ADDRESSES[engine]).replace(/\/+$/, '');
  return {
    name,
    async search(query, signal) {
      const { status, data } = await fetched(name, ask(query, from, apiKey ?? ''), signal);
      const refusal = refused(status, data);
      if (refusal !== undefined) throw new UserError(refusal);
      if (status === 429) throw new UserError(`${name} is limiting our requests: try again in a moment.`);
      if (status < 200 || status > 299) throw new UserError(`${name} did not answer the search (status ${status}).`);
      const results = read(data);
      if (!results) throw new UserError(`${name} gave an answer that isn't a search result: check search.url.`);
      return { results: results.flatMap(tidy).slice(0, MAX_RESULTS) };
    },
  };
}

const ADDRESSES: Record<EngineName, string> = {
  searxng: 'http://127.0.0.1:8080',
  brave: 'https://api.search.brave.com',
  tavily: 'https://api.tavily.com',
};

interface Engine {
  name: string;
  ask(query: string, from: string, key: string): EngineRequest;
  /** Returns undefined if the data has another shape. */
  read(data: unknown): { title?: string | null | undefined; url: string; text: string }[] | undefined;
  /** Returns why the engine refused, and the setting that fixes it. */
  refused(status: number, data: unknown): string | undefined;
}

const keyRefused = (name: string) => (status: number) =>
  status === 401 || status === 403 ? `${name} did not accept the key: check search.apiKey.` : undefined;

const ENGINES: Record<EngineName, Engine> = {
  searxng: {
    name: 'SearXNG',
    ask: (query, from) => ({
      url: withQuery(`${from}/search`, { q: query, format: 'json' }),
      init: { headers: { accept: 'application/json' } },
    }),
    read: (data) =>
      searxng.safeParse(data).data?.results.map(({ title, url, content }) => ({ title, url, text: content ?? '' })),
    // SearXNG refuses formats that aren't enabled; most instances enable only HTML.
    refused: (status, data) =>
      status === 403 || (status === 200 && data === undefined)
        ? "SearXNG doesn't return JSON: add json to search.formats in its settings.yml."
        : undefined,
  },
  brave: {
    name: 'Brave',
    ask: (query, from, key) => ({
      url: withQuery(`${from}/res/v1/web/search`, { q: query, count: String(MAX_RESULTS) }),
      init: { headers: { accept: 'application/json', 'x-subscription-token': key } },
    }),
    read(data) {
      const found = brave.safeParse(data).data;
      return (
        found &&
        (found.web?.results ?? []).map(({ title, url, description }) => ({
          title,
          url,
          text: description ?? '',
        }))
      );
    },
    // Brave reports a wrong token with status 422 and this code.
    refused: (status, data) =>
      keyRefused('Brave')(JSON.stringify(data ?? '').includes('SUBSCRIPTION_TOKEN_INVALID') ? 401 : status),
  },
  tavily: {
    name: 'Tavily',
    ask: (query, from, key) => ({
      url: new URL(`${from}/search`),
      init: {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body: JSON.stringify({ query, max_results: MAX_RESULTS, search_depth: 'basic' }),
      },
    }),
    read: (data) =>
      tavily.safeParse(data).data?.results.map(({ title, url, content }) => ({ title, url, text: content ?? '' })),
    refused: (status) =>
      status === 432 || status === 433
        ? 'Your plan at Tavily has no searches left: raise its limit there, or set another search.by.'
        : keyRefused('Tavily')(status),
  },
};

function withQuery(address: string, values: Record<string, string>): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
  return url;
}

/** Returns the answer's JSON, or undefined if it is not JSON. */
async function fetched(
  name: string,
  { url, init }: EngineRequest,
  signal: AbortSignal,
): Promise<{ status: number; data: unknown }> {
  const late = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.any([signal, late]) });
    const text = await readLimited(response);
    return { status: response.status, data: parseJson(text) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UserError) throw error;
    if (late.aborted) throw new UserError(`${name} took longer than ${TIMEOUT_MS / 1000} seconds.`);
    const cause = error instanceof Error ? error.cause : undefined;
    const code = errorCode(cause) ?? errorCode(error) ?? 'no connection';
    throw new UserError(`${name} cannot be reached at ${url.origin} (${code}): check search.url.`);
  }
}

async function readLimited(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > MAX_BYTES) throw new UserError('The answer to the search never ends.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Keeps only web addresses, and strips HTML. */
function tidy({ title, url, text }: { title?: string | null | undefined; url: string; text: string }): SearchHit[] {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return [];
  return [
    { title: plainExcerpt(title ?? '', MAX_TITLE) || new URL(url).host, url, text: plainExcerpt(text, MAX_TEXT) },
  ];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };

function plainExcerpt(text: string, max: number): string {
  const bare = text
    .replace(/<[^<>]*>/g, '')
    .replace(/&(amp|lt|gt|quot|#39|#x27);/g, (_, name: string) => ENTITIES[name] ?? '');
  return bare.replace(/\s+/g, ' ').trim().slice(0, max).toWellFormed();
}
