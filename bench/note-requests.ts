/**
 * Records every HTTP request that a program makes, whatever its outcome: `node --import ./bench/note-requests.ts
 * PROGRAM`. Writes one line for each to REQUESTS_FILE: the time, the port, the path. This is the only way to see a
 * connection that is refused or never answered.
 */
import diagnostics from 'node:diagnostics_channel';
import fs from 'node:fs';
import type { ClientRequest } from 'node:http';

const file = process.env.REQUESTS_FILE ?? '';
const note = (port: string | number, path: string) => fs.appendFileSync(file, `${Date.now()} ${port} ${path}\n`);

diagnostics.subscribe('http.client.request.created', (message) => {
  const { request } = message as { request: ClientRequest };
  const [, port = ''] = /:(\d+)$/.exec(String(request.getHeader('host'))) ?? [];
  note(port, request.path);
});
diagnostics.subscribe('undici:request:create', (message) => {
  const { request } = message as { request: { origin: string; path: string } };
  note(new URL(String(request.origin)).port, request.path);
});
