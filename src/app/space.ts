/** Watches the disk: limits how much of it people other than owners may fill, and warns owners before it is full. */
import fs from 'node:fs';
import { aliasesOf, type Principal, personText, principalText, type Role, readIdentity } from '../access/principal.ts';
import { errorMessage } from '../errors.ts';
import { say } from '../messages/messages.ts';
import { limitSpace, type SpaceBudget } from '../workspace/tasks/index.ts';
import type { AppGateway } from './contract.ts';

/** Owners are warned while the free space is below this multiple of the required minimum. */
const EARLY = 10;
const LOOK_MS = 10_000;

/** Returns a function that stops it. */
export function watchSpace(gw: AppGateway): () => void {
  const { home, people } = gw;
  const unlimit = limitSpace(home, {
    of: (names) => budgetFor(names, gw),
    bytesFor: (role) => bytesFor(role, gw),
    onFull: ({ key, bytes }) =>
      void people.owners.tellOwners(
        `files-${key}-${day()}`,
        say('failures.noRoom', { name: key.replace(/^person:/, ''), size: sizeText(bytes) }),
      ),
  });
  const look = () => lookAtDisk(gw);
  const timers = [setTimeout(look, 1_000).unref(), setInterval(look, LOOK_MS).unref()];
  return () => {
    unlimit();
    for (const timer of timers) clearTimeout(timer);
  };
}

const day = () => new Date().toISOString().slice(0, 10);

function sizeText(bytes: number): string {
  return bytes >= 1e9 ? `${Math.round(bytes / 1e8) / 10} GB` : `${Math.round(bytes / 1e6)} MB`;
}

/** Tells owners once a day that space is low, and once that nothing more is accepted. */
function lookAtDisk({ config, home, people, log }: AppGateway): void {
  const { freeBytes } = config.limits;
  try {
    const { bavail, bsize } = fs.statfsSync(home.root);
    const free = bavail * bsize;
    if (free >= freeBytes * EARLY) return;
    const given = { free: sizeText(free), least: sizeText(freeBytes) };
    const isFull = free < freeBytes;
    void people.owners.tellOwners(
      `disk-${isFull ? 'full' : 'short'}-${day()}`,
      isFull ? say('failures.diskFull', given) : say('failures.diskShort', given),
    );
  } catch (error) {
    log.warn({ err: errorMessage(error) }, "can't read the free space of the disk");
  }
}

function bytesFor(role: Role, { config }: AppGateway): number {
  const { bytesPerGuest, bytesPerMember } = config.limits;
  return role === 'owner' ? 0 : role === 'guest' ? bytesPerGuest : bytesPerMember;
}

/** Returns undefined if one of them is an owner, because owners have no limit. */
function budgetFor(texts: readonly string[], gw: AppGateway): SpaceBudget | undefined {
  const all = texts.flatMap((text) => whoIs(text, gw) ?? []);
  const [first] = all;
  if (!first || all.some(({ role }) => role === 'owner')) return undefined;
  const bytes = bytesFor(first.role, gw);
  return bytes === 0 ? undefined : { key: principalText(first), aliases: aliasesOf(first), bytes };
}

/**
 * Returns undefined if the text doesn't name a person, for example for a job. A name that was removed from the
 * configuration gets a guest's permissions.
 */
function whoIs(text: string, { config, people }: AppGateway): Principal | undefined {
  const resolve = (identity: string): Principal =>
    people.resolve({ ...readIdentity(identity), account: '', via: 'message', name: identity }).principal;
  const { channel, user } = readIdentity(text);
  if (channel === 'api' || channel === 'hub') {
    const role = user === 'owner' ? 'owner' : (config.http.clients[user]?.role ?? 'member');
    return { ...resolve(text), role };
  }
  if (channel !== 'person') return channel in config.channels || channel === 'local' ? resolve(text) : undefined;
  const name = text.slice(personText('').length);
  const identity =
    config.people.find((person) => person.name === name)?.ids[0] ??
    people.links.links().find(({ person }) => person === name)?.identity;
  return identity === undefined ? { ...resolve(text), role: 'guest', person: name } : resolve(identity);
}
