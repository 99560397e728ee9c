/** Whose files, skills or memory a page shows: the viber of its address, else the one that serves the chats. */
import type { JSX } from 'preact';
import { me } from '../net/session.ts';
import { go, link, place } from '../router.ts';
import { pageWords } from '../words-pages.ts';

export const viberShown = (): string => place.value.query.get('viber') ?? me.value?.viber ?? 'default';

/** For requests. */
export const viberAsked = (): string => `viber=${encodeURIComponent(viberShown())}`;

/** For links within the page; '' for the usual one. */
export const viberKept = (): string => (viberShown() === me.value?.viber ? '' : `&${viberAsked()}`);

export function ViberChoice({ page }: { page: string }): JSX.Element | null {
  const vibers = (me.value?.vibers ?? []).map((one) => (typeof one === 'string' ? one : one.id));
  if (vibers.length < 2) return null;
  return (
    <select
      aria-label={pageWords.files.whose}
      value={viberShown()}
      onChange={(event) => void go(`${link(page)}?viber=${encodeURIComponent(event.currentTarget.value)}`)}
    >
      {vibers.map((id) => (
        <option key={id}>{id}</option>
      ))}
    </select>
  );
}
