/** Settings of projects: the folders of this machine that a viber may work in. */

import { z } from 'zod';
import { exampleOf } from '../../channels/index.ts';
import { expects, flag, listOf, oneOf, section, text } from '../schema-parts.ts';

const folder = text(expects('expected.folder'), /^(~?\/)/);
/** The network that commands reach in the projects of a folder; none by default. */
const network = oneOf('none', 'registries', 'all').default('none');
/** Each task has a git worktree of its own there. */
const worktree = flag.exactOptional();

export const projects = section({
  roots: listOf(z.union([folder, section({ folder, network, worktree })], expects('expected.folder')))
    .default([])
    .describe(
      'folders with [projects](projects.md) that may be worked on from a chat; as `{folder, network, worktree}`, commands there reach `none`, `registries` or `all`, and tasks get git worktrees (`true`)',
    ),
  people: listOf(text(expects('expected.nameOfPeople')))
    .default([])
    .describe('names of `people` who may work in projects, beside the owners'),
  groups: listOf(
    text(expects('expected.conversation', { example: exampleOf('conversation') }), /^[a-z][a-z0-9-]{0,31}:\S+$/),
  )
    .default([])
    .describe('groups and channels where they may do so; otherwise only in direct messages'),
});
