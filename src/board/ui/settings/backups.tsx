/** Makes and lists backups, and checks for updates. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { api } from '../net/api.ts';
import { useResource } from '../net/resource.ts';
import { Button, Section, Shown } from '../parts/common.tsx';
import { showProblem } from '../parts/notices.tsx';
import { Time } from '../parts/time.tsx';
import { settingsWords } from './words.ts';

interface Backups {
  folder: string;
  canRun: boolean;
  commands: readonly string[];
  backups: readonly { name: string; size: number; at: string }[];
}

interface BackupMade {
  name: string;
  files: number;
  size: number;
  secrets: readonly string[];
}

const backupSize = (bytes: number): string => `${Math.max(0.1, bytes / 1_000_000).toFixed(1)} MB`;

export function BackupsPart(): JSX.Element {
  const words = settingsWords();
  const backups = useResource<Backups>('/api/setup/backups');
  const made = useSignal<BackupMade | undefined>(undefined);
  const isBusy = useSignal(false);
  const doing = async (work: () => Promise<void>) => {
    isBusy.value = true;
    await work().catch(showProblem);
    isBusy.value = false;
  };
  const backUp = () =>
    doing(async () => {
      made.value = await api<BackupMade>('/api/setup/backups', { method: 'POST', body: {} });
      await backups.refresh();
    });
  const last = made.value;
  const canRun = backups.data.value?.canRun === true;
  const [backupCommand = '', updateCommand = ''] = backups.data.value?.commands ?? [];
  return (
    <>
      <Section
        title={words.backups}
        actions={
          canRun && (
            <Button small kind="main" disabled={isBusy.value} onClick={() => void backUp()}>
              {words.backUp}
            </Button>
          )
        }
      >
        {last !== undefined && (
          <p role="status">
            {words.backedUp(last.name, last.files, backupSize(last.size))}
            {last.secrets.length > 0 && ` ${words.withoutSecrets}`}
          </p>
        )}
        <Shown of={backups} rows={2}>
          {(found) => (
            <>
              <p class="hint">{found.canRun ? words.backupsAt(found.folder) : words.byCommand(backupCommand)}</p>
              <ul class="rows">
                {found.backups.map(({ name, size, at }) => (
                  <li key={name} class="row">
                    <span class="row-text">
                      <span class="row-title">{name}</span>
                      <span class="row-sub">
                        <Time at={at} />, {backupSize(size)}
                      </span>
                    </span>
                  </li>
                ))}
              </ul>
            </>
          )}
        </Shown>
      </Section>
      <UpdatePart canRun={canRun} command={updateCommand} />
    </>
  );
}

function UpdatePart({ canRun, command }: { canRun: boolean; command: string }): JSX.Element {
  const words = settingsWords();
  const isBusy = useSignal(false);
  const said = useSignal<string | undefined>(undefined);
  const lookForUpdate = async () => {
    isBusy.value = true;
    try {
      said.value = (await api<{ said: string }>('/api/setup/update')).said;
    } catch (error) {
      showProblem(error);
    }
    isBusy.value = false;
  };
  return (
    <Section
      title={words.update}
      actions={
        canRun && (
          <Button small disabled={isBusy.value} onClick={() => void lookForUpdate()}>
            {words.lookForUpdate}
          </Button>
        )
      }
    >
      {!canRun && command !== '' && <p class="hint">{words.byCommand(command)}</p>}
      {said.value !== undefined && (
        <p class="setting-about" role="status">
          {said.value}
        </p>
      )}
    </Section>
  );
}
