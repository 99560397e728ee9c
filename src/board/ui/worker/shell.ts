/**
 * Keeps the page and the files of its build, and nothing else: no answer of the gateway is ever stored. The page comes
 * from the gateway while it can be reached. A tab of an earlier build finds that build's files here, so a new build
 * needs no reload.
 */

declare const SHELL_FILES: readonly string[];
declare const SHELL_BUILD: string;

const PAGE = '/board/';
const FILES = '/board/assets/';
const PREFIX = 'viber-shell-';
const OWN = PREFIX + SHELL_BUILD;
/** How many builds are kept, with this one. */
const KEPT = 3;
/** How long the gateway has to answer before the kept page is shown, in ms. */
const PATIENCE_MS = 5_000;
/** What proxies answer while the gateway is down. */
const DOWN = [502, 503, 504];

/** All or nothing: if a file is missing, the earlier service worker stays. */
export async function installShell(): Promise<void> {
  const cache = await caches.open(OWN);
  await cache.addAll([new Request(PAGE, { cache: 'no-cache' }), ...SHELL_FILES]);
}

/** Deletes all but the newest builds. */
export async function forgetBuilds(): Promise<void> {
  // In the order in which they were opened; this build may be an earlier one again.
  const builds = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== OWN);
  await Promise.all(builds.slice(0, Math.max(0, builds.length - KEPT + 1)).map((name) => caches.delete(name)));
}

/** Returns undefined for what the browser shall fetch by itself. */
export function answerOf(request: Request): Promise<Response> | undefined {
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return undefined;
  if (pathname.startsWith(FILES)) return assetFor(request);
  const isPage = pathname.startsWith(PAGE) && !pathname.slice(pathname.lastIndexOf('/')).includes('.');
  return request.mode === 'navigate' && isPage ? pageFor(request) : undefined;
}

const keptAnswer = (asked: Request | string): Promise<Response | undefined> =>
  caches.match(asked, { ignoreVary: true });

const assetFor = async (request: Request): Promise<Response> => (await keptAnswer(request)) ?? fetch(request);

async function pageFor(request: Request): Promise<Response> {
  const asked = fetch(request);
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, PATIENCE_MS));
  // Without an answer, the kept page is shown.
  const answer = await Promise.race([asked.catch(() => undefined), late]);
  if (answer !== undefined && !DOWN.includes(answer.status)) return answer;
  const kept = await (await caches.open(OWN)).match(PAGE, { ignoreVary: true });
  return kept ?? answer ?? asked;
}
