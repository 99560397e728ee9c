/** Checks the vibers if there are several: the model of each, and problems with its file. */
import path from 'node:path';
import { type Config, joinWarnings, loadAgent } from '../../config.ts';
import { UserError } from '../../errors.ts';
import { say, type Wording } from '../../messages/messages.ts';
import { attempt } from '../../runtime/contract/finding.ts';
import { checkModel, MODEL_MS } from '../../runtime/model/check.ts';
import { createModels } from '../../runtime/model/models.ts';
import { listVibers } from '../../workspace/home.ts';
import { type Finding, says } from './finding.ts';

/** Returns no findings if there is only the default viber. Asks each of their own models for one word, once. */
export async function checkVibers(config: Config, root: string, env: NodeJS.ProcessEnv): Promise<Finding[]> {
  const ids = listVibers({ root, agents: path.join(root, 'agents') });
  if (ids.length < 2) return [];
  const usual = config.model ?? createModels({ providers: config.providers, env }).defaultModel;
  const answers = new Map<string, Promise<Wording[]>>();

  async function about(id: string): Promise<Wording[]> {
    const { model, warnings } = await loadAgent(root, id);
    if (warnings.length > 0) throw new UserError(say('doctor.ofViber', { id, what: joinWarnings(warnings) }));
    // The default model has a finding of its own.
    if (model === undefined || model === usual) return [say('doctor.ofViber', { id, what: usual })];
    const asked = answers.get(model) ?? checkModel(model, config.providers, env);
    answers.set(model, asked);
    return (await asked).map((what) => say('doctor.ofViber', { id, what }));
  }

  const found = await Promise.all(ids.map((id) => attempt('viber', MODEL_MS, () => about(id))));
  return found.flatMap((findings, index) => findings.map((finding) => prefixViber(finding, ids[index] ?? '')));
}

/** Adds the viber's ID to a finding about a setting. */
const prefixViber = (finding: Finding, id: string): Finding =>
  says(finding.detail, 'doctor.ofViber')
    ? finding
    : { ...finding, detail: say('doctor.ofViber', { id, what: finding.detail }) };
