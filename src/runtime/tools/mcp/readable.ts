/**
 * A message of a server as the library can read it. Many programs write null for what they leave out, or base64 in lines, and the
 * library takes the whole message for broken then: one null in one tool would cost all tools of the server, a picture the answer of a
 * call that was carried out.
 */
import { isRecord } from '../../../lib/json.ts';

/** Below these stands data of the server's own, in which null says something. */
const DATA = new Set(['structuredContent', 'default', 'enum', 'const', 'examples']);

const DATA_URL = /^\s{0,9}data:([\w.+-]{1,64}\/[\w.+-]{1,64})?[^,]{0,200},/i;

/** Changes the message and gives it back. It goes without recursion, since a server may nest as deep as it likes. */
export function readable(message: unknown): unknown {
  const waiting: object[] = [];
  const visit = (value: unknown) => {
    if (typeof value === 'object' && value !== null) waiting.push(value);
  };
  visit(message);
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    if (Array.isArray(each)) each.forEach(visit);
    else if (isRecord(each)) {
      // A null id says that the server could not tell whose the answer is.
      dropNulls(each, each === message);
      mendFile(each);
      for (const [key, value] of Object.entries(each)) if (!DATA.has(key)) visit(value);
    }
  }
  if (isRecord(message) && isRecord(message.result)) complete(message.result);
  return message;
}

function dropNulls(record: Record<string, unknown>, isMessage: boolean): void {
  for (const [key, value] of Object.entries(record))
    if (value === null && !DATA.has(key) && !(isMessage && key === 'id')) delete record[key];
}

/** A file in an answer: its base64 as strict as the library wants it, and with a type. */
function mendFile(record: Record<string, unknown>): void {
  const key = record.type === 'image' || record.type === 'audio' ? 'data' : 'blob';
  const { [key]: given } = record;
  if (typeof given !== 'string') return;
  const [, type] = DATA_URL.exec(given) ?? [];
  const plain = given.replace(DATA_URL, '').replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/');
  const bare = plain.replace(/={1,2}$/, '');
  record[key] = bare.padEnd(Math.ceil(bare.length / 4) * 4, '=');
  record.mimeType ??= type ?? 'application/octet-stream';
}

/** What servers leave out beside what the protocol lets them. */
function complete({ tools, serverInfo }: Record<string, unknown>): void {
  for (const tool of Array.isArray(tools) ? tools : []) if (isRecord(tool)) tool.inputSchema ??= { type: 'object' };
  if (isRecord(serverInfo)) serverInfo.version ??= '';
}
