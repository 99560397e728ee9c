/** Stub. */
import type { JSX } from 'preact';
export function Skills(_props: { name?: string | undefined; id?: string | undefined }): JSX.Element {
  return <p>Skills</p>;
}
