/** Stub. */
import type { JSX } from 'preact';
export function People(_props: { name?: string | undefined; id?: string | undefined }): JSX.Element {
  return <p>People</p>;
}
