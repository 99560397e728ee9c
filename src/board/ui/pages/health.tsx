/** Stub. */
import type { JSX } from 'preact';
export function Health(_props: { name?: string | undefined; id?: string | undefined }): JSX.Element {
  return <p>Health</p>;
}
