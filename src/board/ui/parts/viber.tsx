/** Returns the viber that a page is about: from its address, or the one that serves the chats. */
import type { JSX } from 'preact';
import { me } from '../net/session.ts';
import { go, pageLink, place } from '../router.ts';
import { pageWords } from '../words-pages.ts';

export const viberShown = (): string => place.value.query.get('viber') ?? me.value?.viber ?? 'default';

/** Returns the query parameter for requests. */
export const viberAsked = (): string => `viber=${encodeURIComponent(viberShown())}`;

/** Returns the query parameter for links within the page; '' for the default viber. */
export const viberKept = (): string => (viberShown() === me.value?.viber ? '' : `&${viberAsked()}`);

export function ViberChoice({ page }: { page: string }): JSX.Element | null {
  const vibers = me.value?.vibers ?? [];
  if (vibers.length < 2) return null;
  return (
    <select
      aria-label={pageWords.files.whose}
      value={viberShown()}
      onChange={(event) => void go(`${pageLink(page)}?viber=${encodeURIComponent(event.currentTarget.value)}`)}
    >
      {vibers.map((id) => (
        <option key={id}>{id}</option>
      ))}
    </select>
  );
}
