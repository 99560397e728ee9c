/** Stub. */
import type { JSX } from 'preact';
export function Memory(_props: { name?: string | undefined; id?: string | undefined }): JSX.Element {
  return <p>Memory</p>;
}
