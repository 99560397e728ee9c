/** Describes a skill from elsewhere before a person decides about it. Pure. */
import { lines, type Messages, sentences, type Text, words } from '../../../messages/messages.ts';
import type { OfferedSkill } from '../../../skills/add/add.ts';

/** Sanitises other people's text for its place: removes Markdown for a chat, control characters for a terminal. */
export type Plain = (text: string) => string;

const MAX_NAMES = 8;
const MAX_DESCRIPTION = 500;

/** Shortens a commit or a digest to its beginning, which is enough to tell it apart. */
export const shortVersion = (version: string): string =>
  /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(version) ? version.slice(0, 10) : version;

export function offerText({ about, source, version, update }: OfferedSkill, messages: Messages, plain: Plain): Text {
  const { name, description, isTool, hasNetwork, programs, needs, tools, unseen, left } = about;
  const list = (names: readonly string[]) => {
    const rest = names.length - MAX_NAMES;
    const shown = names.slice(0, MAX_NAMES).map(plain);
    return rest > 0 ? `${shown.join(', ')} ${messages.text('adding.more', { n: rest })}` : shown.join(', ');
  };
  const named = { name: plain(name), source: plain(source) };
  const short = plain(shortVersion(version));
  const head =
    short === ''
      ? messages.text('adding.from', named)
      : messages.text('adding.fromVersion', { ...named, version: short });
  const told: (Text | '')[] = [
    messages.text(isTool ? 'adding.isTool' : 'adding.isRead'),
    hasNetwork ? messages.text('adding.network') : '',
    messages.text('adding.files', { n: about.files, size: sizeWithUnit(about.bytes, messages) }),
    programs.length > 0 ? messages.text('adding.programs', { names: list(programs) }) : '',
    needs.length > 0 ? messages.text('adding.needs', { names: list(needs) }) : '',
    tools === '' ? '' : messages.text('adding.tools', { tools: plain(tools) }),
    left > 0 ? messages.text('adding.left', { n: left }) : '',
  ];
  const { changes, edited = [] } = update ?? {};
  const changed: (Text | '')[] = changes
    ? [
        changes.changed.length > 0 ? messages.text('adding.changedFiles', { names: list(changes.changed) }) : '',
        changes.added.length > 0 ? messages.text('adding.newFiles', { names: list(changes.added) }) : '',
        changes.removed.length > 0 ? messages.text('adding.goneFiles', { names: list(changes.removed) }) : '',
      ]
    : [];
  const warned: (Text | '')[] = [
    unseen > 0 ? messages.text('adding.unseen', { n: unseen }) : '',
    edited.length > 0 ? messages.text('adding.edited', { names: list(edited) }) : '',
  ];
  return lines(
    head,
    words(plain(description.slice(0, MAX_DESCRIPTION).toWellFormed())),
    sentences(...told),
    ...(changed.some(Boolean) ? [sentences(...changed)] : []),
    ...(warned.some(Boolean) ? [sentences(...warned)] : []),
  );
}

function sizeWithUnit(bytes: number, messages: Messages): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${messages.number(Math.round(bytes / 1_000))} KB`;
  return `${messages.number(Math.round(bytes / 100_000) / 10)} MB`;
}
