/** Checks the allowed folders for `viber doctor`. */
import { say } from '../../messages/messages.ts';
import type { CheckedAt } from '../../runtime/contract/feature.ts';
import type { Finding } from '../../runtime/contract/finding.ts';
import { findProgram, hasSandbox, searchPath } from '../../skills/sandbox.ts';
import { type Home, openHome } from '../../workspace/home.ts';
import { configOf } from '../gateway.ts';
import { findToolchains } from './commands/toolchains.ts';
import { findProjects } from './find.ts';
import { checkRoot, folderIn, networkOfRoot } from './roots.ts';
import { leftWorktrees } from './worktrees.ts';

export async function checkRoots(at: CheckedAt): Promise<Finding[]> {
  const { roots } = configOf(at).projects;
  if (roots.length === 0) return [];
  const home = await openHome(at.home);
  const checked = roots.map((root) => ({ ...checkRoot(folderIn(root), home), network: networkOfRoot(root) }));
  const findings = checked.map(async ({ setting, folder, why, network }): Promise<Finding> => {
    const detail =
      folder === undefined
        ? say('doctor.setting', { path: setting, what: why ?? '' })
        : say('doctor.projects', { folder: setting, network, n: (await findProjects([folder])).length });
    return { name: 'projects', state: folder === undefined ? 'wrong' : 'ok', detail };
  });
  return [...(await Promise.all(findings)), await checkCommands(), ...checkWorktrees(home)];
}

/** Lists the worktrees that remain of deleted tasks. */
function checkWorktrees(home: Home): Finding[] {
  const folders = leftWorktrees(home).map(({ folder }) => folder);
  if (folders.length === 0) return [];
  return [{ name: 'projects', state: 'note', detail: say('projects.leftWorktrees', { folders: folders.join(', ') }) }];
}

/** The usual tools for building projects. */
const TOOLS = ['git', 'rg', 'node', 'npm', 'python3', 'go', 'cargo'];

/** Reports which of the usual tools commands can find, in the sandbox if there is one. */
async function checkCommands(): Promise<Finding> {
  const isSandboxed = await hasSandbox();
  const folders = isSandboxed ? [...findToolchains().programs, ...searchPath(true)] : searchPath(false);
  const found = await Promise.all(TOOLS.map(async (name) => ((await findProgram(name, folders)) ? [name] : [])));
  const tools = found.flat().join(', ');
  return {
    name: 'projects',
    state: isSandboxed ? 'ok' : 'note',
    detail: say(isSandboxed ? 'doctor.commands' : 'doctor.commandsAsk', { tools }),
  };
}
