/**
 * Files of libraries that are read at run time. The build copies them beside the program, which is installed without
 * libraries.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ASSETS = [
  '@resvg/resvg-wasm/index_bg.wasm',
  'dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
  'dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf',
] as const;

export const installedAsset = (asset: string): string => fileURLToPath(import.meta.resolve(asset));

export function assetFile(asset: (typeof ASSETS)[number]): string {
  const beside = path.join(import.meta.dirname, 'assets', path.basename(asset));
  return existsSync(beside) ? beside : installedAsset(asset);
}
