/**
 * A file of a task in a wide pane: beside the page where there is room, else above it. No file is ever executed or
 * rendered as a page: HTML is shown as its source, an SVG as a picture, a PDF by the browser's own viewer.
 */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { said } from '../net/api.ts';
import { type ArtifactBytes, closeFile, fetchArtifact, saveFile } from '../net/artifact.ts';
import { Button, Loading } from '../parts/common.tsx';
import { kindOf } from '../parts/file-kind.ts';
import { bytes as sizeText } from '../parts/time.tsx';
import { words } from '../words.ts';
import { PaneFrame } from './frame.tsx';
import { FileView } from './views.tsx';

export function Pane({ file: ref }: { file: string }): JSX.Element {
  const file = useSignal<ArtifactBytes | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const isSource = useSignal(false);
  useEffect(() => {
    const ended = new AbortController();
    file.value = undefined;
    problem.value = undefined;
    isSource.value = false;
    fetchArtifact(ref, ended.signal).then(
      (found) => {
        file.value = found;
      },
      (error: unknown) => {
        if (!ended.signal.aborted) problem.value = said(error);
      },
    );
    return () => ended.abort();
  }, [ref, file, problem, isSource]);
  const now = file.value;
  const kind = now && kindOf(now.name, now.type);
  const name = now?.name ?? ref.split('/').at(-1) ?? ref;
  const controls = (
    <>
      {now !== undefined && <span class="file-size">{sizeText(now.bytes.size)}</span>}
      <span class="grow" />
      {(kind === 'markdown' || kind === 'table' || kind === 'diff') && (
        <Button small pressed={isSource.value} onClick={() => (isSource.value = !isSource.value)}>
          {words.pane.source}
        </Button>
      )}
      {now !== undefined && (
        <Button
          kind="quiet"
          icon="download"
          label={words.task.download(name)}
          onClick={() => saveFile(name, now.bytes)}
        />
      )}
    </>
  );
  return (
    <PaneFrame name={name} of={ref} controls={controls} onClose={closeFile}>
      {problem.value !== undefined && (
        <p class="hint" role="alert">
          {problem.value}
        </p>
      )}
      {now === undefined && problem.value === undefined && <Loading rows={6} />}
      {now !== undefined && <FileView key={ref} file={now} isSource={isSource.value} />}
    </PaneFrame>
  );
}
