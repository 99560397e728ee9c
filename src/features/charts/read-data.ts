/** Reads a chart's data from an artifact of the task or a file of the workspace. */
import { UserError } from '../../errors.ts';
import { readableText } from '../../lib/charset.ts';
import { readBytes } from '../../lib/files/below.ts';
import type { ToolScope } from '../../runtime/contract/tool-scope.ts';
import { useFound } from '../../runtime/tools/paths.ts';

const MAX_BYTES = 10_000_000;

/** @throws UserError if the file doesn't exist, may not be read, is too large, or isn't text */
export async function readTextFile(scope: ToolScope, given: string): Promise<string> {
  return useFound(scope, given, async ({ fd, label, stat }) => {
    if (stat.size > MAX_BYTES) throw new UserError(`${label} is too large for a chart: the limit is 10 MB.`);
    const text = readableText(await readBytes(fd, MAX_BYTES));
    if (text === undefined) throw new UserError(`${label} isn't text: a chart needs CSV or JSON rows.`);
    return text;
  });
}
