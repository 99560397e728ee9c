/** Stub. */
import type { JSX } from 'preact';
export function Agents(_props: { name?: string | undefined; id?: string | undefined }): JSX.Element {
  return <p>Agents</p>;
}
