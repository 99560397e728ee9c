import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { defineConfig } from 'rolldown';
import { prepare } from './src/skills/prepared.ts';
import { parseSkill } from './src/skills/skill.ts';

/** The bundled skills are files that are read at run time: they stand beside the program as they stand in the source, and as read. */
export const copySkills = {
  name: 'copy-skills',
  writeBundle({ dir = 'dist' }: { dir?: string }) {
    const copies = join(dir, 'skills');
    rmSync(copies, { recursive: true, force: true });
    cpSync('src/skills', copies, { recursive: true, filter: (file) => extname(file) !== '.ts' });
    const { file, text } = prepare(copies, parseSkill);
    writeFileSync(file, text);
  },
};

/** One folder of plain JavaScript: what is needed at start in one file, each channel and provider in a file of its own. */
export default defineConfig({
  // Loaded by its name when the first plural is shown, as nothing else can be in the middle of a sentence.
  input: { main: 'src/main.ts', 'messages-format': 'src/messages/format.ts' },
  platform: 'node',
  plugins: [copySkills],
  output: { dir: 'dist', format: 'esm', cleanDir: true, minify: false, sourcemap: false },
});
