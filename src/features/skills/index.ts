/** Skills: texts that a viber follows, and scripts that it calls, bundled or kept in the home. */
import { configOf, type Feature } from '../gateway.ts';
import { skills as command } from './command/skills.ts';
import { offeredSkills, skillsOf } from './open.ts';
import { SHELL, shellTool } from './tools/shell.ts';
import { SKILL_TOOLS } from './tools/table.ts';

export const skills: Feature = {
  name: 'skills',
  commands: [command],
  offers: {
    known: SKILL_TOOLS,
    bundled: [shellTool],
    when: (_order, { skills: named }) => named?.length !== 0,
    tools: (order, own, scope, gw) => skillsOf(gw).offer(order, own, scope),
  },
  async called(name, viber, gw) {
    return (await skillsOf(gw).find(viber, name)) && command.name;
  },
  async names(vibers, at, gw) {
    const off = configOf(at).skills.shell === 'off' ? [SHELL] : [];
    if (gw) return { off, skills: await skillsOf(gw).names(vibers) };
    const { catalogAt } = await import('./catalog.ts');
    const catalog = catalogAt(at);
    try {
      if (vibers.length > 0) await Promise.all([catalog.start(), ...vibers.map((viber) => catalog.open(viber))]);
      return { off, skills: offeredSkills(catalog, vibers) };
    } finally {
      await catalog.close();
    }
  },
  async check(at) {
    const { checkSandbox, checkSkills } = await import('./check.ts');
    return (await Promise.all([checkSkills(at), checkSandbox()])).flat();
  },
  async routes(at, gw) {
    const [{ skillRoutes }, { addingRoutes }] = await Promise.all([import('./board.ts'), import('./board-adding.ts')]);
    return [...skillRoutes(at, gw), ...addingRoutes(gw)];
  },
  start: (gw) => skillsOf(gw).start(),
};
