/**
 * Files of a task: names that open the pane, pictures in the conversation, and downloads. No file is ever executed or
 * rendered as a page.
 */
import { type Signal, signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Artifact } from '../../../client/shapes.ts';
import { fetchArtifact, isArtifactRef, openLink, saveFile } from '../net/artifact.ts';
import { words } from '../words.ts';
import { Button } from './common.tsx';
import { kindOf } from './file-kind.ts';
import { Icon } from './icons.tsx';
import { showProblem } from './notices.tsx';
import { bytes } from './time.tsx';

/** Larger pictures are opened by a click. */
const MAX_PICTURE = 8_000_000;

const download = ({ ref, title }: Artifact): Promise<void> =>
  fetchArtifact(ref).then(({ bytes }) => saveFile(title, bytes), showProblem);

const isPicture = ({ title, type, ref, size = 0 }: Artifact): boolean =>
  isArtifactRef(ref) && size <= MAX_PICTURE && /^(picture|drawing)$/.test(kindOf(title, type));

/** @param inline shows pictures as such */
export function Files({ files, inline = false }: { files: readonly Artifact[]; inline?: boolean }): JSX.Element {
  const pictures = inline ? files.filter(isPicture) : [];
  const rest = files.filter((file) => !pictures.includes(file));
  return (
    <>
      {pictures.map((file) => (
        <Picture key={file.ref} file={file} />
      ))}
      {rest.length > 0 && (
        <ul class="files">
          {rest.map((file) => (
            <FileItem key={file.ref || file.id} file={file} />
          ))}
        </ul>
      )}
    </>
  );
}

function FileItem({ file }: { file: Artifact }): JSX.Element {
  return (
    <li class="file">
      <div class="file-row">
        <Icon name="files" />
        <FileName file={file} />
        <span class="file-size">{bytes(file.size)}</span>
        {isArtifactRef(file.ref) && (
          <Button
            kind="quiet"
            small
            icon="download"
            label={words.task.download(file.title)}
            onClick={() => void download(file)}
          />
        )}
      </div>
    </li>
  );
}

function FileName({ file: { ref, title } }: { file: Artifact }): JSX.Element {
  if (/^https?:\/\//.test(ref))
    return (
      <a class="file-name" href={ref} target="_blank" rel="noopener noreferrer nofollow">
        {title}
      </a>
    );
  if (!isArtifactRef(ref)) return <span class="file-name">{title}</span>;
  return (
    <a class="file-name" href={openLink(ref)} aria-label={words.task.preview(title)}>
      {title}
    </a>
  );
}

type Address = Signal<string | 'gone' | undefined>;
const MAX_KEPT = 60;
const kept = new Map<string, Address>();

/** Returns the address of a picture, which loads once; the oldest are given up. */
function pictureAddress(file: Artifact): Address {
  const known = kept.get(file.ref);
  if (known !== undefined) return known;
  const made: Address = signal(undefined);
  kept.set(file.ref, made);
  const [oldest = ''] = kept.keys();
  if (kept.size > MAX_KEPT) {
    const url = kept.get(oldest)?.peek();
    if (url?.startsWith('blob:')) URL.revokeObjectURL(url);
    kept.delete(oldest);
  }
  fetchArtifact(file.ref).then(
    async ({ name, type, bytes: found }) => {
      const kind = kindOf(name, type);
      // An SVG has an address without an origin: an image of it runs nothing, and neither does a tab of its own.
      if (kind === 'drawing') made.value = `data:image/svg+xml,${encodeURIComponent(await found.text())}`;
      else made.value = kind === 'picture' ? URL.createObjectURL(new Blob([found], { type })) : 'gone';
    },
    () => {
      made.value = 'gone';
      kept.delete(file.ref);
    },
  );
  return made;
}

/** Loads when it comes near the window. */
function Picture({ file }: { file: Artifact }): JSX.Element {
  const box = useRef<HTMLAnchorElement>(null);
  const address = useSignal<Address | undefined>(kept.get(file.ref));
  useEffect(() => {
    if (box.current === null || address.peek() !== undefined) return undefined;
    const watched = new IntersectionObserver(
      ([seen]) => {
        if (!seen?.isIntersecting) return;
        watched.disconnect();
        address.value = pictureAddress(file);
      },
      { rootMargin: '600px' },
    );
    watched.observe(box.current);
    return () => watched.disconnect();
  }, [file, address]);
  const url = address.value?.value;
  if (url === 'gone')
    return (
      <ul class="files">
        <FileItem file={file} />
      </ul>
    );
  return (
    <a ref={box} class="picture" href={openLink(file.ref)} aria-label={words.task.preview(file.title)}>
      {url === undefined ? <span class="bone" /> : <img src={url} alt={file.title} />}
    </a>
  );
}
