/**
 * Requests to the gateway. Each one carries the login's key, since the cookie alone grants nothing; an unexpected
 * answer becomes an ApiError with a readable message.
 */
import { signal } from '@preact/signals';
import { words } from '../words.ts';

export const KEY = 'viber-key';
const TIMEOUT_MS = 30_000;

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  /** The body of the answer, which may contain the current text. */
  readonly body: Record<string, unknown>;
  constructor(status: number, code: string, message: string, body: Record<string, unknown> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.body = body;
  }
}

export const isUnreachable = (error: unknown): boolean => error instanceof ApiError && error.code === 'unreachable';

/** Whether the gateway knows who is asking; undefined until the first answer. */
export const isLoggedIn = signal<boolean | undefined>(undefined);

export const storedKey = (): string | undefined => localStorage.getItem(KEY) ?? undefined;

export function keepKey(key: string): void {
  // The service worker's copy (`push.ts`) is another login's now.
  if ('caches' in window) void caches.delete('viber-login');
  localStorage.setItem(KEY, key);
  isLoggedIn.value = true;
}

export interface ApiRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  body?: unknown;
  signal?: AbortSignal;
}

export async function request(path: string, { method = 'GET', body, signal }: ApiRequest = {}): Promise<Response> {
  const key = storedKey();
  const isBytes = body instanceof Blob;
  const headers: Record<string, string> = {
    ...(key === undefined ? {} : { 'x-viber-key': key }),
    ...(body === undefined || isBytes ? {} : { 'content-type': 'application/json' }),
    ...(method === 'POST' && !isBytes ? { 'idempotency-key': crypto.randomUUID() } : {}),
  };
  const limit = isBytes ? [] : [AbortSignal.timeout(TIMEOUT_MS)];
  const response = await fetch(path, {
    method,
    headers,
    credentials: 'same-origin',
    cache: 'no-store',
    signal: AbortSignal.any([...limit, ...(signal ? [signal] : [])]),
    ...(body === undefined ? {} : { body: isBytes ? body : JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ApiError(0, 'unreachable', words.errors.unreachable);
  });
  if (response.ok) return response;
  throw await readError(response);
}

/** Returns the body of an answer. It may be of an adjacent version, so callers read its fields with care. */
export async function api<T>(path: string, asked: ApiRequest = {}): Promise<T> {
  const response = await request(path, asked);
  if (response.status === 204) return {} as T;
  return (await response.json()) as T;
}

async function readError(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => ({}));
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const { error } = fields;
  const { code = 'failed', message = words.errors.status(response.status) } =
    typeof error === 'object' && error !== null ? (error as { code?: string; message?: string }) : {};
  if (response.status === 401) isLoggedIn.value = false;
  return new ApiError(response.status, code, message, fields);
}

export const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));
