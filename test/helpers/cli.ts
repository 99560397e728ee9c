/** A command's own function, with what a person types already read. */
import { servicesFor } from '../../src/cli/services.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import type { CliContext, CliServices } from '../../src/runtime/contract/cli.ts';

/** The default options of a command, for somebody who reads English. */
export const NO_OPTIONS = { values: {}, switches: new Set<string>(), messages: messagesIn('en') };

export interface Printed {
  code: number;
  lines: string[];
  text: string;
}

export async function printed(
  run: (context: CliContext, services: CliServices) => Promise<number>,
  home: string,
  given: Partial<CliContext> = {},
  services: Partial<CliServices> = {},
): Promise<Printed> {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const context = { ...NO_OPTIONS, args: [], config: undefined, home, json: false, env: {}, print, ...given };
  const code = await run(context, { ...servicesFor(context), ...services });
  return { code, lines, text: lines.join('\n') };
}
