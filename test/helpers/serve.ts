/** A server of the test's own. */
import { onTestFinished } from 'vitest';
import { type Handle, type ListenOptions, listen } from '../emulators/base/http.ts';

/** Starts listening, until the test ends; resolves with the address, without a path. */
export async function serve(handle: Handle, options: ListenOptions = {}): Promise<string> {
  const { url, close } = await listen(handle, options);
  onTestFinished(close);
  return url;
}
