/** The files that define a viber, each with its editor. */
import type { JSX } from 'preact';
import type { FileRow, FileText } from '../../../client/shapes.ts';
import { api } from '../net/api.ts';
import { usePages } from '../net/resource.ts';
import { Empty, More, PageHead, Shown } from '../parts/common.tsx';
import { Icon } from '../parts/icons.tsx';
import { lazy } from '../parts/lazy.tsx';
import { ViberChoice, viberAsked, viberKept } from '../parts/viber.tsx';
import { pageLink, place } from '../router.ts';
import { pageWords } from '../words-pages.ts';

const TextEditor = lazy(() => import('../editor/text-editor.tsx').then(({ TextEditor }) => TextEditor));

export function Files(): JSX.Element {
  const { query } = place.value;
  const name = query.get('file') ?? undefined;
  const asked = viberAsked();
  const files = usePages<{ files: readonly FileRow[] }>(`/api/files?${asked}`, 'files');
  const path = `/api/files/${encodeURIComponent(name ?? '')}?${asked}`;
  return (
    <>
      <PageHead
        title={pageWords.files.title}
        intro={pageWords.files.intro}
        above={
          name !== undefined && (
            <a class="back narrow" href={pageLink('files') + viberKept().replace('&', '?')}>
              <Icon name="left" size={14} />
              {pageWords.files.all}
            </a>
          )
        }
      >
        <ViberChoice page="files" />
      </PageHead>
      <div class={`split${name === undefined ? '' : ' chosen'}`}>
        <nav class="split-list" aria-label={pageWords.files.title}>
          <Shown of={files}>
            {({ files: all }) => (
              <ul>
                {all.map((file) => (
                  <li key={file.name}>
                    <a
                      href={`${pageLink('files')}?file=${encodeURIComponent(file.name)}${viberKept()}`}
                      aria-current={file.name === name ? 'page' : undefined}
                    >
                      <Icon name="files" />
                      <span class="split-text">
                        <span>{file.name}</span>
                        <span class="hint">
                          {file.exists ? (pageWords.files.about[file.name] ?? file.place) : pageWords.files.new}
                        </span>
                      </span>
                    </a>
                  </li>
                ))}
              </ul>
            )}
          </Shown>
          <More of={files} />
        </nav>
        <div class="split-main">
          {name === undefined ? (
            <Empty icon="files" title={pageWords.files.pick} />
          ) : (
            <TextEditor
              key={path}
              name={name}
              language={/\.ya?ml$/.test(name) ? 'yaml' : 'text'}
              load={() => api<FileText>(path)}
              save={(text, baseHash) => api(path, { method: 'PUT', body: { text, baseHash } })}
              onSaved={() => void files.refresh()}
            />
          )}
        </div>
      </div>
    </>
  );
}
