/**
 * The bundled skills that are implemented in code, by the name in their SKILL.md, which has the description and the
 * parameters. Heavy dependencies are loaded when one is called.
 */
import type { BundledTool } from './bundled.ts';
import { chart } from './chart/tool.ts';
import { webFetch } from './web/tool.ts';

export const BUNDLED: Readonly<Record<string, BundledTool>> = {
  'web-fetch': webFetch,
  chart,
};
