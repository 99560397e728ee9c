/** A world outside of the repository: the gateway is the program beside this file, in a process of its own. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { startLlm } from '../emulators/llm.ts';
import { tempFolder } from '../helpers/temp.ts';
import { watchSpool } from '../kit/sources.ts';
import { baseConfig } from '../platforms/config.ts';
import type { Platform } from '../platforms/platform.ts';
import { startProcess } from '../platforms/process.ts';
import type { SuiteOptions, SuiteWorld } from './suite.ts';

const beside = import.meta.filename.endsWith('.ts') ? '../../src/main.ts' : './main.js';
const PROGRAM = fileURLToPath(new URL(beside, import.meta.url));

export async function openOutside(platform: Platform, { offline, section = {} }: SuiteOptions): Promise<SuiteWorld> {
  const llm = await startLlm();
  const home = tempFolder();
  const broken = path.join(home, 'disk-is-broken');
  platform.startsAt?.(home);
  const config = baseConfig([{ platform, section }], llm.url);
  const model = offline ? 'offline/viber' : config.model;
  fs.writeFileSync(path.join(home, 'config.json'), JSON.stringify({ ...config, model }));
  const start = () =>
    startProcess({ ...{ program: PROGRAM, home, env: {} }, node: ['--import', breaking(home, broken)] });
  const removeSpool = watchSpool(home);
  let gateway = await start();
  onTestFinished(async () => {
    removeSpool();
    await gateway.stop('SIGKILL');
    await Promise.all([platform.close(), llm.close()]);
  });
  return {
    ...{ platform, llm, home },
    read(file) {
      const full = path.join(home, file);
      return fs.existsSync(full) ? fs.readFileSync(full, 'utf8') : '';
    },
    tasks: () => fs.readdirSync(path.join(home, 'artifacts')).sort(),
    stop: () => gateway.stop(),
    async restart() {
      await gateway.stop();
      gateway = await start();
    },
    breakDisk() {
      fs.writeFileSync(broken, '');
      const refused = () => fs.readFileSync(broken).length;
      return Object.assign(() => fs.rmSync(broken, { force: true }), { refused });
    },
  };
}

/**
 * Code that a gateway loads first: while the file is there, nothing can be written to the spool's log, and the file gets
 * longer with each try.
 */
function breaking(home: string, file: string): string {
  const folder = path.join(fs.realpathSync(home), 'spool', 'log');
  const code = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { writeSync } = fs;
    fs.writeSync = (fd, ...rest) => {
      if (fs.existsSync(${JSON.stringify(file)}) && fs.readlinkSync('/proc/self/fd/' + fd).startsWith(${JSON.stringify(folder)})) {
        fs.appendFileSync(${JSON.stringify(file)}, 'x');
        throw Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO' });
      }
      return writeSync(fd, ...rest);
    };
    syncBuiltinESMExports();`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
