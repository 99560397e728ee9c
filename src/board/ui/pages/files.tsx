/** Stub. */
import type { JSX } from 'preact';
export function Files(_props: { name?: string | undefined; id?: string | undefined }): JSX.Element {
  return <p>Files</p>;
}
