/** How much of the program a plain message enters: the figures of `npm run path`, which may only fall. */
import { expect, test } from 'vitest';
import { pathOfHello } from './house.ts';

/** Functions are rounded up: a timer that fires on a slow machine calls a few more. */
const AT_MOST = { files: 140, functions: 905 };

test('a plain message enters no more files and functions than before', async () => {
  const { files, functions } = await pathOfHello();
  expect(files).toBeLessThanOrEqual(AT_MOST.files);
  expect(functions).toBeLessThanOrEqual(AT_MOST.functions);
});
