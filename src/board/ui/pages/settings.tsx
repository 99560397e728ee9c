/** The settings: forms for all of them, and what `viber init` can do. */
import type { JSX } from 'preact';
import type { SettingsShown } from '../../../client/setup-shapes.ts';
import { useResource } from '../net/resource.ts';
import { PageHead, Shown } from '../parts/common.tsx';
import { pageLink, place } from '../router.ts';
import { BackupsPart } from '../settings/backups.tsx';
import { ChatsPart } from '../settings/chats.tsx';
import { General } from '../settings/form.tsx';
import { ModelPart } from '../settings/model.tsx';
import { PushPart } from '../settings/push.tsx';
import { Waiting } from '../settings/restart.tsx';
import { ToolsPart } from '../settings/tools.tsx';
import { settingsWords } from '../settings/words.ts';

const PARTS = ['general', 'model', 'chats', 'tools', 'push', 'keep'] as const;
type Part = (typeof PARTS)[number];

const isPartName = (text: string | null): text is Part => PARTS.some((part) => part === text);

export function SettingsPage(): JSX.Element {
  const words = settingsWords();
  const found = useResource<SettingsShown>('/api/setup');
  const asked = place.value.query.get('part');
  const part = isPartName(asked) ? asked : 'general';
  return (
    <>
      <PageHead title={words.title} intro={words.intro} />
      <nav class="settings-parts" aria-label={words.parts}>
        {PARTS.map((each) => (
          <a key={each} href={`${pageLink('settings')}?part=${each}`} aria-current={each === part ? 'page' : undefined}>
            {words.part[each]}
          </a>
        ))}
      </nav>
      {part === 'push' && <PushPart />}
      {part !== 'push' && (
        <Shown of={found} rows={8}>
          {(state) => (
            <>
              <Waiting state={state} onRestarted={() => void found.refresh()} />
              {part === 'general' && <General of={found} state={state} />}
              {part === 'model' && <ModelPart state={state} onSaved={() => void found.refresh()} />}
              {part === 'tools' && <ToolsPart state={state} onSaved={() => void found.refresh()} />}
              {part === 'keep' && <BackupsPart />}
              {part === 'chats' && <ChatsPart state={state} onSaved={() => void found.refresh()} />}
            </>
          )}
        </Shown>
      )}
    </>
  );
}
