/** The shape of a bundled skill whose work is done here. Its name, description and parameters stand in its SKILL.md. */
import type { z } from 'zod';
import type { Resolve } from '../lib/public-address.ts';
import type { RuntimeTool } from '../runtime/contract/task.ts';

export type BundledTool = Omit<RuntimeTool, 'name' | 'description'>;

export interface BundledDeps {
  web: {
    /** `skills.webOrigins`: exact origins that may be read although they are private, not https, or on another port. */
    allowedOrigins: readonly string[];
    /** For everything together; 30 seconds when absent. */
    timeoutMs?: number;
    /** Instead of the system's resolver. */
    resolve?: Resolve;
    /** Certificates (PEM) trusted instead of the usual ones. */
    ca?: string;
  };
}

/** Lets the table hold tools of different inputs while each `execute` keeps its own type. */
export function defineBundled<Input>(
  tool: Omit<RuntimeTool<Input>, 'name' | 'description'> & { input: z.ZodType<Input> },
): BundledTool {
  return tool;
}
