/**
 * Recognises a web page in place of a model's answer. A login, a proxy and a website at a wrong address send one with
 * any status; no provider does.
 */

/** Thrown for a page with the status of an answer. Its text never leaves: it may be anybody's. */
export class WebPageError extends Error {
  override name = 'WebPageError';
  constructor() {
    super('a web page instead of an answer');
  }
}

const PAGES = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;
/** Other statuses with a page mean what they say: the key, a limit, or a failure of the server. */
const NOBODYS = new Set([400, 403, 404, 405, 407, 410, 511]);

export const isPageType = (type: unknown): boolean => typeof type === 'string' && PAGES.test(type);

interface ErrorResponse {
  statusCode?: number;
  responseHeaders?: Record<string, string>;
  responseBody?: string;
}

/** Follows causes, because the SDK wraps the errors of its fetch. */
export function isWebPage(thrown: unknown): boolean {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 6; error = error.cause, depth += 1) {
    if (error instanceof WebPageError) return true;
    const { statusCode, responseHeaders, responseBody } = error as ErrorResponse;
    const isPage = isPageType(responseHeaders?.['content-type']) && !/^\s*[{[]/.test(responseBody ?? '');
    if (NOBODYS.has(statusCode ?? 0) && isPage) return true;
  }
  return false;
}
