import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('the demo plays to its end and the file survives the restart', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['test/demo.ts'], { timeout: 200_000 });
  expect(stdout).toMatch(
    /alex: make a plan[\s\S]*\[file\] report\.md[\s\S]*killed[\s\S]*\/viber plan[\s\S]*Discord[\s\S]*is the same/,
  );
});
