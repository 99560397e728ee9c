/** Stub. */
import type { JSX } from 'preact';
export function Logs(_props: { name?: string | undefined; id?: string | undefined }): JSX.Element {
  return <p>Logs</p>;
}
