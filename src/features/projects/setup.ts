/** Offers in `viber init` to allow a folder where people usually keep projects. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { say } from '../../messages/messages.ts';
import type { HomeAt, SetupQuestion } from '../../runtime/contract/feature.ts';
import { openHome } from '../../workspace/home.ts';
import { configOf } from '../gateway.ts';
import { findProjects } from './find.ts';
import { checkRoot } from './roots.ts';

const USUAL = ['code', 'src', 'projects', 'dev', 'git'];

/** Returns undefined if a folder is already allowed, or none of the usual ones contains projects. */
export async function askForRoot(at: HomeAt): Promise<SetupQuestion | undefined> {
  if (configOf(at).projects.roots.length > 0) return undefined;
  const there = USUAL.filter((name) => fs.existsSync(path.join(os.homedir(), name)));
  if (there.length === 0) return undefined;
  const home = await openHome(at.home);
  const found = await Promise.all(
    there.map(async (name) => {
      const { setting, folder } = checkRoot(`~/${name}`, home);
      const n = folder === undefined ? 0 : (await findProjects([folder])).length;
      const settings = [{ path: ['projects', 'roots'], value: [setting] }];
      return { n, choice: { label: say('setup.projectsIn', { folder: setting, n }), settings } };
    }),
  );
  const choices = found.filter(({ n }) => n > 0).map(({ choice }) => choice);
  return choices.length === 0 ? undefined : { question: say('setup.projects'), no: say('setup.noProjects'), choices };
}
