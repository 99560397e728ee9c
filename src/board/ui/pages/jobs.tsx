/** Stub. */
import type { JSX } from 'preact';
export function Jobs(_props: { name?: string | undefined; id?: string | undefined }): JSX.Element {
  return <p>Jobs</p>;
}
