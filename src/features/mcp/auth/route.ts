/** The page that a login redirects the browser to. It needs no token: the state of a login, used once, is the proof. */
import type http from 'node:http';
import { acceptedLanguage } from '../../../board/respond.ts';
import { messagesIn, say } from '../../../messages/messages.ts';
import type { OpenRoute } from '../../../runtime/contract/board.ts';
import type { Gateway } from '../../gateway.ts';
import { CALLBACK_PATH, endByBrowser } from './chat.ts';
import { readReturned } from './returned.ts';

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
} as const;

export const callbackRoute = (gw: Gateway): OpenRoute => ({
  method: 'GET',
  path: CALLBACK_PATH,
  async handle({ request, response, url }) {
    const messages = messagesIn(acceptedLanguage(request) ?? 'en');
    const returned = readReturned(url.href);
    // A link preview that requests only the headers must not use up the login.
    const isAsked = request.method === 'GET' && returned !== undefined;
    const ended = isAsked ? await endByBrowser(returned, gw) : undefined;
    const said = !ended?.name
      ? say('mcp.pageGone')
      : ended.isDone
        ? say('mcp.page', { name: ended.name })
        : say('mcp.pageFailed');
    sendPage(response, ended?.isDone ? 200 : 400, messages.said(said), messages.language);
  },
});

function sendPage(response: http.ServerResponse, status: number, text: string, language: string): void {
  const shown = text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const style = 'font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1rem';
  const page = `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>OpenViber</title><body style="${style}"><p>${shown}</p>`;
  response.writeHead(status, { ...HEADERS, 'content-length': Buffer.byteLength(page) }).end(page);
}
