/** A web server of the test with a certificate of its own, and the tool as a run has it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchBy } from '../../src/features/web/fetch/tool.ts';
import type { Resolve } from '../../src/lib/public-address.ts';
import type { RuntimeTool } from '../../src/runtime/contract/tool.ts';
import { bind } from '../../src/runtime/tools/bind.ts';
import { type Home, openHome } from '../../src/workspace/home.ts';
import type { ArtifactRef, Json } from '../../src/workspace/types.ts';
import { partsOf } from '../helpers/gateway.ts';
import { toolScope } from '../helpers/scope.ts';

export type Page = (request: IncomingMessage, response: ServerResponse) => void;

export interface Web {
  home: Home;
  origin: string;
  port: number;
  /** Set by each test; by path. */
  pages: Map<string, Page>;
  seen: IncomingMessage[];
  attached: ArtifactRef[];
  fetch(url: string, options?: FetchOptions): Promise<Record<string, Json>>;
  tool(options?: FetchOptions): RuntimeTool;
  close(): Promise<void>;
}

interface FetchOptions {
  what?: string;
  timeoutMs?: number;
  signal?: AbortSignal;
  resolve?: Resolve;
  allowedOrigins?: string[];
  /** Where a page may lead; anywhere unless told. */
  mayFollow?: (from: URL, to: URL) => Promise<boolean>;
}

/** A key and a certificate for localhost, made once for a test file. */
export function makeCertificate(): { key: string; cert: string } {
  const dir = mkdtempSync(join(tmpdir(), 'web-cert-'));
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-days', '2'];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', cert, ...subject], { stdio: 'pipe' });
  const made = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
  rmSync(dir, { recursive: true });
  return made;
}

export async function openWeb(): Promise<Web> {
  const certificate = makeCertificate();
  const root = mkdtempSync(join(tmpdir(), 'web-'));
  const home = await openHome(root);
  const pages = new Map<string, Page>();
  const seen: IncomingMessage[] = [];
  const attached: ArtifactRef[] = [];
  const server = createServer({ ...certificate, maxHeaderSize: 65_536 }, (request, response) => {
    seen.push(request);
    const page = pages.get(request.url?.split('?')[0] ?? '');
    if (page) return page(request, response);
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>No such page</h1>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `https://localhost:${port}`;
  const scope = toolScope(home, { taskId: 'task1', onArtifact: (ref) => void attached.push(ref) });
  const tool = ({ timeoutMs, resolve, allowedOrigins = [origin], mayFollow = async () => true }: FetchOptions = {}) =>
    bind(
      {
        ...fetchBy(() => ({
          allowedOrigins,
          ca: certificate.cert,
          ...(timeoutMs && { timeoutMs }),
          ...(resolve && { resolve }),
        })),
        name: 'web-fetch',
        describe: '',
      },
      { scope: { ...scope, mayFollow }, gw: partsOf({}) },
    );
  return {
    ...{ home, origin, port, pages, seen, attached, tool },
    async fetch(url, options = {}) {
      const made = tool(options);
      const { what, signal = new AbortController().signal } = options;
      const given = made.input.parse({ url, ...(what && { what }) });
      return (await made.execute(given, { signal, callId: 'c' })) as Record<string, Json>;
    },
    close() {
      rmSync(root, { recursive: true, force: true });
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
