/** The folder that an editor opens is a project below the allowed folders, as the configuration writes them. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { answerEditor } from '../../src/features/acp/requests.ts';
import type { Gateway } from '../../src/features/gateway.ts';
import { tempFolder } from '../helpers/temp.ts';

test.each(['~/code', ' ~/code/ ', { folder: '~/code', network: 'none' }, '~'])(
  '%j allows what is below it',
  async (root) => {
    const { HOME } = process.env;
    onTestFinished(() => void Object.assign(process.env, { HOME }));
    process.env.HOME = fs.realpathSync(tempFolder());
    const cwd = path.join(process.env.HOME, 'code/shop');
    fs.mkdirSync(cwd, { recursive: true });
    const gw = { config: { projects: { roots: [root] } }, engine: { state: {} } };
    const folder = (at: string) => answerEditor({ ask: 'folder', cwd: at, language: 'en' }, gw as unknown as Gateway);
    expect(await folder(cwd)).toEqual({ project: cwd });
    expect(await folder(path.dirname(process.env.HOME))).toEqual({ note: expect.stringContaining('project allow') });
  },
);
