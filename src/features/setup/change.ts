/**
 * Changes the setup. The loader checks each change first; then the file is replaced as a whole, and a copy of the
 * previous text is kept. Secrets go into `.env`, and the file refers to them.
 */
import path from 'node:path';
import { z } from 'zod';
import { RequestError, wrongField } from '../../board/respond.ts';
import type { SettingChange, SettingShown } from '../../client/setup-shapes.ts';
import { type Change, type ConfigWithChange, refuseReadOnly, withChange, writing } from '../../config/change.ts';
import { envFileOf, setOutside, writeEnvFile } from '../../config/env-file.ts';
import { secretChange, secretRemoval } from '../../config/secret-setting.ts';
import { editText, hashText, keepLetters, writeFileAtomic } from '../../lib/files.ts';
import { viberCommand } from '../../lib/invocation.ts';
import { serialise } from '../../lib/locks.ts';
import { say } from '../../messages/messages.ts';
import type { BoardAt, Caller } from '../../runtime/contract/board.ts';
import { plainName } from '../../runtime/conversations/places.ts';
import type { Gateway } from '../gateway.ts';
import { environmentOf, knownSettings, readSettings, type SettingsFile } from './current.ts';
import { requireLevel, settingLevel } from './rights.ts';

const MAX_CHANGES = 50;
const MAX_TEXT = 4_000;
/** Refuses control characters, because one could end a line of `.env`, and no setting needs them. */
const text = z
  .string()
  .max(MAX_TEXT)
  .refine((value) => !/\p{Cc}/u.test(value));
const value = z.union([text, z.number(), z.boolean(), z.array(text).max(200), z.null()]);
const change = z.strictObject({ path: z.array(z.string().min(1).max(200)).min(1).max(6), value });

export const changesBody = z.strictObject({
  hash: z.string().max(128),
  changes: z.array(change).min(1).max(MAX_CHANGES),
});

/**
 * Makes an owner's changes.
 * @throws RequestError, ConfigError
 */
export async function changeSettings(
  { hash, changes }: { hash: string; changes: readonly SettingChange[] },
  caller: Caller,
  at: BoardAt,
  gw: Gateway,
): Promise<void> {
  for (const { path: steps } of changes) requireLevel(steps, caller);
  await changeSetup(caller, at, gw, async (written) => {
    if (hashText(written.text) !== hash) throw changedMeanwhile();
    const known = await knownSettings(written.data, gw);
    return joinChanges(changes.map((one) => settingChange(one, known, written.data, isOutside(gw))));
  });
}

const changedMeanwhile = () => new RequestError(409, 'conflict', say('boardSetup.conflict'), 'hash');

/**
 * Lets the loader check a change, then writes it; returns the new configuration. One change at a time.
 * @throws RequestError, UserError, ConfigError
 */
export async function changeSetup(
  caller: Caller,
  at: BoardAt,
  gw: Gateway,
  make: (written: SettingsFile) => Promise<Change>,
): Promise<ConfigWithChange> {
  return serialise(`setup of ${gw.home.root}`, async () => {
    const written = await readSettings(at);
    const wanted = await make(written);
    refuseOutside(wanted, gw);
    const made = await withChange(written.file, wanted, environmentOf(gw), gw.home.root);
    await writeSetup(written, wanted, made, gw);
    reportChange(wanted, made, caller, gw);
    return made;
  });
}

/** Returns whether the environment sets a variable by itself. */
export const isOutside = (gw: Gateway) => (name: string) => setOutside(process.env, gw.home.root, [name]).length > 0;

/** Refuses a variable that the environment sets, because its value would still be used. */
export function refuseOutside({ secrets }: Change, gw: Gateway): void {
  const [name] = setOutside(process.env, gw.home.root, Object.keys(secrets));
  if (name !== undefined) throw new RequestError(409, 'set_outside', say('boardSetup.setOutside', { name }));
}

async function writeSetup(
  { file, text: before }: SettingsFile,
  { settings, secrets }: Change,
  made: ConfigWithChange,
  gw: Gateway,
): Promise<void> {
  const envFile = envFileOf(gw.home.root);
  if (settings.length > 0) refuseReadOnly(file);
  if (Object.keys(secrets).length > 0) refuseReadOnly(envFile);
  await writing(envFile, () => writeEnvFile(gw.home.root, secrets));
  // A supervisor read the old values from the same file. A restart within this process must not keep them.
  for (const name of Object.keys(secrets)) delete process.env[name];
  if (settings.length === 0) return;
  const { dir, name, ext } = path.parse(file);
  await writing(file, async () => {
    keepLetters(file);
    if (before !== '') await writeFileAtomic(path.join(dir, `${name}.before${ext}`), before, { mode: 0o600 });
    await editText(file, (current) => {
      if ((current ?? '') !== before) throw changedMeanwhile();
      return made.text;
    });
  });
}

/** Tells all owners about a change that a thief would want to make. */
function reportChange(
  { settings, secrets }: Change,
  { text: after }: ConfigWithChange,
  { id, principal }: Caller,
  gw: Gateway,
): void {
  const paths = settings.map((one) => one.path.map(String));
  const names = [...paths.map((steps) => steps.join('.')), ...Object.keys(secrets)];
  gw.log.info({ by: principal.name, login: id, settings: names }, 'the setup was changed on the Board');
  if (paths.every((steps) => settingLevel(steps) === 'session') && Object.keys(secrets).length === 0) return;
  const shown = [...new Set(names)].slice(0, 10).join(', ');
  const about = { name: plainName(principal.name), settings: shown, command: viberCommand('board sessions') };
  gw.people.owners.tellOwners(`setup-${hashText(after + names.join()).slice(0, 16)}`, say('boardSetup.told', about));
}

export const joinChanges = (all: readonly Change[]): Change => ({
  settings: all.flatMap(({ settings }) => settings),
  secrets: Object.assign({}, ...all.map(({ secrets }) => secrets)) as Change['secrets'],
});

function settingChange(
  { path: steps, value: given }: SettingChange,
  known: readonly SettingShown[],
  written: SettingsFile['data'],
  isKept: (name: string) => boolean,
): Change {
  const name = steps.join('.');
  const setting = known.find(
    (one) => one.path.length === steps.length && one.path.every((step, at) => step === steps[at]),
  );
  if (!setting || setting.kind === 'other') throw wrongField(name, say('config.unknownKey'));
  refuseReference(name, given);
  if (given === null) return secretRemoval(steps, written, isKept);
  if (!setting.isSecret) return { settings: [{ path: steps, value: given }], secrets: {} };
  if (typeof given !== 'string' || given.trim() === '') throw wrongField(name, say('expected.text'));
  return secretChange(steps, given.trim(), written);
}

/** Refuses references: one could reveal a variable of the gateway or send it to another address. */
export function refuseReference(name: string, given: SettingChange['value']): void {
  const all = Array.isArray(given) ? given : [given];
  if (all.some((one) => typeof one === 'string' && one.includes('${')))
    throw wrongField(name, say('boardSetup.noReference'));
}
