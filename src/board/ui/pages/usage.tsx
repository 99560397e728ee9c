/** Stub. */
import type { JSX } from 'preact';
export function Usage(_props: { name?: string | undefined; id?: string | undefined }): JSX.Element {
  return <p>Usage</p>;
}
