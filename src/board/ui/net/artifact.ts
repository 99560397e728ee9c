/** A task's file: its address, its bytes, and saving it. The bytes are fetched with the key, which a link couldn't carry. */
import { go, place } from '../router.ts';
import { request } from './api.ts';

export const isArtifactRef = (ref: string): boolean => /^artifacts\/[^/]+\/[^/]+$/.test(ref);

const address = (ref: string): string => `/api/${ref.split('/').map(encodeURIComponent).join('/')}`;

export interface ArtifactBytes {
  name: string;
  /** The type that the gateway gives, in lower case and without parameters. */
  type: string;
  bytes: Blob;
}

/** @throws {ApiError} for a file that is gone or may not be seen */
export async function fetchArtifact(ref: string, signal?: AbortSignal): Promise<ArtifactBytes> {
  const response = await request(address(ref), signal ? { signal } : {});
  const given = /filename\*=UTF-8''([^;]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1];
  const type = (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return {
    name: given === undefined ? (ref.split('/').at(-1) ?? ref) : decodeURIComponent(given),
    type,
    bytes: await response.blob(),
  };
}

/** Saves bytes under a name, never as anything that a browser shows. */
export function saveFile(name: string, bytes: Blob): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function besideLink(name: 'open' | 'why', value: string | undefined): string {
  const query = new URLSearchParams(place.value.query);
  if (value === undefined) query.delete(name);
  else query.set(name, value);
  return location.pathname + (query.size === 0 ? '' : `?${query}`);
}

/** Returns the link that opens the file beside the current page. */
export const openLink = (ref: string | undefined): string => besideLink('open', ref);

export const openedRef = (): string | undefined => {
  const ref = place.value.query.get('open');
  return ref !== null && isArtifactRef(ref) ? ref : undefined;
};

export const closeFile = (): void => void go(openLink(undefined), { replace: true });

export interface OpenedWhy {
  taskId: string;
  runId: string;
}

/** Returns the link that explains an answer beside the current page. An open file would be above it. */
export function whyLink({ taskId, runId }: OpenedWhy): string {
  const query = new URLSearchParams(place.value.query);
  query.delete('open');
  query.set('why', `${taskId}/${runId}`);
  return `${location.pathname}?${query}`;
}

export function openedWhy(): OpenedWhy | undefined {
  const [, taskId, runId] = /^([\w-]+)\/([\w-]+)$/.exec(place.value.query.get('why') ?? '') ?? [];
  return taskId === undefined || runId === undefined ? undefined : { taskId, runId };
}

export const closeWhy = (): void => void go(besideLink('why', undefined), { replace: true });
