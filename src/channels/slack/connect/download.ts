/**
 * Downloads a message's file. Invariant: the token goes only to Slack's file host (or the exact origin of another
 * `apiRoot`), and never along a redirect. https://docs.slack.dev/reference/objects/file-object/#authentication
 */
import { UserError } from '../../../errors.ts';
import type { RemoteFile } from '../../channel.ts';
import { TransportError } from '../../shared/connection.ts';
import * as shared from '../../shared/download.ts';
import { fields } from '../../shared/read.ts';
import { remoteFile } from '../decode/files.ts';
import { LIMITS, type SlackContext } from '../options.ts';
import { SlackError } from './api.ts';
import { isSignIn } from './sign-in-page.ts';
import type { Answer, Transport } from './transport.ts';

const HEAD_MS = 20_000;
/** The beginning of a page to read before it counts as the file. */
const HEAD_BYTES = 64 * 1024;
/** Types that Slack serves as a page: pages, mails, and its own documents, whose type is corrected on arrival. */
const PAGES = /^(text\/html|application\/xhtml\+xml|application\/vnd\.slack-[\w-]+|message\/rfc822)$/;

export function createDownload({ api, transport, hosts, options }: SlackContext): shared.Download {
  return shared.createPlatformDownload({
    platform: 'Slack',
    maxBytes: LIMITS.downloadBytes,
    async begin(transfer) {
      const { url, facts } = await lookUp(api, transfer);
      if (facts) transfer.file = facts;
      transfer.expect(facts?.size);
      if (!hosts.isFiles(url))
        throw new UserError(`The file ${transfer.file.name} is stored outside Slack, so I can't fetch it.`);
      const answer = await head(transport, url, options.botToken, transfer);
      try {
        judge(answer, transfer);
      } catch (error) {
        answer.body.destroy();
        throw error;
      }
      const { headers, body } = answer;
      if (!isPage(answer) || headers['content-disposition'] !== undefined) return body;
      transfer.file = { ...transfer.file, mimeType: 'text/html' };
      return unlessSignIn(body, transfer);
    },
  });
}

/** Returns the download URL and, if Slack had to be asked, what the event omitted about the file. */
async function lookUp(
  api: SlackContext['api'],
  transfer: shared.Transfer,
): Promise<{ url: string; facts?: RemoteFile }> {
  const [id = '', known] = transfer.file.id.split(' ', 2);
  if (known !== undefined) return { url: known };
  try {
    const facts = remoteFile(fields(await api.call('files.info', { file: id }), 'file') ?? {});
    const [, url = ''] = facts?.id.split(' ', 2) ?? [];
    return { url, ...(facts && { facts }) };
  } catch (error) {
    if (!(error instanceof SlackError)) throw error;
    if (error.code === 'missing_scope') throw lacksScope(transfer);
    if (error.kind === 'refused' && error.retryAfterMs === undefined) throw transfer.gone();
    throw transfer.broken(error.message);
  }
}

async function head(transport: Transport, url: string, token: string, transfer: shared.Transfer): Promise<Answer> {
  try {
    const headers = { authorization: `Bearer ${token}` };
    return await transport.request(url, { method: 'GET', headers, timeoutMs: HEAD_MS, signal: transfer.signal });
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    throw transfer.broken(transfer.signal.aborted ? error : error.message);
  }
}

/** Throws for an answer that isn't the file. Without access, Slack answers with 200 or a redirect to a sign-in page. */
function judge(answer: Answer, transfer: shared.Transfer): void {
  const { status, headers } = answer;
  const isRedirect = status >= 300 && status < 400;
  const isWrong = isPage(answer) && !PAGES.test(transfer.file.mimeType) && status < 500;
  if (isRedirect || status === 401 || status === 403 || isWrong) throw lacksScope(transfer);
  if (status === 404 || status === 410) throw transfer.gone();
  if (status !== 200) throw transfer.broken(`status ${status}`);
  transfer.expect(Number(headers['content-length'] ?? 0));
}

const isPage = ({ headers }: Answer): boolean => /^text\/html\b/i.test(headers['content-type'] ?? '');

/** Reads the beginning of a page before passing any of it on. @throws UserError for a sign-in page */
async function* unlessSignIn(body: AsyncIterable<Buffer>, transfer: shared.Transfer): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of body) {
    head = head && Buffer.concat([head, chunk]);
    if (head && head.length < HEAD_BYTES) continue;
    if (head && isSignIn(head.toString('utf8'))) throw lacksScope(transfer);
    yield head ?? chunk;
    head = undefined;
  }
  if (!head) return;
  if (isSignIn(head.toString('utf8'))) throw lacksScope(transfer);
  yield head;
}

function lacksScope({ file }: shared.Transfer): UserError {
  return new UserError(
    `Slack doesn't let me read the file ${file.name}. The app needs the scope files:read and must be in the channel.`,
  );
}
