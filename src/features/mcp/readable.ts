/**
 * Makes a server's message readable for the library. Many programs write null for fields they omit, or base64 in lines,
 * and the library then rejects the whole message: one null in one tool would lose all tools of the server, a picture
 * the result of a call that was executed.
 */
import { isRecord } from '../../lib/json.ts';
import { cutNesting } from './nesting.ts';

/** Keys whose values are the server's own data, in which null has a meaning. */
const DATA = new Set(['structuredContent', 'default', 'enum', 'const', 'examples']);

const DATA_URL = /^\s{0,9}data:([\w.+-]{1,64}\/[\w.+-]{1,64})?[^,]{0,200},/i;

/** Changes the message and returns it. Avoids recursion, since a server may nest arbitrarily deep. */
export function makeReadable(message: unknown): unknown {
  const waiting: object[] = [];
  const visit = (value: unknown) => {
    if (typeof value === 'object' && value !== null) waiting.push(value);
  };
  visit(message);
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    if (Array.isArray(each)) each.forEach(visit);
    else if (isRecord(each)) {
      // A null ID means that the server could not tell which call its answer belongs to.
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

/** Normalizes a file in an answer: strict base64, as the library requires, and a type. */
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

/** Adds fields that servers omit although the protocol requires them, and cuts tools that are nested too deep. */
function complete(result: Record<string, unknown>): void {
  const { tools, serverInfo } = result;
  if (Array.isArray(tools))
    result.tools = tools.map((tool) =>
      isRecord(tool) ? { inputSchema: { type: 'object' }, ...cutNesting(tool) } : tool,
    );
  if (isRecord(serverInfo)) serverInfo.version ??= '';
}
