/**
 * Files of a task: names, previews of images and texts, and downloads. No file is ever executed or rendered as a page.
 */
import { type Signal, useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Artifact } from '../../../client/shapes.ts';
import { request, said } from '../net/api.ts';
import { words } from '../words.ts';
import { Button } from './common.tsx';
import { Icon } from './icons.tsx';
import { showNotice } from './notices.tsx';
import { bytes } from './time.tsx';

const MAX_TEXT = 200_000;
const RASTER = /^image\/(png|jpe?g|gif|webp|avif)$/;
const TEXT = /^(text\/|application\/(json|yaml|xml|x-yaml|toml))/;

const address = (ref: string): string => `/api/${ref.split('/').map(encodeURIComponent).join('/')}`;
const isArtifactRef = (ref: string): boolean => ref.startsWith('artifacts/');

/** Fetches the bytes with the key, which a link could not carry. */
async function download({ ref, title }: Artifact): Promise<void> {
  try {
    const blob = await (await request(address(ref))).blob();
    const url = URL.createObjectURL(blob);
    const anchor = document.createElement('a');
    anchor.href = url;
    anchor.download = title;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
  } catch (error) {
    showNotice(said(error), { warm: true });
  }
}

export function Files({ files }: { files: readonly Artifact[] }): JSX.Element {
  return (
    <ul class="files">
      {files.map((file) => (
        <FileItem key={file.ref || file.id} file={file} />
      ))}
    </ul>
  );
}

function FileItem({ file }: { file: Artifact }): JSX.Element {
  const isOpen = useSignal(false);
  const canLook = isArtifactRef(file.ref) && (RASTER.test(file.type) || TEXT.test(file.type));
  return (
    <li class="file">
      <div class="file-row">
        <Icon name="files" />
        <FileName file={file} isOpen={canLook ? isOpen : undefined} />
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
      {isOpen.value && <Preview file={file} />}
    </li>
  );
}

/** Opens a preview if possible, or downloads the file. */
function FileName({ file, isOpen }: { file: Artifact; isOpen: Signal<boolean> | undefined }): JSX.Element {
  const { ref, title } = file;
  if (/^https?:\/\//.test(ref))
    return (
      <a class="file-name" href={ref} target="_blank" rel="noopener noreferrer nofollow">
        {title}
      </a>
    );
  if (!isArtifactRef(ref)) return <span class="file-name">{title}</span>;
  return (
    <button
      type="button"
      class="file-name"
      aria-expanded={isOpen?.value}
      aria-label={isOpen === undefined ? words.task.download(title) : words.task.preview(title)}
      onClick={() => {
        if (isOpen === undefined) void download(file);
        else isOpen.value = !isOpen.value;
      }}
    >
      {title}
    </button>
  );
}

function Preview({ file }: { file: Artifact }): JSX.Element {
  const text = useSignal<string | undefined>(undefined);
  const picture = useSignal<string | undefined>(undefined);
  useEffect(() => {
    const ended = new AbortController();
    let url: string | undefined;
    const load = async () => {
      const blob = await (await request(address(file.ref), { signal: ended.signal })).blob();
      if (RASTER.test(file.type)) {
        url = URL.createObjectURL(new Blob([blob], { type: file.type }));
        picture.value = url;
      } else text.value = blob.size > MAX_TEXT ? words.task.tooLarge : await blob.text();
    };
    load().catch((error: unknown) => {
      if (!ended.signal.aborted) text.value = said(error);
    });
    return () => {
      ended.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [file.ref, file.type, picture, text]);
  if (picture.value !== undefined) return <img class="preview" src={picture.value} alt={file.title} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <pre class="preview" tabIndex={0}>
      {text.value ?? words.loading}
    </pre>
  );
}
