/** The data of a chart out of an artifact of the task or a file of the workspace. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { UserError } from '../../errors.ts';
import { readableText } from '../../lib/charset.ts';
import type { ToolScope } from '../../runtime/contract/tool-scope.ts';
import { findFile } from '../../runtime/tools/paths.ts';

const MAX_BYTES = 10_000_000;

/** Throws UserError when there is no such file, it may not be read, is too large, or is no text. */
export async function readTextFile(scope: ToolScope, given: string): Promise<string> {
  const { file, label } = await findFile(scope, given);
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await handle.stat();
    if (!stat.isFile()) throw new UserError(`${label} is not a file.`);
    if (stat.size > MAX_BYTES) throw new UserError(`${label} is too large for a chart: at most 10 MB.`);
    const bytes = await handle.readFile();
    const text = readableText(bytes);
    if (text === undefined) throw new UserError(`${label} is not text: a chart needs CSV or JSON rows.`);
    return text;
  } finally {
    await handle.close();
  }
}
