import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// Each of the many processes parses the same libraries: kept, it costs them half.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules', '.cache', 'compile');

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    pool: 'forks',
    maxWorkers: 6,
    expect: { poll: { timeout: 5_000 } },
    // A shared machine may stall a process for seconds; what fails twice there is broken.
    retry: process.env.CI ? 1 : 0,
  },
});
