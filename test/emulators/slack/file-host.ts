/** The host from which files are downloaded and to which they are uploaded. */
import type { Answer } from './answer.ts';
import type { Platform } from './platform.ts';

export interface FileHost {
  /** Returns the file in the body of an upload: raw, or the first file of a form. */
  unpack(contentType: string, body: Buffer): Promise<Buffer>;
  upload(path: string, bytes: Buffer): Answer;
  download(path: string, token: string | undefined): Answer;
}

const LOGIN = '<!DOCTYPE html><html><head><title>Sign in | Slack</title></head><body>Sign in to Slack</body></html>';

function plain(status: number, body: string): Answer {
  return { status, headers: { 'content-type': 'text/plain' }, body };
}

export function createFileHost(platform: Platform): FileHost {
  return {
    async unpack(contentType, body) {
      if (!contentType.startsWith('multipart/form-data')) return body;
      const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
      for (const value of form.values()) if (value instanceof File) return Buffer.from(await value.arrayBuffer());
      return Buffer.alloc(0);
    },
    upload(path, bytes) {
      const file = platform.world.files.get(path.slice('/upload/v1/'.length));
      if (file?.state !== 'announced') return plain(404, 'not found');
      // The upload must match its announcement.
      if (bytes.length !== file.size) return plain(400, `expected ${file.size} bytes, got ${bytes.length}`);
      platform.world.fill(file, bytes);
      return plain(200, `OK - ${bytes.length}`);
    },
    download(path, token) {
      const id = /^\/files-pri\/[^/]*-(F\w+)\//.exec(path)?.[1] ?? '';
      const isAllowed = token === platform.botToken && platform.scopes().has('files:read');
      // Somebody who may not see it gets the login page, with status 200.
      if (!isAllowed) return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: LOGIN };
      const file = platform.world.files.get(id);
      if (!file?.bytes || file.state !== 'complete') return plain(404, 'not found');
      // Canvases and the like have no bytes of their own; they are delivered as pages.
      const type = file.mimeType === 'application/vnd.slack-docs' ? 'text/html; charset=utf-8' : file.mimeType;
      return { status: 200, headers: { 'content-type': type }, body: file.bytes };
    },
  };
}
