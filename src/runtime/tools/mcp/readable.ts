/**
 * A message of a server as the library can read it. Many programs write null for what they leave out, and the library takes the whole
 * message for broken then: one null in one tool would cost all tools of the server, one in an answer a call that was carried out.
 */
import { isRecord } from '../../../lib/json.ts';

/** Below these stands data of the server's own, in which null says something. */
const DATA = new Set(['structuredContent', 'default', 'enum', 'const', 'examples']);

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

/** What servers leave out beside what the protocol lets them. */
function complete({ tools, serverInfo }: Record<string, unknown>): void {
  for (const tool of Array.isArray(tools) ? tools : []) if (isRecord(tool)) tool.inputSchema ??= { type: 'object' };
  if (isRecord(serverInfo)) serverInfo.version ??= '';
}
