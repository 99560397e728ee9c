/** `viber project`: lists projects, and allows or forbids folders that contain them. */
import { loadConfig } from '../../../config.ts';
import { UserError } from '../../../errors.ts';
import { viberCommand } from '../../../lib/invocation.ts';
import { say } from '../../../messages/messages.ts';
import { type CliContext, type CliServices, EXIT } from '../../../runtime/contract/cli.ts';
import { openHome } from '../../../workspace/home.ts';
import { NETWORKS, type Network } from '../commands/registries.ts';
import { findProjects } from '../find.ts';
import {
  absolute,
  checkRoot,
  folderIn,
  hasWorktrees,
  liesIn,
  networkOfRoot,
  type RootSetting,
  usableRoots,
} from '../roots.ts';

export async function run(context: CliContext, cli: CliServices): Promise<number> {
  const [verb, folder = ''] = context.args;
  const { config, home, env } = context;
  const { roots } = (await loadConfig({ file: config, home, env })).config.projects;
  switch (verb) {
    case 'allow':
      return allow(folder, roots, context, cli);
    case 'forbid':
      return forbid(folder, roots, context, cli);
    default:
      return list(roots, context);
  }
}

async function list(roots: readonly RootSetting[], { home, json, messages, print }: CliContext): Promise<number> {
  const at = await openHome(home);
  const checked = roots.map((root) => ({
    ...checkRoot(folderIn(root), at),
    network: networkOfRoot(root),
    worktree: hasWorktrees(root),
  }));
  const found = await Promise.all(
    checked.map(async ({ setting, folder, why, network, worktree }) => ({
      root: setting,
      network,
      worktree,
      projects: folder === undefined ? [] : await findProjects([folder]),
      ...(why && { why: messages.said(why) }),
    })),
  );
  if (json) print(JSON.stringify(found, null, 2));
  else if (found.length === 0) print(messages.text('cli.noRoots', { command: viberCommand('project allow FOLDER') }));
  else
    for (const { root, projects, why } of found) {
      print(why === undefined ? root : messages.text('doctor.setting', { path: root, what: why }));
      for (const { name } of projects) print(`  ${name}`);
    }
  return EXIT.ok;
}

async function allow(
  given: string,
  roots: readonly RootSetting[],
  context: CliContext,
  cli: CliServices,
): Promise<number> {
  const { messages, print } = context;
  const home = await openHome(context.home);
  const setting = absolute(given);
  const { folder, why } = checkRoot(setting, home);
  if (folder === undefined) throw new UserError(say('cli.cantAllow', { folder: given, why: why ?? '' }));
  const wanted = { network: wantedNetwork(context), worktree: wantedWorktree(context) };
  const projects = await findProjects([folder]);
  const at = roots.findIndex((root) => checkRoot(folderIn(root), home).folder === folder);
  const root = roots[at] ?? setting;
  const changes = rootChanges(root, at === -1 ? roots.length : at, at === -1, wanted);
  const file = changes.length > 0 ? await cli.changeSettings(changes) : undefined;
  print(messages.text('cli.allowed', { folder: setting, n: projects.length }));
  for (const { name } of projects) print(`  ${name}`);
  print(messages.text('cli.projectNetwork', { network: wanted.network ?? networkOfRoot(root) }));
  if (wanted.worktree ?? hasWorktrees(root)) print(messages.text('cli.projectWorktree'));
  if (file !== undefined) print(messages.text('cli.allowedLater', { file }));
  return EXIT.ok;
}

interface RootOptions {
  network: Network | undefined;
  worktree: boolean | undefined;
}

/** @throws UserError */
function wantedNetwork({ values: { network } }: CliContext): Network | undefined {
  const found = NETWORKS.find((each) => each === network);
  if (network !== undefined && !found) throw new UserError(say('cli.badNetwork', { name: network }));
  return found;
}

function wantedWorktree({ switches }: CliContext): boolean | undefined {
  if (switches.has('worktree')) return true;
  return switches.has('no-worktree') ? false : undefined;
}

/** Changes only this entry, so that comments on the others stay. */
function rootChanges(root: RootSetting, at: number, isNew: boolean, wanted: RootOptions) {
  const path = ['projects', 'roots', at];
  const { network, worktree } = wanted;
  if (typeof root !== 'string')
    return [
      ...(network === undefined || network === root.network ? [] : [{ path: [...path, 'network'], value: network }]),
      ...(worktree === undefined || worktree === hasWorktrees(root)
        ? []
        : [{ path: [...path, 'worktree'], value: worktree || undefined }]),
    ];
  const more = { ...(network !== undefined && network !== 'none' && { network }), ...(worktree && { worktree }) };
  if (Object.keys(more).length > 0) return [{ path, value: { folder: root, ...more } }];
  return isNew ? [{ path, value: root }] : [];
}

async function forbid(
  given: string,
  roots: readonly RootSetting[],
  context: CliContext,
  cli: CliServices,
): Promise<number> {
  const { messages, print } = context;
  const at = roots.findIndex((root) => absolute(folderIn(root)) === absolute(given));
  if (at === -1) throw new UserError(say('cli.notAllowed', { folder: given, command: viberCommand('project') }));
  const file = await cli.changeSettings([{ path: ['projects', 'roots', at], value: undefined }]);
  const home = await openHome(context.home);
  const left = usableRoots(roots.toSpliced(at, 1), home);
  const { sweepCaches } = await import('../commands/cache.ts');
  await sweepCaches(home, (project) => left.some((root) => liesIn(project, root)));
  print(messages.text('cli.forbidden', { folder: given }));
  print(messages.text('cli.allowedLater', { file }));
  return EXIT.ok;
}
